import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  createMemoryEventStore,
  type EventStore,
  type RecordedEvent,
  StoreFault,
} from '@action-ledger/event-store';
import { createVirtualRuntime, type VirtualRuntime } from '@action-ledger/testkit';
import {
  createFolder,
  createWorld,
  done,
  finish,
  type Folder,
  idOf,
  matchesOf,
  orderKey,
  plan,
  send,
  undone,
  type World,
} from '../test-support/world.ts';
import {
  type ActionIndex,
  followViews,
  type SideEntry,
  type SqliteActionIndex,
  type ViewsFollower,
} from './index.ts';

let folder: Folder;
let runtime: VirtualRuntime;
let world: World;
const open: SqliteActionIndex[] = [];

beforeEach(() => {
  runtime = createVirtualRuntime();
  folder = createFolder(runtime);
  world = createWorld();
});
afterEach(async () => {
  for (const index of open.splice(0)) await index.close();
  folder.remove();
});

async function openIndex(
  store: EventStore = world.store,
  options: Parameters<Folder['open']>[1] = {},
): Promise<SqliteActionIndex> {
  const index = await folder.open(store, options);
  open.push(index);
  return index;
}

const listed = (index: ActionIndex): readonly string[] =>
  index.list({ limit: 100 }).map(({ action, revision }) => `${action}:${revision}`);
const at = (name: string, revision: number): string => `${idOf(name)}:${revision}`;

/** What is in the file alone. */
function stored(path = folder.path): readonly string[] {
  const db = new DatabaseSync(path, { readOnly: true });
  const rows = db.prepare('select action, revision from actions order by position desc').all();
  db.close();
  return rows.map(({ action, revision }) => `${String(action)}:${String(revision)}`);
}

describe('opening a views file', () => {
  it('goes on where an earlier process closed it, without folding anything again', async () => {
    await finish(world, 'a');
    await (await openIndex()).close();
    await finish(world, 'b');
    const reads: number[] = [];
    const store = watched(world.store, (after) => reads.push(after));
    const index = await openIndex(store);
    expect(listed(index)).toEqual([at('b', 3), at('a', 3)]);
    // The last event seen, then the tail.
    expect(reads).toEqual([3, 4, 8]);
  });

  it('catches up after a crash: the file is older than the store', async () => {
    const index = await openIndex();
    world.tell(index);
    await finish(world, 'a');
    await index.flush();
    await world.append('b', plan({ arguments: { order: 'o-1' } }), ...send);
    const copy = `${folder.path}.crashed`;
    for (const end of ['', '-wal']) copyFileSync(`${folder.path}${end}`, `${copy}${end}`);
    expect(stored(copy)).toEqual([at('a', 3)]);
    const next = await openIndex(world.store, { path: copy });
    expect(listed(next)).toEqual([at('b', 2), at('a', 3)]);
    expect(next.openActions()).toEqual([idOf('b')]);
    // What was in flight at the crash is folded from its stream.
    world.tell(next);
    await world.append('b', done('x-1'));
    await next.flush();
    expect(next.ownerOfExternalId('t-1', 'book', 'x-1')).toBe(idOf('b'));
    expect(next.undoable(orderKey('t-1', 'o-1'))).toContain(idOf('b'));
  });

  it.each<[string, (path: string) => void]>([
    [
      'deleted',
      (path) => {
        rmSync(path);
      },
    ],
    [
      'of a newer version',
      (path) => {
        change(path, 'pragma user_version = 99');
      },
    ],
    [
      'of an older version',
      (path) => {
        change(path, 'pragma user_version = 0');
      },
    ],
    [
      'of another program',
      (path) => {
        change(path, 'pragma application_id = 7');
      },
    ],
    [
      'no database',
      (path) => {
        writeFileSync(path, 'x'.repeat(10_000));
      },
    ],
    [
      'empty',
      (path) => {
        writeFileSync(path, '');
      },
    ],
    [
      'cut short',
      (path) => {
        writeFileSync(path, readFileSync(path).subarray(0, 10_000));
      },
    ],
    [
      'without one of its tables',
      (path) => {
        change(path, 'drop table undoable');
      },
    ],
    [
      'without one of its columns',
      (path) => {
        change(path, 'alter table actions drop column outcome_at');
      },
    ],
  ])('fills a file anew that is %s', async (_what, damage) => {
    await finish(world, 'a', { arguments: { order: 'o-1' } });
    await world.append('b', plan());
    await (await openIndex()).close();
    damage(folder.path);
    const index = await openIndex();
    expect(listed(index)).toEqual([at('b', 0), at('a', 3)]);
    expect(index.undoable(orderKey('t-1', 'o-1'))).toEqual([idOf('a')]);
    await index.close();
    expect(stored()).toEqual([at('b', 0), at('a', 3)]);
  });

  it('fills it anew where undoers find actions by other rules', async () => {
    await finish(world, 'a', { arguments: { order: 'o-1' } });
    await (await openIndex(world.store, { matchesOf: () => [], matchRules: 'none' })).close();
    const index = await openIndex();
    expect(index.undoable(orderKey('t-1', 'o-1'))).toEqual([idOf('a')]);
  });

  it('fills it anew where the store has gone back in time, or is another one', async () => {
    await finish(world, 'a');
    const backup = world.store.events();
    await finish(world, 'b');
    await (await openIndex()).close();
    const restored = createMemoryEventStore({ events: backup });
    const behind = await openIndex(restored);
    expect(listed(behind)).toEqual([at('a', 3)]);
    await behind.close();
    const other = createWorld(createMemoryEventStore(), { at: 50_000 });
    for (const name of ['c', 'd', 'e']) await finish(other, name);
    expect(listed(await openIndex(other.store))).toEqual([at('e', 3), at('d', 3), at('c', 3)]);
  });

  it('reads fewer events at a time where they are large', async () => {
    const large = 'x'.repeat(100_000);
    for (let each = 0; each < 120; each += 1)
      await world.append(`large-${each}`, plan({ arguments: { large } }));
    const sizes: number[] = [];
    const { store } = world;
    const index = await openIndex({
      ...store,
      readAll: (range) => {
        sizes.push(range.max);
        return store.readAll(range);
      },
    });
    expect(sizes).toEqual([100, 25, 50]);
    expect(index.list({ limit: 200 })).toHaveLength(120);
  });

  it('throws what the store throws, and works when the store does', async () => {
    await finish(world, 'a');
    const away = new StoreFault('store.unavailable', 'safe', 'away');
    const store = { ...world.store, readAll: async () => Promise.reject(away) };
    await expect(folder.open(store)).rejects.toBe(away);
    expect(listed(await openIndex())).toEqual([at('a', 3)]);
  });
});

