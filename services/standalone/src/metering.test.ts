// One workload over HTTP and through the ledger, then a scrape: every metric of the page, and no other.
import { hash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createOpenAccess, roles } from '@action-ledger/access';
import { defineTool, inDoubt } from '@action-ledger/client';
import { sealEvents, unsealEvent } from '@action-ledger/codec';
import { createHook } from '@action-ledger/notifications';
import { createSystemRuntime } from '@action-ledger/runtime';
import { z } from 'zod';
import { openStandalone, type Standalone } from './index.ts';

let folder = '';
let running: Standalone | undefined;
let lines: object[] = [];
let told: string[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'metering-'));
  lines = [];
  told = [];
});
afterEach(async () => {
  await running?.stop();
  rmSync(folder, { recursive: true });
});

const pay = defineTool({
  name: 'pay',
  input: z.object({ invoice: z.string() }),
  guarantee: 'manual',
  approval: { when: ({ invoice }) => invoice.startsWith('big') },
  execute: ({ arguments: { invoice }, beforeSend }) => {
    beforeSend();
    return invoice.startsWith('lost') ? inDoubt('no answer') : { paid: invoice };
  },
});

const sha256 = (text: string): string => hash('sha256', text, 'base64url');

async function start(): Promise<Standalone> {
  running = await openStandalone({
    path: join(folder, 'ledger.db'),
    tools: [pay],
    access: () => createOpenAccess({ name: 'ann', tenant: 'secret-tenant', roles: new Set(roles) }),
    metrics: {},
    accessLog: true,
    notify: { endpoints: [createHook({ tell: ({ kind }) => told.push(kind) })] },
    logger: {
      info: (facts) => lines.push(facts),
      warn: () => undefined,
      error: () => undefined,
    },
  });
  return running;
}

async function propose({ url }: Standalone, invoice: string, call = '1'): Promise<string> {
  const response = await fetch(`${url}/v1/actions?`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      tool: 'pay',
      arguments: { invoice },
      run: 'secret-run',
      turn: '1',
      call,
    }),
  });
  const { actionId } = (await response.json()) as { readonly actionId: string };
  return actionId;
}

async function scrape({ metering }: Standalone): Promise<string> {
  const response = await fetch(metering?.url() ?? '');
  expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  return response.text();
}

/** Of one sample; undefined where it is not there. */
function valueIn(text: string, sample: string): number | undefined {
  const line = text.split('\n').find((each) => each.startsWith(`${sample} `));
  return line === undefined ? undefined : Number(line.slice(sample.length + 1));
}

