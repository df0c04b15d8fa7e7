// What people do from the command line to a ledger that runs: through its file's socket, and with a key
// over HTTP. Each command is for the state that its author saw.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createLedger, defineTool, fromOutcome } from '@action-ledger/client';
import { createSystemRuntime } from '@action-ledger/runtime';
import { openStandalone, type Standalone } from '@action-ledger/standalone';
import { z } from 'zod';
import { run } from '../run.ts';

const runtime = createSystemRuntime();
const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };
let folder = '';
let booked: string[] = [];
let standalone: Standalone;

const book = defineTool({
  name: 'book',
  input: z.object({ what: z.string() }),
  guarantee: 'manual',
  approval: { votes: 2, when: ({ what }) => what.startsWith('big') },
  execute: ({ arguments: { what }, beforeSend }) => {
    beforeSend();
    booked.push(what);
    return { id: what };
  },
});
const release = defineTool({
  name: 'release',
  input: z.object({ id: z.string() }),
  guarantee: 'manual',
  execute: ({ arguments: { id }, beforeSend }) => {
    beforeSend();
    booked = booked.filter((each) => each !== id);
    return null;
  },
});

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'desk-'));
  booked = [];
  standalone = await openStandalone({
    path: join(folder, 'ledger.db'),
    tools: [book, release],
    logger: quiet,
    runtime,
  });
});
afterEach(async () => {
  await standalone.stop();
  rmSync(folder, { recursive: true });
});