describe('writing in the background', () => {
  it('writes what was noted within 250 ms, once for each action', async () => {
    const index = await openIndex();
    world.tell(index);
    await finish(world, 'a');
    await world.append('b', plan());
    expect(stored()).toEqual([]);
    await runtime.advance(250);
    expect(stored()).toEqual([at('b', 0), at('a', 3)]);
    expect(runtime.pendingTimers()).toBe(0);
    // What is written is let go: the file is asked from now on.
    change(folder.path, 'update actions set revision = 0');
    expect(listed(index)).toEqual([at('b', 0), at('a', 0)]);
  });

  it('knows who recorded an external id first, wherever that is noted', async () => {
    const slow = createSlowFollower();
    const index = await openIndex(world.store, { startFollower: slow.start });
    world.tell(index);
    await finish(world, 'written', { externalId: 'x-1' });
    await index.flush();
    await note(60);
    await finish(world, 'sealed', { externalId: 'x-2' });
    await finish(world, 'second', { externalId: 'x-1' });
    await runtime.advance(250);
    await finish(world, 'third', { externalId: 'x-2' });
    const owner = (id: string) => index.ownerOfExternalId('t-1', 'book', id);
    expect([owner('x-1'), owner('x-2')]).toEqual([idOf('written'), idOf('sealed')]);
    await slow.goOn();
    await slow.goOn();
    await runtime.advance(250);
    await slow.goOn();
    await slow.goOn();
    expect([owner('x-1'), owner('x-2')]).toEqual([idOf('written'), idOf('sealed')]);
    const closed = index.close();
    await slow.goOn();
    await slow.goOn();
    await closed;
  });

  it('answers by what was noted before, during and after a write', async () => {
    const slow = createSlowFollower();
    const index = await openIndex(world.store, { startFollower: slow.start });
    world.tell(index);
    await note(60);
    await finish(world, 'a', { arguments: { order: 'o-1' }, externalId: 'x-1' });
    expect(index.undoable(orderKey('t-1', 'o-1'))).toEqual([idOf('a')]);
    await runtime.advance(250);
    await world.append('a', undone);
    await finish(world, 'b', { arguments: { order: 'o-2' }, externalId: 'x-1' });
    const check = (): void => {
      expect(listed(index).slice(0, 2)).toEqual([at('b', 3), at('a', 4)]);
      expect(index.undoable(orderKey('t-1', 'o-1'))).toEqual([]);
      expect(index.ownerOfExternalId('t-1', 'book', 'x-1')).toBe(idOf('a'));
      expect(index.openActions()).toHaveLength(60);
    };
    check();
    expect(stored()).toEqual([]);
    await slow.goOn();
    check();
    expect(stored()).toHaveLength(62);
    await slow.goOn();
    check();
    await runtime.advance(250);
    await slow.goOn();
    await slow.goOn();
    check();
    const closed = index.close();
    await slow.goOn();
    await slow.goOn();
    await closed;
  });

  it('leaves much to a thread, once, and little to itself', async () => {
    let started = 0;
    const startFollower = (): undefined => void (started += 1);
    const index = await openIndex(world.store, { startFollower });
    world.tell(index);
    await note(50);
    await runtime.advance(250);
    expect([started, stored().length]).toEqual([0, 50]);
    for (const round of ['x', 'y']) {
      await note(51, round);
      await runtime.advance(250);
    }
    expect([started, stored().length]).toEqual([1, 152]);
  });

  it('goes on by itself when the thread fails, keeps what was noted, and says so', async () => {
    const faults: unknown[] = [];
    const broken = new Error('the thread is gone');
    const follower = { advance: () => Promise.reject(broken), close: () => Promise.resolve() };
    const index = await openIndex(world.store, {
      startFollower: () => follower,
      onFault: (_where, fault) => faults.push(fault),
    });
    world.tell(index);
    await note(60);
    await runtime.advance(250);
    expect(faults).toEqual([broken]);
    expect(stored()).toEqual([]);
    expect(listed(index)).toHaveLength(60);
    await runtime.advance(5_000);
    expect(stored()).toHaveLength(60);
  });

  it('follows on by itself what the thread has followed until it failed', async () => {
    let isBroken = false;
    const startFollower = (): ViewsFollower => {
      const follower = followViews({ path: folder.path, store: world.store, matchesOf });
      return {
        advance: async (sides) => {
          if (isBroken) throw new Error('the thread is gone');
          return follower.advance(sides);
        },
        close: () => follower.close(),
      };
    };
    const index = await openIndex(world.store, { startFollower });
    world.tell(index);
    await world.append('a', plan());
    await index.flush();
    await note(60);
    await world.append('a', ...send);
    await index.flush();
    isBroken = true;
    await world.append('a', done());
    await index.flush();
    expect(stored()).toContain(at('a', 2));
    await index.flush();
    expect(stored()).toContain(at('a', 3));
  });

  it('closes after a fault, and the next one finds everything', async () => {
    const faults: string[] = [];
    const store = { ...world.store };
    const index = await openIndex(store, { onFault: (where) => faults.push(where) });
    world.tell(index);
    await finish(world, 'a');
    store.head = () => Promise.reject(new StoreFault('store.closed', 'never', 'closed'));
    await index.close();
    expect(faults).toEqual(['writing the views']);
    expect(listed(await openIndex())).toEqual([at('a', 3)]);
  });

  async function note(count: number, prefix = 'n'): Promise<void> {
    for (let each = 0; each < count; each += 1) await world.append(`${prefix}-${each}`, plan());
  }
});

