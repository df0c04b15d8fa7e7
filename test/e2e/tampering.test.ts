// A record that was changed by hand: verify names the stream and the event, and doctor and replay tell
// of it.
import { DatabaseSync } from 'node:sqlite';
import { copyFileSync, truncateSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { type Finished, type Folder, runCli, temporaryFolder } from './run-cli.ts';
import { openSample, type Sample } from './sample-ledger.ts';

// Every call starts a process; on a busy machine that takes seconds.
jest.setTimeout(60_000);

let folder: Folder;
let whole: string;
let ids: Sample['ids'];
let copies = 0;

beforeAll(async () => {
  folder = temporaryFolder();
  whole = folder.file('whole.db');
  const sample = await openSample(whole);
  ids = sample.ids;
  await sample.ledger.close();
});

afterAll(() => {
  folder.remove();
});

/** A copy of the file, with its mark, changed by SQL. */
function changed(sql: string, ...values: readonly string[]): string {
  const path = folder.file(`copy-${(copies += 1)}.db`);
  copyFileSync(whole, path);
  copyFileSync(`${whole}.mark`, `${path}.mark`);
  const db = new DatabaseSync(path);
  db.prepare(sql).run(...values);
  db.close();
  return path;
}

interface Verified {
  readonly streams: number;
  readonly events: number;
  readonly brokenInvariants: readonly Record<'stream' | 'invariant' | 'detail', string>[];
}

async function verified(path: string): Promise<Finished & Verified> {
  const ended = await runCli(['verify', '--json', '--path', path]);
  return { ...ended, ...(JSON.parse(ended.out) as Verified) };
}

const editOutcome = `update events set events = replace(events, 'R-', 'X-') where stream = ? and revision > 0`;

describe('the file as it was closed', () => {
  it('shows the repeats that an action held back', async () => {
    const { out } = await runCli(['actions', 'show', ids.refund, '--path', whole]);
    expect(out).toMatch(
      /^held back +1 call that ran nothing:\n .* duplicate: run run-1, turn 1, call call_2$/m,
    );
  });
});

describe('verify', () => {
  it('finds nothing in the file as it was closed', async () => {
    const { code, brokenInvariants, streams } = await verified(whole);
    expect({ code, brokenInvariants }).toEqual({ code: 0, brokenInvariants: [] });
    expect(streams).toBe(12);
  });

  it('names the event whose data was edited, and ends with 1', async () => {
    const stream = `action-${ids.refund}`;
    const path = changed(editOutcome, stream);
    const { code, brokenInvariants } = await verified(path);
    expect(code).toBe(1);
    expect(brokenInvariants).toEqual([
      {
        stream,
        invariant: 'chain-holds',
        detail: expect.stringMatching(/^revision 3 \(ActionSucceeded, position \d+\) was edited/),
      },
    ]);
    const { out } = await runCli(['verify', '--path', path]);
    expect(out).toContain('1 thing broken.');
    expect(out).toContain(stream);
  });

  it('names the stream whose row was deleted, and the positions', async () => {
    const stream = `action-${ids.undone}`;
    const { code, brokenInvariants } = await verified(
      changed('delete from events where stream = ? and revision = 3', stream),
    );
    expect(code).toBe(1);
    expect(brokenInvariants).toContainEqual({
      stream,
      invariant: 'chain-holds',
      detail: expect.stringMatching(/^revision 3 is missing: .* revision 4 \(ActionUndone, /),
    });
    expect(brokenInvariants).toContainEqual({
      stream: '',
      invariant: 'positions-complete',
      detail: expect.stringMatching(/^position \d+ is missing/),
    });
  });

  it('names the stream of a row that cannot be read any more', async () => {
    const stream = `action-${ids.unknown}`;
    const { code, brokenInvariants } = await verified(
      changed(`update events set events = 'x' where stream = ? and revision = 0`, stream),
    );
    expect(code).toBe(1);
    expect(brokenInvariants).toContainEqual(
      expect.objectContaining({ stream, invariant: 'row-readable' }),
    );
  });
});

describe('the other commands', () => {
  it('replay shows what holds, and where the damage begins', async () => {
    const path = changed(editOutcome, `action-${ids.refund}`);
    const { code, out } = await runCli(['replay', ids.refund, '--path', path]);
    expect(code).toBe(1);
    expect(out).toMatch(/2 +[\d:.]+ +ActionDispatched/);
    expect(out).toContain('DAMAGED at revision 3');
  });

  it('doctor fails on the chain, and names the stream', async () => {
    const stream = `action-${ids.refund}`;
    const { code, out } = await runCli(['doctor', '--path', changed(editOutcome, stream)]);
    expect(code).toBe(1);
    expect(out).toMatch(/^FAIL +chain +broken in/m);
    expect(out).toContain('fix: `action-ledger verify`');
  });

  it('show says that the record is damaged', async () => {
    const path = changed(editOutcome, `action-${ids.refund}`);
    const { code, err } = await runCli(['actions', 'show', ids.refund, '--path', path]);
    expect(code).toBe(1);
    expect(err).toMatch(/the record of .* is damaged at revision 3/);
  });

  it('doctor says what a file that lost its end is: recovering', async () => {
    const path = changed('delete from events where position = (select max(position) from events)');
    const { code, out } = await runCli(['doctor', '--path', path]);
    expect(code).toBe(1);
    expect(out).toMatch(/^FAIL +condition +recovering/m);
  });

  it('a truncated file is told, with what to do', async () => {
    const path = changed('select 1');
    truncateSync(path, 5_000);
    const { code, err } = await runCli(['verify', '--path', path]);
    expect(code).toBe(1);
    expect(err).toMatch(/^action-ledger: .*damaged/);
  });
});