interface Said {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

async function cli(args: readonly string[], env: Record<string, string> = {}): Promise<Said> {
  let [out, err] = ['', ''];
  const code = await run(args, {
    out: (text: string) => {
      out += text;
    },
    err: (text: string) => {
      err += text;
    },
    isTerminal: false,
    isColoured: false,
    columns: 200,
    env,
    runtime,
    version: '0.0.0',
  });
  return { code, out, err };
}

const here = (...args: readonly string[]): Promise<Said> =>
  cli([...args, '--path', join(folder, 'ledger.db'), '--by', 'ann']);

async function elsewhere(key: string, ...args: readonly string[]): Promise<Said> {
  return cli([...args, '--url', standalone.url], { ACTION_LEDGER_API_KEY: key });
}

async function keyFor(role: string, tenant = 'default'): Promise<string> {
  const made = await here(
    ...['keys', 'create', '--name', role, '--role', role, '--tenant', tenant, '--json'],
  );
  return (JSON.parse(made.out) as { readonly text: string }).text;
}

async function call(what: string): Promise<string> {
  const { ledger } = standalone;
  const answer = await ledger.tool(book).call({ what }, { run: 'r', call: what, waitMs: 0 });
  return answer.actionId ?? '';
}

describe('from the command line', () => {
  it('approvals are listed with votes and time, edited, and approved', async () => {
    const id = await call('big-1');
    await here('approve', id);
    const { out } = await here('approvals');
    expect(out).toContain('{"what":"big-1"}');
    expect(out).toContain('1 of 2, ann approves');
    const edited = await here('actions', 'edit', id, '--args', '{"what":"small"}', '--reason', 'r');
    expect(edited).toMatchObject({ code: 0, out: expect.stringContaining('is now succeeded') });
    expect(booked).toEqual(['small']);
  });

  it('what waits is told of every tenant, beside a program that has no door', async () => {
    const path = join(folder, 'embedded.db');
    const ledger = await createLedger({ path, tools: [book], runtime });
    const propose = (tenant: string, what: string) =>
      ledger.tool(book).call({ what }, { run: 'r', call: what, tenant, waitMs: 0 });
    expect((await propose('acme', 'big-1')).word).toBe('waiting-for-approval');
    await propose('umbrella', 'big-2');
    const at = (...args: readonly string[]): Promise<Said> => cli([...args, '--path', path]);
    const all = await at('approvals');
    expect(all).toMatchObject({ code: 0, err: '' });
    expect(all.out).toMatch(/TENANT[^]*umbrella[^]*acme[^]*2 actions/);
    expect((await at('approvals', '--tenant', 'acme')).out).not.toContain('big-2');
    expect((await at('approvals', '--tenant', 'other')).out).toContain(
      'Not asked for: 2 other actions',
    );
    expect((await at('unknown', 'list')).out).toBe('Nothing is unknown.\n');
    await ledger.pause({ by: 'ann', reason: 'the bank is down', tool: 'book' });
    expect((await at('pauses')).out).toContain('the bank is down');
    const said = { reference: 'bk_9', tool: 'book', claims: 'note', source: 'its page' } as const;
    await ledger.reportAbout({ ...said, tenant: 'acme', proven: false });
    expect((await at('evidence', 'list')).out).toMatch(
      / note .*reference bk_9 of book.*\n1 report/,
    );
    const other = await at('evidence', 'list', '--tenant', 'default', '--json');
    expect(JSON.parse(other.out)).toEqual({ reports: [] });
    await ledger.close();
  });

  it('a settled action is repeated once, for as long as it is as it was seen', async () => {
    const id = await call('one');
    await standalone.ledger.rest(id, 5_000);
    const repeat = ['actions', 'repeat', id, '--reason', 'two are wanted'];
    const stale = await here(...repeat, '--revision', '0');
    expect(stale.code).toBe(1);
    expect(stale.err).toContain('since: revision 3, ActionSucceeded');
    expect(stale.err).toContain('look at it again');
    for (const _time of [1, 2]) expect((await here(...repeat)).code).toBe(0);
    expect(booked).toEqual(['one', 'one']);
    const malformed = await here(...repeat, '--args', '{"what":1,"what":2}');
    expect(malformed.code).toBe(2);
  });

  it('a workflow is undone from a step on', async () => {
    const { ledger } = standalone;
    const trip = await ledger.workflow({ id: 'trip-7' }, async (step) => {
      for (const what of ['hotel', 'flight'])
        await step(
          what,
          ledger.tool(book),
          { what },
          {
            compensate: { tool: ledger.tool(release), arguments: { id: fromOutcome('id') } },
          },
        );
      return 'booked';
    });
    expect(trip.status).toBe('completed');
    const undo = ['workflow', 'compensate', 'trip-7', '--reason', 'no flight'];
    expect((await here(...undo, '--revision', '0')).err).toContain('since: revision');
    const undone = await here(...undo, '--from', 'flight');
    expect(undone).toMatchObject({ code: 0, out: expect.stringContaining('is now compensated') });
    expect(booked).toEqual(['hotel']);
  });

  it('pauses reach every tenant here, and the own one with a key', async () => {
    const key = await keyFor('operator', 'acme');
    const pause = ['pause', '--reason', 'the bank is down'];
    expect((await elsewhere(key, ...pause)).err).toContain('Only the owner of the machine');
    expect((await elsewhere(key, ...pause, '--tenant', 'umbrella')).code).toBe(1);
    expect((await elsewhere(key, ...pause, '--tenant', 'acme')).out).toContain('tenant acme');
    expect((await here(...pause)).out).toContain('everything');
    expect((await here('pauses')).out).toMatch(/tenant acme[^]*everything/);
    const resume = ['resume', '--reason', 'it is up'];
    expect((await here(...resume, '--revision', '0')).err).toContain('another pause');
    expect((await here(...resume)).out).toContain('Resumed: everything');
    expect((await elsewhere(key, ...resume, '--tenant', 'acme')).out).toContain('tenant acme');
    expect((await here(...resume)).err).toContain('Nothing to resume');
  });

  it('keys are made here alone, and ended by an operator of their tenant', async () => {
    const key = await keyFor('operator', 'acme');
    const other = ['keys', 'create', '--name', 'x', '--role', 'approver'];
    expect((await elsewhere(key, ...other)).err).toContain("unknown option '--url'");
    const listed = await elsewhere(key, 'keys', 'list', '--json');
    const { keys } = JSON.parse(listed.out) as { readonly keys: readonly { id: string }[] };
    expect(keys).toHaveLength(1);
    const revoke = ['keys', 'revoke', keys[0]?.id ?? '', '--reason', 'leaked'];
    expect((await elsewhere(key, ...revoke)).code).toBe(0);
    expect((await elsewhere(key, 'keys', 'list')).code).toBe(1);
  });

  it('evidence is reported by what the provider knows, and waits until an action bears the name', async () => {
    const report = ['evidence', 'report', '--claims', 'success', '--proven'];
    const early = [
      ...report,
      '--tool',
      'book',
      '--external-id',
      'b-1',
      '--source',
      'the statement',
    ];
    expect((await here('evidence', 'list')).out).toContain('No report waits');
    expect((await here(...early, '--data', '{"seen": 1}')).out).toContain('No action bears');
    expect((await here('evidence', 'list')).out).toMatch(
      /ann: the statement +success +id b-1 of book/,
    );
    const { actionId = '', downstreamKey = '' } = await bookedAction();
    const told = await here(...report, '--key', downstreamKey, '--json');
    expect(JSON.parse(told.out)).toMatchObject({ action: { actionId, state: 'succeeded' } });
    const id = await here(...report, '--key', downstreamKey, '--external-id', 'b-1');
    expect(id.out).toContain('kept as evidence; it is succeeded');
    await standalone.ledger.rest(actionId, 1_000);
    // It is taken up in the background.
    const waits = () => standalone.ledger.waitingReports().length > 0;
    while (waits()) await new Promise((resolve) => setImmediate(resolve));
    expect((await here('evidence', 'list')).out).toContain('No report waits');
    expect((await here(...report)).err).toContain('Name what it is about');
    expect((await here(...report, '--key', 'k', '--data', '{')).err).toContain('--data');
    const key = await keyFor('worker');
    expect((await elsewhere(key, ...report, '--key', 'k')).out).toContain('No action bears');
  });

  async function bookedAction(): Promise<{ actionId?: string; downstreamKey?: string }> {
    const actionId = await call('small');
    const loaded = await standalone.ledger.load(actionId);
    if (loaded.kind !== 'action') throw new Error('it was booked');
    const { downstreamKey = '' } = loaded.action;
    return { actionId, downstreamKey };
  }
});
