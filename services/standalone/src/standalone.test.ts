// Everything in one process: over HTTP with a key, through the door of the machine, and after it stopped.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createLedger, defineTool, inDoubt, type Notice } from '@action-ledger/client';
import { askOwner, readOwner } from '@action-ledger/event-store-sqlite';
import { createSystemRuntime } from '@action-ledger/runtime';
import { z } from 'zod';
import { type DeskAnswer, openDesk, openStandalone, type Standalone } from './index.ts';

const runtime = createSystemRuntime();
const ann = { name: 'ann', tenant: 'acme' };
let folder = '';
let path = '';
let sent: string[] = [];
let notices: Notice[] = [];
let traces: string[] = [];
let running: Standalone | undefined;
let answerSlow = (): void => undefined;
let answered = Promise.resolve();

beforeEach(() => {
  answered = new Promise((resolve) => (answerSlow = resolve));
  folder = mkdtempSync(join(tmpdir(), 'standalone-'));
  path = join(folder, 'ledger.db');
  sent = [];
  notices = [];
  traces = [];
});
afterEach(async () => {
  await running?.stop();
  running = undefined;
  rmSync(folder, { recursive: true });
});

const pay = defineTool({
  name: 'pay',
  input: z.object({ invoice: z.string() }),
  guarantee: 'manual',
  approval: { when: ({ invoice }) => invoice.startsWith('big') },
  execute: async ({ arguments: { invoice }, beforeSend, traceparent }) => {
    beforeSend();
    if (traceparent !== undefined) traces.push(traceparent);
    sent.push(invoice);
    if (invoice.startsWith('slow')) await answered;
    return invoice.startsWith('lost') ? inDoubt('no answer') : { paid: invoice };
  },
});

const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };

async function start(): Promise<Standalone> {
  const onNotice = (notice: Notice): unknown => notices.push(notice);
  running = await openStandalone({ path, tools: [pay], logger: quiet, onNotice });
  return running;
}

/** As the command line asks, from another process. */
async function ask(request: object): Promise<DeskAnswer> {
  const socket = readOwner(path)?.socket ?? '';
  const answer = await askOwner(socket, request as never, { timeoutMs: 5_000, runtime });
  return answer as unknown as DeskAnswer;
}

async function post(path: string, body: object): Promise<DeskAnswer> {
  return ask({ as: ann, method: 'POST', path, body });
}

async function keyFor(tenant: string, roles: readonly string[]): Promise<string> {
  const { body } = await post('/v1/keys', { name: `${tenant} agent`, tenant, roles });
  return (body as { readonly text: string }).text;
}

