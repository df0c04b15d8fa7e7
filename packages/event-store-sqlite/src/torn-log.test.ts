// A power failure tears the end of the write-ahead log: frames are cut or hold something else. What is left
// are whole appends, and where one is missing that was acknowledged, the file says that it went back in time.
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createSystemRuntime } from '@action-ledger/runtime';
import {
  contentOf,
  expectWholeAppends,
  killStarted,
  readStreams,
  start,
  type Stored,
} from '../test-support/store-process.ts';
import { openSqliteEventStore } from './index.ts';

const runtime = createSystemRuntime();
let folder = '';
let path = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'torn-log-'));
  path = join(folder, 'ledger.db');
});

afterEach(() => {
  killStarted();
  rmSync(folder, { recursive: true, force: true });
});

const harms = ['cut', 'zeroed', 'garbled', 'its header garbled'] as const;

interface Opened {
  readonly kind: string;
  readonly kept: number;
}

/** A copy of the killed process's files, with the log in this state. */
async function openWith(log: Buffer, acknowledged: readonly Stored[]): Promise<Opened> {
  const copy = join(folder, 'copy.db');
  copyFileSync(path, copy);
  copyFileSync(`${path}.mark`, `${copy}.mark`);
  writeFileSync(`${copy}-wal`, log);
  const store = await openSqliteEventStore({ path: copy, runtime });
  try {
    const streams = await readStreams(store);
    for (const events of streams.values()) expectWholeAppends(events);
    const kept = acknowledged.filter(({ stream, revision, append }) => {
      const event = streams.get(stream)?.[revision];
      return event !== undefined && contentOf(event).append === append;
    }).length;
    const condition = store.condition();
    if (kept < acknowledged.length)
      expect(condition).toMatchObject({ kind: 'recovering', head: await store.head() });
    return { kind: condition.kind, kept };
  } finally {
    await store.close();
    for (const of_ of ['', '-wal', '-shm', '.mark']) rmSync(`${copy}${of_}`, { force: true });
  }
}

describe('the log of a process that was killed', () => {
  it('FW06 torn at any place, is told as gone back in time wherever something acknowledged is missing', async () => {
    const child = start({ path, task: 'append', callers: 4 });
    await child.next();
    const acknowledged: Stored[] = [];
    while (acknowledged.length < 40) acknowledged.push((await child.next()) as Stored);
    acknowledged.push(...(await child.killAfter(0)));
    const log = readFileSync(`${path}-wal`);
    const { end, frameBytes } = framesOf(log);
    const whole = { kind: 'ready', kept: acknowledged.length };
    expect(await openWith(log, acknowledged)).toEqual(whole);
    // What lies behind the last frame was never acknowledged.
    const more = Buffer.concat([log.subarray(0, end), Buffer.alloc(2 * frameBytes, 0x5a)]);
    expect(await openWith(more, acknowledged)).toEqual(whole);
    const kept = new Set<number>();
    for (const frames of [1, 3, 9])
      for (const harm of harms) {
        const torn = tornAt(log, end - frames * frameBytes, frameBytes, harm);
        kept.add((await openWith(torn, acknowledged)).kept);
      }
    expect(Math.min(...kept)).toBeLessThan(acknowledged.length);
    expect(kept.size).toBeGreaterThan(1);
  });
});

/** Where the last frame of the log ends: behind it may lie some of an earlier round. */
function framesOf(log: Buffer): { readonly end: number; readonly frameBytes: number } {
  const headerBytes = 32;
  const frameBytes = 24 + log.readUInt32BE(8);
  const salts = log.subarray(16, 24);
  let end = headerBytes;
  while (salts.equals(log.subarray(end + 8, end + 16))) end += frameBytes;
  return { end: Math.min(end, log.length), frameBytes };
}

function tornAt(log: Buffer, at: number, frameBytes: number, harm: (typeof harms)[number]): Buffer {
  const torn = Buffer.from(log);
  switch (harm) {
    case 'cut':
      return torn.subarray(0, at + 100);
    case 'zeroed':
      return torn.fill(0, at + frameBytes / 2);
    case 'garbled':
      return torn.fill(0x5a, at + 512, at + 1_024);
    case 'its header garbled':
      return torn.fill(0x5a, at + 16, at + 24);
  }
}
