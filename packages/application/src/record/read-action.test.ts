import { hash } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { type DecidedEvent, sealEvents } from '@action-ledger/codec';
import { chainStart, streamOfAction } from '@action-ledger/domain';
import {
  createMemoryEventStore,
  type EventStore,
  type MemoryEventStore,
} from '@action-ledger/event-store';
import { type KnownSoFar, readAction } from './read-action.ts';

const sha256 = (text: string): string => hash('sha256', text, 'base64url');
const id = `${'a'.repeat(43)}.0`;
const stream = streamOfAction(id);
const planned: DecidedEvent = {
  type: 'ActionPlanned',
  data: { tenant: 't', tool: 'pay', epoch: 0, arguments: { cents: 1 }, validUntil: 9_000 },
};
const cancelled: DecidedEvent = {
  type: 'ActionCancelled',
  data: { by: 'carol', byPerson: true, reason: 'no longer wanted' },
};

/** @returns a store with this stream, and from where each read of it began */
async function storeWith(events: readonly DecidedEvent[], nextId = ids()) {
  const store = createMemoryEventStore();
  const sealed = sealEvents({ sha256, nextId, at: 5 }, chainStart(stream), events);
  await store.append(stream, 'no stream', sealed.events);
  return watched(store);
}

function watched(store: MemoryEventStore) {
  const froms: number[] = [];
  const readStream: EventStore['readStream'] = (name, from = 0) => {
    froms.push(from);
    return store.readStream(name, from);
  };
  return { deps: { store: { ...store, readStream }, sha256 }, froms };
}

function ids(prefix = 'e'): () => string {
  let count = 0;
  return () => `${prefix}-${(count += 1)}`;
}

async function known(events: readonly DecidedEvent[]): Promise<KnownSoFar> {
  const read = await readAction((await storeWith(events)).deps, id, undefined);
  if (read.kind === 'broken') throw new Error(read.reason);
  return read;
}

it('reads and folds only what is new of an action that is known, to the same state', async () => {
  const { deps, froms } = await storeWith([planned, cancelled]);
  const whole = await readAction(deps, id, undefined);
  expect(whole).toMatchObject({ kind: 'folded', action: { status: 'cancelled', revision: 1 } });
  expect(await readAction(deps, id, await known([planned]))).toEqual(whole);
  expect(await readAction(deps, id, await known([planned, cancelled]))).toEqual(whole);
  expect(froms).toEqual([0, 0, 1]);
});

it('reads the whole where the stream does not go on from what is known', async () => {
  const other = await storeWith([planned], ids('other'));
  const read = await readAction(other.deps, id, await known([planned]));
  expect(read).toMatchObject({ kind: 'folded', action: { status: 'ready', revision: 0 } });
  expect(other.froms).toEqual([0, 0]);
  const shorter = await storeWith([planned]);
  const again = await readAction(shorter.deps, id, await known([planned, cancelled]));
  expect(again).toMatchObject({ kind: 'folded', action: { status: 'ready', revision: 0 } });
  expect(shorter.froms).toEqual([1, 0]);
});

it('finds what is new and does not continue the chain', async () => {
  const { deps } = await storeWith([planned, cancelled]);
  const [first, second] = await deps.store.readStream(stream);
  if (first === undefined || second === undefined) throw new Error('two events are stored');
  const edited = { ...second, data: second.data.replace('carol', 'mallory') };
  const changed = watched(createMemoryEventStore({ events: [first, edited] }));
  const read = await readAction(changed.deps, id, await known([planned]));
  expect(read).toMatchObject({ kind: 'broken', revision: 1, reason: 'edited, removed or moved' });
});
