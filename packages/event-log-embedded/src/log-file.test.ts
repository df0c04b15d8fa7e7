import { copyFileSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { actionTopics, eventPlaceOf } from '@action-ledger/event-log';
import {
  createMemoryEventStore,
  type EventStore,
  type MemoryEventStore,
} from '@action-ledger/event-store';
import { createVirtualRuntime, type VirtualRuntime } from '@action-ledger/testkit';
import { createDeadLetters } from './dead-letters.ts';
import { type EmbeddedEventLog, openEmbeddedEventLog } from './index.ts';
import { openLogFile } from './log-file.ts';
import { createOffsets } from './offsets.ts';

const events = actionTopics.events;
let folder: string;
let path: string;
let runtime: VirtualRuntime;
let store: MemoryEventStore;
let faults: string[];
const open: EmbeddedEventLog[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'event-log-'));
  path = join(folder, 'ledger.db.log');
  runtime = createVirtualRuntime();
  store = createMemoryEventStore();
  faults = [];
});
afterEach(async () => {
  for (const log of open.splice(0)) await log.close();
  rmSync(folder, { recursive: true });
});

async function openLog(
  options: { path?: string; store?: EventStore; partitions?: number } = {},
): Promise<EmbeddedEventLog> {
  const log = await openEmbeddedEventLog({
    store,
    path,
    runtime,
    ...options,
    onFault: (where) => faults.push(where),
  });
  open.push(log);
  return log;
}

async function append(streams: readonly string[], to: EventStore = store): Promise<void> {
  for (const stream of streams) {
    minted += 1;
    const event = { id: `e${minted}`, type: 'T', data: '{}', metadata: '{"at":7}' };
    await to.append(stream, 'no stream', [event]);
  }
}
let minted = 0;

const names = (name: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `${name}-${index}`);

/** What a group gets until nothing more comes, as streams. */
async function read(log: EmbeddedEventLog, group = 'g'): Promise<readonly string[]> {
  const seen: string[] = [];
  const consumer = await log.consume({
    group,
    topics: [events],
    from: 'start',
    handler: async (records) => {
      seen.push(...records.map((record) => eventPlaceOf(record)?.stream ?? '?'));
    },
  });
  await runtime.settle();
  await consumer.close();
  return seen.sort();
}

/** The files as a crash leaves them. */
function copyOf(file: string): string {
  const copy = `${file}.crashed`;
  for (const end of ['', '-wal'])
    if (existsSync(`${file}${end}`)) copyFileSync(`${file}${end}`, `${copy}${end}`);
  return copy;
}

describe('offsets after a crash', () => {
  it('are at most 250 ms old: what was handled since comes again, and nothing is lost', async () => {
    const log = await openLog();
    await append(names('a', 10));
    await log.consume({
      group: 'g',
      topics: [events],
      from: 'start',
      handler: async () => undefined,
    });
    await runtime.advance(250);
    expect(await read(await openLog({ path: copyOf(path) }))).toEqual([]);
    await append(names('b', 10));
    await runtime.settle();
    rmSync(`${path}.crashed`);
    expect(await read(await openLog({ path: copyOf(path) }))).toEqual(names('b', 10));
  });

  it('are written once for all records of that time', async () => {
    const log = await openLog();
    await log.consume({
      group: 'g',
      topics: [events],
      from: 'start',
      handler: async () => undefined,
    });
    await runtime.advance(250);
    const others = runtime.pendingTimers();
    for (let round = 0; round < 20; round += 1) {
      await append([`r-${round}`]);
      await runtime.settle();
      expect(runtime.pendingTimers()).toBe(others + 1);
    }
    await runtime.advance(250);
    expect(runtime.pendingTimers()).toBe(others);
  });

  it('that could not be written are told of, and written later', async () => {
    const file = await openLogFile({ path, store, partitions: 2, tellFault: () => undefined });
    const offsets = createOffsets({
      file,
      runtime,
      tellFault: (where) => faults.push(where),
      seen: () => undefined,
    });
    file.db.exec('alter table offsets rename to away');
    offsets.set('g', { topic: events, partition: 1 }, 5);
    await runtime.advance(600);
    expect(faults).toEqual(['writing offsets', 'writing offsets']);
    await expect(offsets.flush()).rejects.toMatchObject({ code: 'log.unavailable', retry: 'safe' });
    file.db.exec('alter table away rename to offsets');
    offsets.set('g', { topic: events, partition: 1 }, 6);
    await runtime.advance(250);
    expect(file.db.prepare('select next from offsets').all()).toMatchObject([{ next: 6 }]);
    offsets.close();
    file.close();
  });
});