describe('metrics', () => {
  it('count what a ledger does', async () => {
    const standalone = await start();
    const first = await propose(standalone, '1');
    await propose(standalone, '1', '2');
    await propose(standalone, 'big-1');
    await propose(standalone, 'lost-1');
    await standalone.ledger.pause({ tool: 'pay', by: 'ann', reason: 'enough' });
    const text = await scrape(standalone);
    const values: readonly (readonly [string, number])[] = [
      ['proposals_total{word="done",repeat="false"}', 1],
      ['proposals_total{word="already-done",repeat="true"}', 1],
      ['actions_open{status="awaiting_approval"}', 1],
      ['actions_open{status="unknown"}', 1],
      ['actions_ended_total{status="succeeded"}', 1],
      ['attempts_total{outcome="succeeded",guarantee="manual"}', 1],
      ['attempts_total{outcome="in_doubt",guarantee="manual"}', 1],
      ['unknowns{owner="operator"}', 1],
      ['unknowns{owner="reconciler"}', 0],
      ['approvals_waiting', 1],
      ['suppressed_total{kind="duplicate"}', 1],
      ['pauses', 1],
      ['slots_in_use', 0],
      ['service_condition{service="notifier",condition="live"}', 1],
      ['service_condition{service="auditor",condition="live"}', 1],
      ['http_requests_total{method="POST",route="/v1/actions",status="201"}', 1],
      ['http_requests_total{method="POST",route="/v1/actions",status="200"}', 1],
      ['http_request_seconds_count{route="/v1/actions"}', 4],
    ];
    for (const [sample, value] of values)
      expect([sample, valueIn(text, `action_ledger_${sample}`)]).toEqual([sample, value]);
    const appends = valueIn(text, 'action_ledger_store_appends_total') ?? 0;
    expect(appends).toBeGreaterThan(4);
    expect(valueIn(text, 'action_ledger_store_append_seconds_count')).toBeGreaterThanOrEqual(
      appends,
    );
    expect(text).not.toMatch(/secret|big-1|lost-1/);
    expect(text).not.toContain(first);
  });

  it('are those of docs/metrics.md, with their types and labels', async () => {
    const standalone = await start();
    for (const invoice of ['1', '1', 'big-1', 'lost-1']) await propose(standalone, invoice);
    const text = await scrape(standalone);
    const found = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(
      ([, name, type]) => `${name ?? ''} ${type ?? ''}`,
    );
    const page = readFileSync(join(__dirname, '../../../docs/metrics.md'), 'utf8');
    const rows = [...page.matchAll(/^\| `(action_ledger_\w+)`\s+\| (\w+)\s+\| ([^|]*)\|/gm)];
    expect(rows.map(([, name, type]) => `${name ?? ''} ${type ?? ''}`)).toEqual(found);
    for (const [, name = '', , labels = ''] of rows) {
      const sample = text
        .split('\n')
        .find((line) => new RegExp(`^${name}(_count)?[{ ]`).test(line));
      const used = [...(sample ?? '').matchAll(/(\w+)="/g)].map(([, label]) => label);
      if (sample !== undefined)
        expect([name, used]).toEqual([
          name,
          [...labels.matchAll(/`(\w+)`/g)].map(([, label]) => label),
        ]);
    }
  });

  it('know what was open before, and nothing but GET /metrics is answered', async () => {
    await propose(await start(), 'big-1');
    await running?.stop();
    const again = await start();
    const opened = async (): Promise<number | undefined> =>
      valueIn(await scrape(again), 'action_ledger_approvals_waiting');
    while ((await opened()) !== 1) await new Promise((resolve) => setImmediate(resolve));
    const url = again.metering?.url() ?? '';
    expect((await fetch(url, { method: 'POST' })).status).toBe(405);
    expect((await fetch(url.replace('metrics', ''))).status).toBe(404);
  });
});

describe('a broken invariant', () => {
  it('is counted and told of, while the ledger runs', async () => {
    const standalone = await start();
    const { store } = standalone.ledger;
    const stream = `action-${await propose(standalone, '1')}`;
    const last = (await store.readStream(stream)).at(-1);
    if (last === undefined) throw new Error('nothing on record');
    const runtime = createSystemRuntime();
    const context = { sha256, nextId: runtime.ids.next, at: runtime.clock.wallMs() };
    // What a service would mend, such as a doubt without an owner, may be whole again before it is seen.
    const another = { type: 'ActionSucceeded', data: { attempt: 1, result: 'by hand' } };
    const { events } = sealEvents(context, unsealEvent(last).metadata.hash, [another]);
    await store.append(stream, last.revision, events);
    const sample = 'action_ledger_invariants_broken_total{invariant="success-never-changes"}';
    while (valueIn(await scrape(standalone), sample) !== 1 || !told.includes('invariant broken'))
      await new Promise((resolve) => setImmediate(resolve));
    expect(await standalone.auditor.breaches()).toMatchObject([
      { stream, invariant: 'success-never-changes' },
    ]);
  });
});

describe('the access log', () => {
  it('has a line for each request: who, what, how it ended, and no content', async () => {
    const standalone = await start();
    const action = await propose(standalone, 'secret-invoice');
    const { url } = standalone;
    const read = await fetch(`${url}/v1/actions/${action}`, {
      headers: { authorization: 'Bearer secret-key' },
    });
    await fetch(`${url}/v1/actions/secret-id`);
    await fetch(`${url}/secret-path?token=secret-token`);
    const ann = { principal: 'ann', tenant: 'secret-tenant' };
    const requests = lines.filter((line) => 'route' in line);
    expect(requests).toMatchObject([
      { method: 'POST', route: '/v1/actions', status: 201, action, ...ann },
      { method: 'GET', route: '/v1/actions/:id', status: 200, action, ...ann },
      { method: 'GET', route: '/v1/actions/:id', status: 404, ...ann },
      { method: 'GET', route: 'none', status: 404 },
    ]);
    expect(requests[1]).toMatchObject({ requestId: read.headers.get('x-request-id') });
    expect(JSON.stringify(lines)).not.toMatch(/secret-(invoice|key|id|path|token|run)/);
  });
});