describe('side entries', () => {
  const entry = (at: number): SideEntry => ({
    at,
    tenant: 't-1',
    tool: 'book',
    action: idOf('a'),
    kind: 'duplicate',
    reason: 'again',
    call: { run: 'r-1', call: `c-${at}` },
  });
  const times = (entries: readonly SideEntry[]): readonly number[] =>
    entries.map((each) => each.at);
  const range = (from: number, count: number): readonly SideEntry[] =>
    Array.from({ length: count }, (_, index) => entry(from + index));

  it('are told newest first, before and after they are written and after a restart', async () => {
    const index = await openIndex();
    index.addSideEntries(range(1, 3));
    expect(index.recentSideEntries(2)).toEqual([entry(3), entry(2)]);
    await runtime.advance(2_500);
    index.addSideEntries(range(4, 1));
    expect(times(index.recentSideEntries(3))).toEqual([4, 3, 2]);
    expect(index.earlierSideEntries(9)).toEqual([]);
    await index.close();
    const next = await openIndex();
    next.addSideEntries(range(5, 1));
    expect(times(next.recentSideEntries(9))).toEqual([5, 4, 3, 2, 1]);
    expect(times(next.earlierSideEntries(2))).toEqual([4, 3]);
  });

  it('are bounded, in the file and on the way to it', async () => {
    const index = await openIndex();
    index.addSideEntries(range(1, 9_000));
    await index.flush();
    index.addSideEntries(range(9_001, 12_000));
    await index.flush();
    expect(times(index.recentSideEntries(20_000))).toHaveLength(10_000);
    expect(times(index.recentSideEntries(1))).toEqual([21_000]);
  });
});