async function propose(
  { url }: Standalone,
  key: string,
  invoice: string,
): Promise<{ readonly status: number; readonly body: Record<string, unknown> }> {
  const response = await fetch(`${url}/v1/actions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': key },
    body: JSON.stringify({ tool: 'pay', arguments: { invoice }, run: 'r-1' }),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

describe('a ledger in one process', () => {
  it('lets in who has a key, runs each action once, and knows its repeats after a restart', async () => {
    const first = await start();
    const key = await keyFor('acme', ['proposer']);
    expect((await propose(first, 'alk.nobody', '1')).status).toBe(401);
    expect(await propose(first, key, '1')).toMatchObject({
      status: 201,
      body: { state: 'succeeded', result: { paid: '1' } },
    });
    await first.stop();
    const second = await start();
    expect(await propose(second, key, '1')).toMatchObject({
      status: 200,
      body: { repeat: true, tenant: 'acme' },
    });
    expect(sent).toEqual(['1']);
  });

  it('runs its services while it is open, and finishes what is under way before it stops', async () => {
    const first = await start();
    const key = await keyFor('acme', ['proposer']);
    const conditions = (): readonly string[] =>
      Object.entries(first.services).map(([name, each]) => `${name} ${each.health().condition}`);
    expect(conditions()).toEqual(['executor live', 'reconciler live', 'compensator live']);
    const asked = propose(first, key, 'slow-1');
    while (!sent.includes('slow-1')) await new Promise((resolve) => setImmediate(resolve));
    const stopping = first.stop();
    answerSlow();
    expect(await asked).toMatchObject({ status: 201, body: { state: 'succeeded' } });
    await stopping;
    expect(conditions()).toEqual(['executor stopped', 'reconciler stopped', 'compensator stopped']);
    const second = await start();
    expect(await propose(second, key, 'slow-1')).toMatchObject({ status: 200 });
    expect(sent).toEqual(['slow-1']);
  });

  it('leaves no file behind where its address is taken', async () => {
    const { port } = new URL((await start()).url);
    const taken = { listen: { port: Number(port) }, tools: [pay], logger: quiet };
    const nothing = mkdtempSync(join(folder, 'nothing-'));
    const opened = openStandalone({ ...taken, path: join(nothing, 'ledger.db') });
    await expect(opened).rejects.toMatchObject({ code: 'EADDRINUSE' });
    expect(readdirSync(nothing)).toEqual([]);
  });

  it('goes on with what was recorded while nothing ran', async () => {
    await start();
    const key = await keyFor('acme', ['proposer']);
    await running?.stop();
    const recorder = await createLedger({ path, tools: [pay], runtime, drives: false });
    await recorder.tool(pay).call({ invoice: '1' }, { run: 'r-1', tenant: 'acme', waitMs: 0 });
    await recorder.close();
    expect(sent).toEqual([]);
    const again = await start();
    expect(await propose(again, key, '1')).toMatchObject({ body: { state: 'succeeded' } });
    expect(sent).toEqual(['1']);
  });

  it('lets people decide through the door of the machine', async () => {
    const ledger = await start();
    const key = await keyFor('acme', ['proposer']);
    const { body } = await propose(ledger, key, 'big-1');
    expect(notices.map(({ kind }) => kind)).toEqual(['approval waiting']);
    const waiting = await ask({ as: ann, method: 'GET', path: '/v1/approvals' });
    const [asked] = (waiting.body as { approvals: { argumentsHash: string }[] }).approvals;
    const vote = {
      as: ann,
      method: 'POST',
      path: `/v1/actions/${String(body['actionId'])}/votes`,
      body: { vote: 'approve', argumentsHash: asked?.argumentsHash },
    };
    expect((await ask(vote)).status).toBe(200);
    expect(await propose(ledger, key, 'big-1')).toMatchObject({ body: { state: 'succeeded' } });
    expect(sent).toEqual(['big-1']);
  });

  it('passes the trace of a request on to the tool, and ignores one that is malformed', async () => {
    const { url } = await start();
    const key = await keyFor('acme', ['proposer']);
    const parent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    for (const [invoice, traceparent] of [
      ['1', parent],
      ['2', 'nonsense'],
      ['3', `${parent}, ${parent}`],
    ] as const) {
      const headers = { 'content-type': 'application/json', 'x-api-key': key, traceparent };
      const body = JSON.stringify({ tool: 'pay', arguments: { invoice }, run: 'r-1' });
      const { status } = await fetch(`${url}/v1/actions`, { method: 'POST', headers, body });
      expect(status).toBe(201);
    }
    expect([sent, traces]).toEqual([['1', '2', '3'], [parent]]);
  });

  it('is paused for one tenant, and says so', async () => {
    const ledger = await start();
    const [acme, other] = [await keyFor('acme', ['proposer']), await keyFor('b', ['proposer'])];
    await post('/v1/pauses', { tenant: 'acme', reason: 'month end' });
    expect(await propose(ledger, acme, '1')).toMatchObject({
      status: 429,
      body: { code: 'ledger.paused' },
    });
    expect((await propose(ledger, other, '1')).status).toBe(201);
    expect(
      await ask({ as: ann, method: 'GET', path: '/v1/pauses?everyTenant=true' }),
    ).toMatchObject({
      body: { pauses: [{ tenant: 'acme', by: 'ann', reason: 'month end' }] },
    });
    const end = { tenant: 'acme', reason: 'done', revisionSeen: 0 };
    expect((await post('/v1/pauses/resume', end)).status).toBe(200);
    expect((await propose(ledger, acme, '1')).status).toBe(201);
  });

  it('shows no hash and no text of a key again, and lets nobody in by a revoked one', async () => {
    const ledger = await start();
    const key = await keyFor('acme', ['proposer']);
    const listed = await ask({ as: ann, method: 'GET', path: '/v1/keys' });
    expect(JSON.stringify(listed)).not.toMatch(/hash|alk\./);
    const [{ id } = { id: '' }] = (listed.body as { keys: { id: string }[] }).keys;
    expect((await post(`/v1/keys/${id}/revoke`, { reason: 'leaked' })).status).toBe(200);
    expect((await propose(ledger, key, '1')).status).toBe(401);
    expect((await post('/v1/keys/none/revoke', { reason: 'x' })).status).toBe(404);
  });

  it('refuses what no desk is asked', async () => {
    await start();
    const get = { method: 'GET', path: '/v1/keys' };
    for (const misfit of [{}, { as: ann }, get, { ...get, as: ann, more: 1 }])
      expect(await ask(misfit)).toMatchObject({ status: 400 });
    const path = '/v1/nothing';
    expect((await ask({ as: ann, method: 'GET', path })).status).toBe(404);
  });
});

describe('where no process has the file', () => {
  it('a desk is opened for the question, and what it took is acted on later', async () => {
    const first = await start();
    const key = await keyFor('acme', ['proposer']);
    const lost = await propose(first, key, 'lost-1');
    expect(lost).toMatchObject({ status: 202, body: { state: 'unknown', owner: 'operator' } });
    await first.stop();
    running = undefined;
    const desk = await openDesk({ path, runtime });
    const settled = await desk.answer({
      as: ann,
      method: 'POST',
      path: `/v1/actions/${String(lost.body['actionId'])}/settle`,
      body: { verdict: 'found', reason: 'seen at the bank', revisionSeen: lost.body['revision'] },
    });
    expect(settled).toMatchObject({ status: 200, body: { state: 'succeeded' } });
    await desk.close();
    expect(await propose(await start(), key, 'lost-1')).toMatchObject({
      status: 200,
      body: { word: 'already-done' },
    });
    expect(sent).toEqual(['lost-1']);
  });

  it('a desk is refused while a process has it', async () => {
    await start();
    await expect(openDesk({ path, runtime })).rejects.toMatchObject({ code: 'store.held' });
  });
});