describe('a log file', () => {
  beforeEach(async () => {
    await append(names('a', 10));
    const log = await openLog();
    expect(await read(log)).toEqual(names('a', 10));
    await log.close();
  });

  it('that is whole goes on where it was', async () => {
    expect(await read(await openLog())).toEqual([]);
    expect(faults).toEqual([]);
  });

  it.each<[string, () => void]>([
    ['deleted', () => undefined],
    [
      'no database',
      () => {
        writeFileSync(path, 'x'.repeat(10_000));
      },
    ],
    [
      'of another version',
      () => {
        copyFileSync(`${path}.kept`, path);
        change('pragma user_version = 99');
      },
    ],
    [
      'of another program',
      () => {
        copyFileSync(`${path}.kept`, path);
        change('pragma application_id = 7');
      },
    ],
    [
      'without its table',
      () => {
        copyFileSync(`${path}.kept`, path);
        change('drop table dead_letters');
      },
    ],
  ])('that is %s brings every record again; what lay there is kept aside', async (what, damage) => {
    copyFileSync(path, `${path}.kept`);
    for (const end of ['', '-wal']) rmSync(`${path}${end}`, { force: true });
    damage();
    expect(await read(await openLog())).toEqual(names('a', 10));
    expect(existsSync(`${path}.old`)).toBe(what !== 'deleted');
    expect(faults).toEqual(what === 'deleted' ? [] : ['opening the log file']);
  });

  it('brings everything again where the store went back in time, or is another one', async () => {
    const backup = createMemoryEventStore({ events: store.events().slice(0, 4) });
    expect(await read(await openLog({ store: backup }))).toEqual(names('a', 4));
    await append(names('b', 20), backup);
    for (const log of open.splice(0)) await log.close();
    const other = createMemoryEventStore();
    await append(names('c', 40), other);
    expect(await read(await openLog({ store: other }))).toEqual([...names('c', 40)].sort());
  });

  it('brings everything again where an offset lies beyond the end of the store', async () => {
    change(`update offsets set next = 999`);
    expect(await read(await openLog())).toEqual(names('a', 10));
  });

  it.each([1, 3, 16])('loses nothing where the partitions become %d', async (partitions) => {
    await append(names('b', 40));
    const before = await openLog();
    const waiting: string[] = [];
    const slow = await before.consume({
      group: 'g',
      topics: [events],
      from: 'start',
      handler: async (records, { partition }) => {
        if (partition !== 5) return;
        waiting.push(...records.map((record) => eventPlaceOf(record)?.stream ?? '?'));
        throw Object.assign(new Error('away'), { retry: 'safe' });
      },
    });
    await runtime.settle();
    await slow.close();
    await before.close();
    expect(waiting.length).toBeGreaterThan(0);
    const log = await openLog({ partitions });
    expect(await read(log)).toEqual(expect.arrayContaining(waiting));
    await log.close();
    expect(await read(await openLog({ partitions }))).toEqual([]);
  });

  it('is held by one log at a time', async () => {
    const log = await openLog();
    await expect(openLog()).rejects.toMatchObject({ code: 'log.held', retry: 'safe' });
    await log.close();
    expect(await read(await openLog())).toEqual([]);
  });

  it('that cannot be created is a fault', async () => {
    await expect(openLog({ path: join(folder, 'none', 'x.log') })).rejects.toMatchObject({
      code: 'log.unavailable',
    });
  });

  function change(sql: string): void {
    const db = new DatabaseSync(path);
    db.exec(sql);
    db.close();
  }
});

describe('dead letters', () => {
  it('are bounded: the newest 10,000 of a topic are kept', async () => {
    const file = await openLogFile({ path, store, partitions: 2, tellFault: () => undefined });
    const letters = createDeadLetters(file, () => undefined);
    const value = new Uint8Array([1, 2]);
    for (let number = 1; number <= 10_003; number += 1) {
      await letters.add({ topic: 't.dlq', key: `k${number}`, value });
    }
    await letters.add({ topic: 'other.dlq', key: 'o', value: undefined, headers: { a: 'b' } });
    const place = { topic: 't.dlq', partition: 0 };
    expect(await letters.waiting(place, 0)).toBe(10_000);
    expect(await letters.end(place)).toBe(10_004);
    const { records } = await letters.read({ ...place, from: 0, max: 1 });
    expect(records).toMatchObject([{ key: 'k4', offset: 4, headers: {} }]);
    const other = await letters.read({ topic: 'other.dlq', partition: 0, from: 0, max: 9 });
    expect(other).toMatchObject({ next: 2, records: [{ key: 'o', headers: { a: 'b' } }] });
    expect(other.records[0]?.value).toBeUndefined();
    file.close();
  });
});