describe('damage in the store', () => {
  const damaged = (change: (event: RecordedEvent) => RecordedEvent | undefined): EventStore =>
    createMemoryEventStore({ events: world.store.events().flatMap((each) => change(each) ?? []) });
  const isLastOf = (name: string, event: RecordedEvent): boolean =>
    event.stream === `action-${idOf(name)}` && event.revision === 3;

  it.each<[string, Partial<RecordedEvent>]>([
    ['is no JSON', { data: '{"attempt":1,' }],
    ['has damaged metadata', { metadata: 'null' }],
    ['cannot follow', { type: 'ActionApproved', data: '{"voters":[]}' }],
    ['is of no known type', { type: 'ActionTeleported' }],
    ['has no data', { data: 'null' }],
  ])('passes over an event that %s, and what follows it in its stream', async (_what, change) => {
    await finish(world, 'a');
    await finish(world, 'b');
    // It could follow, if nothing were missing before it.
    await world.append('a', { type: 'EvidenceRecorded', data: { source: 'w', claims: 'note' } });
    const store = damaged((event) => (isLastOf('a', event) ? { ...event, ...change } : event));
    const index = await openIndex(store);
    expect(listed(index)).toEqual([at('b', 3), at('a', 2)]);
    expect(index.openActions()).toEqual([idOf('a')]);
  });

  it('passes over what was edited into something that is no action', async () => {
    await finish(world, 'a');
    await finish(world, 'b');
    const store = damaged((event) =>
      event.type === 'ActionPlanned' && event.stream.includes(idOf('a'))
        ? { ...event, data: '{"tenant":["t-1"],"call":{"run":7}}' }
        : event,
    );
    expect(listed(await openIndex(store))).toEqual([at('b', 3)]);
  });

  it('passes over a row that cannot be read, and over its stream from there on', async () => {
    await finish(world, 'a');
    await finish(world, 'b');
    const { store } = world;
    const unreadable: EventStore = {
      ...store,
      readAll: async ({ after, max }) => {
        const events = (await store.readAll({ after, max })).filter(({ position }) => position < 5);
        if (events.length > 0) return events;
        if (after >= 7) return store.readAll({ after, max });
        const detail = { stream: `action-${idOf('b')}`, position: 5, through: 7 };
        throw new StoreFault('store.corrupt', 'never', 'unreadable', { detail });
      },
      readStream: async (stream) => {
        if (stream.includes(idOf('b')))
          throw new StoreFault('store.corrupt', 'never', 'unreadable');
        return store.readStream(stream);
      },
    };
    await world.append('c', plan());
    const index = await openIndex(unreadable);
    expect(listed(index)).toEqual([at('c', 0), at('a', 3)]);
    await index.close();
    expect(listed(await openIndex(unreadable))).toEqual([at('c', 0), at('a', 3)]);
  });
});

function change(path: string, sql: string): void {
  const db = new DatabaseSync(path);
  db.exec(sql);
  db.exec('pragma wal_checkpoint(truncate)');
  db.close();
}

function watched(store: EventStore, onRead: (after: number) => void): EventStore {
  return {
    ...store,
    readAll: (options) => {
      onRead(options.after);
      return store.readAll(options);
    },
  };
}

/** Stands for the thread: each write waits for the test before it begins and before it is told. */
function createSlowFollower() {
  const gates: (() => void)[] = [];
  const gate = (): Promise<void> => new Promise((resolve) => gates.push(resolve));
  return {
    start: (): ViewsFollower => {
      const follower = followViews({ path: folder.path, store: world.store, matchesOf });
      return {
        advance: async (sides) => {
          await gate();
          const reached = await follower.advance(sides);
          await gate();
          return reached;
        },
        close: () => follower.close(),
      };
    },
    goOn: async (): Promise<void> => {
      await runtime.settle();
      gates.shift()?.();
      await runtime.settle();
    },
  };
}
