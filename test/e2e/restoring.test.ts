// The life of a file by the command line: backed up while it runs, restored, recovered, exported.
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  type CallContext,
  createLedger,
  type Ledger,
  type LedgerTool,
  type Proposal,
} from '@action-ledger/client';
import { type Folder, runCli, startCli, temporaryFolder } from './run-cli.ts';
import { openSample, sampleTools } from './sample-ledger.ts';

let folder: Folder;
let path: string;
let copy: string;
let ledgers: Ledger[] = [];

beforeEach(() => {
  folder = temporaryFolder();
  path = folder.file('ledger.db');
  copy = folder.file('copy.db');
});

afterEach(async () => {
  for (const ledger of ledgers) await ledger.close();
  ledgers = [];
  folder.remove();
});

async function open(): Promise<Ledger> {
  const ledger = await createLedger({ path, tools: sampleTools });
  ledgers.push(ledger);
  return ledger;
}

function refundBy(ledger: Ledger): Pick<LedgerTool, 'call'> {
  const context = (given: CallContext = {}): Proposal => {
    const { tenant = 'default', ...origin } = given;
    return { tool: 'refund', arguments: {}, tenant, origin };
  };
  return { call: (args, given) => ledger.propose({ ...context(given), arguments: args }) };
}

const json = async (...args: readonly string[]): Promise<Record<string, unknown>> => {
  const { out, err } = await runCli([...args, '--json']);
  expect(err).toBe('');
  return JSON.parse(out) as Record<string, unknown>;
};

/** The sample, backed up while it runs; then one more refund, and the end of its process. */
async function lost(): Promise<string> {
  const { ledger } = await openSample(path);
  ledgers.push(ledger);
  expect(await runCli(['backup', '--path', path, '--to', copy])).toMatchObject({
    code: 0,
    err: '',
  });
  const call = { run: 'run-9', turn: '1', call: 'call_9' };
  const { actionId = '' } = await refundBy(ledger).call({ order: 'A-99', amount: '5.00' }, call);
  await ledger.close();
  ledgers = [];
  return actionId;
}

const confirmed = ['recover', '--confirm', '--by', 'ada', '--reason', 'looked at the bank'];

describe('action-ledger backup', () => {
  it('copies a running ledger, says what the copy holds, and takes no other file away', async () => {
    const { ledger } = await openSample(path);
    ledgers.push(ledger);
    const told = await runCli(['backup', '--path', path, '--to', copy]);
    expect(told).toMatchObject({ code: 0, err: '' });
    expect(told.out).toMatch(
      /holds \d+ events up to position \d+, the newest of .* UTC\.\nChecked:/,
    );
    expect(readdirSync(folder.path).filter((name) => /copy.db.+/.test(name))).toEqual([]);
    const again = await runCli(['backup', '--path', path, '--to', copy, '--json']);
    expect(again.code).toBe(1);
    expect(JSON.parse(again.err)).toMatchObject({
      error: { code: 'store.io', fix: expect.stringContaining('--overwrite') },
    });
    const head = await ledger.store.head();
    expect(await json('backup', '--path', path, '--to', copy, '--overwrite')).toMatchObject({
      head,
      events: head,
      problems: [],
    });
    expect(await json('verify', '--path', copy)).toMatchObject({ events: head });
  });

  it('copies the damage of a ledger too, and says so', async () => {
    const { ledger, ids } = await openSample(path);
    await ledger.close();
    const db = new DatabaseSync(path);
    db.exec(
      `update events set events = replace(events, 'A-17', 'A-71') where stream = 'action-${ids.refund}'`,
    );
    db.close();
    const { code, out } = await runCli(['backup', '--path', path, '--to', copy]);
    expect(code).toBe(1);
    expect(out).toMatch(/damaged, and so is the copy:\n +the chain of action-/);
    expect(existsSync(copy)).toBe(true);
  });
});

describe('action-ledger restore', () => {
  it('is refused while a ledger runs, and leaves the old file beside the new one', async () => {
    const { ledger } = await openSample(path);
    ledgers.push(ledger);
    await runCli(['backup', '--path', path, '--to', copy]);
    const held = await runCli(['restore', '--path', path, '--from', copy]);
    expect(held).toMatchObject({ code: 1, out: '' });
    expect(held.err).toMatch(/is held for writing by process \d+/);
    await ledger.close();
    const { out, code } = await runCli(['restore', '--path', path, '--from', copy]);
    expect(code).toBe(0);
    expect(out).toMatch(/The old file is .*ledger\.db\.before-\d+T\d+Z\.\nRecovering:/);
    expect((await runCli(['doctor', '--path', path])).out).toMatch(/^FAIL +condition +recovering/m);
  });
});

