// The contract of the port, on every adapter: in memory, in a file that has not been written since
// the last note, and in a file that has.
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type ActionEvent, type ObservedWord } from '@action-ledger/domain';
import { createMemoryEventStore } from '@action-ledger/event-store';
import { createVirtualRuntime } from '@action-ledger/testkit';
import {
  createFolder,
  createWorld,
  done,
  doubt,
  finish,
  type Folder,
  idOf,
  orderKey,
  plan,
  send,
  undone,
  type World,
} from '../test-support/world.ts';
import {
  type ActionIndex,
  type ActionRow,
  createMemoryActionIndex,
  type ObservedFilter,
  type UnknownFilter,
  unknownPlace,
} from './index.ts';

interface Opened {
  readonly index: ActionIndex;
  /** Awaited after each note. */
  readonly noted?: () => Promise<void>;
}

const adapters: Readonly<Record<string, (folder: Folder, world: World) => Promise<Opened>>> = {
  memory: async () => ({ index: createMemoryActionIndex() }),
  'file, noted': async (folder, world) => ({ index: await folder.open(world.store) }),
  'file, written': async (folder, world) => {
    const index = await folder.open(world.store);
    return { index, noted: () => index.flush() };
  },
};

describe.each(Object.entries(adapters))('action index (%s)', (_name, open) => {
  let folder: Folder;
  let world: World;
  let index: ActionIndex;

  beforeEach(async () => {
    folder = createFolder(createVirtualRuntime());
    world = createWorld(createMemoryEventStore());
    const opened = await open(folder, world);
    ({ index } = opened);
    world.tell(index, opened.noted);
  });
  afterEach(async () => {
    await index.close();
    folder.remove();
  });

  it('is empty at first', () => {
    expect(index.list({ limit: 10 })).toEqual([]);
    expect(index.openActions()).toEqual([]);
    expect(index.undoable(orderKey('t-1', 'o-1'))).toEqual([]);
    expect(index.ownerOfExternalId('t-1', 'book', 'x-1')).toBeUndefined();
  });

  it('tells all of a row, and leaves out what is not known', async () => {
    await world.append('a', plan({ call: { run: 'r-1' } }), ...send);
    expect(index.list({ limit: 1 })).toEqual([
      {
        action: idOf('a'),
        tenant: 't-1',
        tool: 'book',
        run: 'r-1',
        epoch: 0,
        status: 'dispatched',
        guarantee: 'natural',
        attempts: 1,
        plannedAt: 1_010,
        updatedAt: 1_010,
        revision: 2,
        incidents: 0,
      },
    ]);
    await world.append('a', doubt);
    expect(index.list({ limit: 1 })[0]).toMatchObject({
      status: 'unknown',
      owner: 'reconciler',
      nextCheckAt: 7,
      updatedAt: 1_020,
      revision: 3,
    });
    await world.append('a', {
      type: 'ActionReconciled',
      data: { verdict: 'found', by: 'r', externalId: 'x' },
    });
    const [row] = index.list({ limit: 1 });
    expect(row).toMatchObject({ status: 'succeeded', externalId: 'x' });
    expect(row).not.toHaveProperty('owner');
  });

  it('gives what is not known by owner and age, page by page, as it is now', async () => {
    const toOperator: ActionEvent = {
      type: 'OwnerAssigned',
      data: { owner: 'operator', nextCheckAt: 9, reason: 'nobody can ask' },
    };
    for (const name of ['a', 'b', 'c', 'd'])
      await world.append(name, plan({ tenant: 't-1', tool: name === 'd' ? 'pay' : 'book' }));
    for (const name of ['c', 'b', 'a', 'd']) await world.append(name, ...send, doubt);
    await world.append('d', toOperator);
    await world.append('e', plan({ tenant: 't-2' }), ...send, doubt);
    const all = index.unknowns({ tenant: 't-1', limit: 10 });
    expect(all.map(({ action }) => action)).toEqual(['d', 'c', 'b', 'a'].map(idOf));
    const place = unknownPlace(all[1] ?? (all[0] as ActionRow));
    const named = (filter: Partial<UnknownFilter>): readonly string[] =>
      index.unknowns({ tenant: 't-1', limit: 10, ...filter }).map(({ action }) => action);
    expect(named({ after: place })).toEqual(['b', 'a'].map(idOf));
    expect(named({ after: place, limit: 1 })).toEqual(['b'].map(idOf));
    expect(named({ owner: 'operator' })).toEqual(['d'].map(idOf));
    expect(named({ owner: 'reconciler', tool: 'pay' })).toEqual([]);
    await world.append('c', toOperator);
    expect(named({})).toEqual(['c', 'd', 'b', 'a'].map(idOf));
    await world.append('c', {
      type: 'ActionReconciled',
      data: { verdict: 'found', by: 'r', externalId: 'x' },
    });
    expect(named({})).toEqual(['d', 'b', 'a'].map(idOf));
  });

  it('lists by tenant, tool, status and run, newest first, up to the limit', async () => {
    await finish(world, 'a', { tenant: 't-1', tool: 'book', call: { run: 'r-1' } });
    await finish(world, 'b', { tenant: 't-2', tool: 'book', call: { run: 'r-1' } });
    await world.append('c', plan({ tenant: 't-1', tool: 'pay', call: { run: 'r-2' } }));
    await finish(world, 'd', { tenant: 't-1', tool: 'pay', call: { run: 'r-2' } });
    const listed = (filter: Omit<Parameters<ActionIndex['list']>[0], 'limit'>, limit = 10) =>
      index.list({ ...filter, limit }).map(({ action }) => action);
    const ids = (...names: readonly string[]) => names.map(idOf);
    expect(listed({})).toEqual(ids('d', 'c', 'b', 'a'));
    expect(listed({}, 2)).toEqual(ids('d', 'c'));
    expect(listed({}, 0)).toEqual([]);
    expect(listed({ tenant: 't-1' })).toEqual(ids('d', 'c', 'a'));
    expect(listed({ tool: 'book' })).toEqual(ids('b', 'a'));
    expect(listed({ tenant: 't-1', tool: 'book' })).toEqual(ids('a'));
    expect(listed({ status: 'succeeded' })).toEqual(ids('d', 'b', 'a'));
    expect(listed({ status: 'ready' })).toEqual(ids('c'));
    expect(listed({ tenant: 't-1', status: 'ready' })).toEqual(ids('c'));
    expect(listed({ tenant: 't-2', status: 'ready' })).toEqual([]);
    expect(listed({ run: 'r-2' })).toEqual(ids('d', 'c'));
    expect(listed({ run: 'r-2', status: 'ready', tenant: 't-1', tool: 'pay' })).toEqual(ids('c'));
    await world.append('c', ...send);
    expect(listed({ status: 'ready' })).toEqual([]);
    expect(listed({ status: 'dispatched' })).toEqual(ids('c'));
  });

  it('goes on from a list that was cut: planned then or earlier', async () => {
    for (const name of ['a', 'b', 'c']) await finish(world, name, { tenant: 't-1', tool: 'pay' });
    const all = index.list({ limit: 10 });
    expect(all).toHaveLength(3);
    for (const { plannedAt } of all)
      for (const filter of [{}, { tenant: 't-1' }, { tenant: 't-1', tool: 'pay' }])
        expect(index.list({ ...filter, plannedUntil: plannedAt, limit: 10 })).toEqual(
          all.filter((row) => row.plannedAt <= plannedAt),
        );
    expect(index.list({ plannedUntil: (all.at(-1)?.plannedAt ?? 0) - 1, limit: 10 })).toEqual([]);
  });

  it('sums up what was only observed, and lists of what it would have held back as many as are asked for', async () => {
    const observe = async (name: string, would: ObservedWord, tenant = 't-1', tool = 'book') => {
      const data = { tenant, tool, guarantee: 'observed', observed: { would } } as const;
      const { plannedAt } = await world.append(name, plan(data), ...send);
      await world.append(name, done());
      return plannedAt;
    };
    await finish(world, 'kept', { tenant: 't-1' });
    await observe('a', 'duplicate');
    await observe('b', 'send');
    const since = await observe('c', 'conflict');
    await observe('d', 'duplicate', 't-1', 'pay');
    await observe('e', 'denied', 't-2');
    const summed = (filter: Partial<ObservedFilter>) => {
      const { would, heldBack } = index.observed({ limit: 10, ...filter });
      const numbers = Object.entries(would).filter(([, number]) => number > 0);
      return [Object.fromEntries(numbers), heldBack.map(({ action }) => action)];
    };
    const ids = (...names: readonly string[]) => names.map(idOf);
    const all = { send: 1, duplicate: 2, conflict: 1, denied: 1 };
    expect(summed({})).toEqual([all, ids('e', 'd', 'c', 'a')]);
    expect(summed({ limit: 2 })).toEqual([all, ids('e', 'd')]);
    expect(summed({ limit: 0 })).toEqual([all, []]);
    const own = { send: 1, duplicate: 2, conflict: 1 };
    expect(summed({ tenant: 't-1' })).toEqual([own, ids('d', 'c', 'a')]);
    const book = { tenant: 't-1', tool: 'book' };
    expect(summed(book)).toEqual([{ ...own, duplicate: 1 }, ids('c', 'a')]);
    expect(summed({ ...book, since })).toEqual([{ conflict: 1 }, ids('c')]);
    expect(summed({ since })).toEqual([
      { conflict: 1, duplicate: 1, denied: 1 },
      ids('e', 'd', 'c'),
    ]);
    expect(index.observed({ tenant: 't-2', limit: 1 }).heldBack[0]).toMatchObject({
      status: 'succeeded',
      observed: { would: 'denied' },
    });
    // Noted again, it is both in the file and not written.
    for (const action of world.actions.values()) index.note(action, []);
    expect(summed({})).toEqual([all, ids('e', 'd', 'c', 'a')]);
  });

  it('counts as open what could not be compensated: a person looks after it', async () => {
    await world.append('a', plan(), ...send, done('x-1'));
    expect(index.openActions()).toEqual([]);
    await world.append('a', { type: 'CompensationPlanned', data: { by: 'undoer' } });
    await world.append('a', {
      type: 'CompensationFailed',
      data: { by: 'undoer', reason: 'refused', owner: 'operator', nextCheckAt: 7 },
    });
    expect(index.list({ limit: 1 })[0]).toMatchObject({
      status: 'compensation_failed',
      owner: 'operator',
    });
    expect(index.openActions()).toEqual([idOf('a')]);
    await world.append('a', { type: 'ActionCompensated', data: { by: 'undoer' } });
    expect(index.openActions()).toEqual([]);
  });

  it('knows what is open, and what is not but has an incident', async () => {
    await world.append('a', plan());
    await finish(world, 'b');
    expect(index.openActions()).toEqual([idOf('a')]);
    await world.append('b', {
      type: 'IncidentOpened',
      data: { incident: 'i', reason: 'late', owner: 'operator', nextCheckAt: 1 },
    });
    expect([...index.openActions()].sort()).toEqual([idOf('a'), idOf('b')].sort());
    await world.append('b', {
      type: 'IncidentClosed',
      data: { incident: 'i', by: 'ann', reason: '' },
    });
    await world.append('a', { type: 'ActionExpired', data: { reason: 'old' } });
    expect(index.openActions()).toEqual([]);
  });

  it('finds what can be undone, oldest first, until it is undone', async () => {
    await world.append('a', plan({ arguments: { order: 'o-1' } }), ...send);
    await finish(world, 'b', { arguments: { order: 'o-1' } });
    await finish(world, 'other order', { arguments: { order: 'o-2' } });
    await finish(world, 'other tenant', { tenant: 't-2', arguments: { order: 'o-1' } });
    expect(index.undoable(orderKey('t-1', 'o-1'))).toEqual([idOf('b')]);
    await world.append('a', done());
    expect(index.undoable(orderKey('t-1', 'o-1'))).toEqual([idOf('a'), idOf('b')]);
    await world.append('a', undone);
    expect(index.undoable(orderKey('t-1', 'o-1'))).toEqual([idOf('b')]);
    await world.append('b', { type: 'CompensationPlanned', data: { by: 'undoer' } });
    expect(index.undoable(orderKey('t-1', 'o-1'))).toEqual([]);
  });

  it('names the first that recorded an external id, for each tenant and tool', async () => {
    await world.append('early', plan(), ...send);
    await finish(world, 'first', { externalId: 'x-1' });
    await world.append('early', done('x-1'));
    await finish(world, 'elsewhere', { tenant: 't-2', externalId: 'x-1' });
    expect(index.ownerOfExternalId('t-1', 'book', 'x-1')).toBe(idOf('first'));
    expect(index.ownerOfExternalId('t-2', 'book', 'x-1')).toBe(idOf('elsewhere'));
    expect(index.ownerOfExternalId('t-1', 'pay', 'x-1')).toBeUndefined();
  });

  it('knows an action by its downstream key, and by the ids of its outcome and of proven reports', async () => {
    const sent = (downstreamKey: string): readonly ActionEvent[] =>
      send.map((event) =>
        event.type === 'ActionDispatched'
          ? { ...event, data: { ...event.data, downstreamKey } }
          : event,
      );
    const evidence = (claims: 'success' | 'note', externalId: string): ActionEvent => ({
      type: 'EvidenceRecorded',
      data: { source: 'webhook', claims, externalId },
    });
    const byKey = (value: string, tenant = 't-1'): readonly string[] =>
      index.knownAs({ as: 'downstream key', tenant, value });
    const byId = (value: string, tool = 'book'): readonly string[] =>
      index.knownAs({ as: 'external id', tenant: 't-1', tool, value });
    await world.append('a', plan(), ...sent('k-a'));
    await world.append('b', plan(), ...sent('k-b'), evidence('success', 'x-2'));
    await world.append('b', evidence('note', 'x-3'), done('x-1'));
    await world.append('theirs', plan({ tenant: 't-2' }), ...sent('k-c'), done('x-1'));
    expect([byKey('k-a'), byKey('k-b'), byKey('k-c'), byKey('k-c', 't-2')]).toEqual([
      [idOf('a')],
      [idOf('b')],
      [],
      [idOf('theirs')],
    ]);
    expect([byId('x-1'), byId('x-2'), byId('x-3'), byId('x-1', 'pay')]).toEqual([
      [idOf('b')],
      [idOf('b')],
      [],
      [],
    ]);
    await world.append('a', done('x-1'));
    await world.append('c', plan(), ...sent('k-d'), done('x-1'));
    // More than one is all that needs to be known.
    expect(byId('x-1')).toEqual([idOf('a'), idOf('b')]);
  });

  it('passes over a stream that only reserves a name', async () => {
    await world.append('old name', { type: 'NameReserved', data: { action: idOf('a') } });
    expect(index.list({ limit: 10 })).toEqual([]);
  });

  it('can be closed twice', async () => {
    await index.close();
    await index.close();
  });
});