describe('action-ledger recover', () => {
  it('lists what is missing, and what was open', async () => {
    const actionId = await lost();
    await runCli(['restore', '--path', path, '--from', copy]);
    const { code, out } = await runCli(['recover', '--path', path]);
    expect(code).toBe(1);
    expect(out).toMatch(/^missing +positions \d+ to \d+$/m);
    expect(out).toMatch(/^lost +4 events; of actions that ran to their end 1 at most$/m);
    expect(out).toContain(`${actionId.slice(0, 10)}.0`);
    expect(out).toMatch(/send_letter +unknown +manual +not asked: --tools names no tools/);
    expect(await json('recover', '--path', path)).toMatchObject({
      condition: 'recovering',
      eventsMissing: 4,
      actions: [{ action: actionId, tool: 'refund', status: 'succeeded' }],
      doubtMs: 86_400_000,
    });
  });

  it('asks the lookups of tools for what was open', async () => {
    const { ledger } = await openSample(path);
    await runCli(['backup', '--path', path, '--to', copy]);
    await ledger.close();
    await runCli(['restore', '--path', path, '--from', copy]);
    const tools = folder.file('tools.mjs');
    writeFileSync(
      tools,
      `import { defineTool, inputFromJsonSchema } from '${require.resolve('@action-ledger/tools')}';
       export const letter = defineTool({ name: 'send_letter', input: inputFromJsonSchema({ type: 'object', properties: { to: { type: 'string' } }, required: ['to'] }),
         guarantee: 'lookup', execute: () => null, lookup: ({ arguments: { to } }) => ({ verdict: 'found', externalId: 'letter-to-' + to }) });`,
    );
    const { out } = await runCli(['recover', '--path', path, '--tools', tools], {
      node: ['--conditions=source'],
    });
    expect(out).toMatch(/send_letter +unknown +manual +found, letter-to-Grace/);
  });

  it('needs a name and a reason, and the file for itself', async () => {
    await lost();
    await runCli(['restore', '--path', path, '--from', copy]);
    for (const args of [['--confirm'], ['--confirm', '--by', 'ada'], ['--by', 'ada']])
      expect(await runCli(['recover', '--path', path, ...args])).toMatchObject({ code: 2 });
    const ledger = await open();
    expect(await runCli([...confirmed, '--path', path])).toMatchObject({ code: 1 });
    await ledger.close();
    ledgers = [];
    const { code, out } = await runCli([...confirmed, '--path', path]);
    expect(code).toBe(0);
    expect(out).toMatch(/^Ready\. ada is on record for it in recovery-0\./);
    expect((await runCli(['recover', '--path', path])).code).toBe(0);
    expect((await runCli([...confirmed, '--path', path])).out).toMatch(/not recovering/);
    expect(await json('verify', '--path', path)).toMatchObject({ brokenInvariants: [] });
    const exported = await runCli(['export', '--path', path]);
    expect(exported.out).toMatch(/"stream":"recovery-0".*"type":"RecoveryConfirmed","by":"ada"/);
  });
});

describe('action-ledger export', () => {
  it('prints each event as a line of JSON, in order', async () => {
    const { ledger } = await openSample(path);
    ledgers.push(ledger);
    const head = await ledger.store.head();
    const { out, code } = await runCli(['export', '--path', path]);
    expect(code).toBe(0);
    const lines = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines.map(({ position }) => position)).toEqual(
      Array.from({ length: head }, (_, index) => index + 1),
    );
    expect(Object.keys(lines.at(-1) ?? {})).toEqual([
      'position',
      'stream',
      'revision',
      'time',
      'type',
      'id',
      'hash',
      'data',
    ]);
    const { out: later } = await runCli(['export', '--path', path, '--from', String(head)]);
    expect(later.trimEnd().split('\n')).toHaveLength(1);
    expect((await runCli(['export', '--path', path, '--from', '0'])).code).toBe(2);
  });

  it('keeps to a tenant, wherever it begins', async () => {
    const { ledger } = await openSample(path);
    ledgers.push(ledger);
    const call = { run: 'run-9', turn: '1', call: 'call_9', tenant: 'acme' };
    await refundBy(ledger).call({ order: 'A-1', amount: '1.00' }, call);
    const of = async (...args: readonly string[]): Promise<readonly unknown[]> => {
      const { out } = await runCli(['export', '--path', path, ...args]);
      return out === ''
        ? []
        : out
            .trimEnd()
            .split('\n')
            .map((line) => JSON.parse(line) as unknown);
    };
    const own = await of('--tenant', 'acme');
    expect(own.map((event) => (event as { readonly type: string }).type)).toEqual([
      'ActionPlanned',
      'ActionClaimed',
      'ActionDispatched',
      'ActionSucceeded',
    ]);
    const { position } = own.at(-1) as { readonly position: number };
    expect(await of('--tenant', 'acme', '--from', String(position))).toEqual(own.slice(-1));
    expect(await of('--tenant', 'nobody')).toEqual([]);
  });

  it('ends quietly when nobody reads on', async () => {
    const { ledger } = await openSample(path);
    ledgers.push(ledger);
    const child = startCli(['export', '--path', path]);
    let err = '';
    child.stderr?.on('data', (text: Buffer) => (err += text.toString()));
    child.stdout?.destroy();
    const [code] = (await once(child, 'close')) as [number | null];
    expect({ code, err }).toEqual({ code: 0, err: '' });
  });
});
