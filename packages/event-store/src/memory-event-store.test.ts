import { describe, expect, it } from '@jest/globals';
import { eventStoreContract } from '@action-ledger/testkit';
import { createMemoryEventStore } from './memory-event-store.ts';

eventStoreContract('memory', async () => {
  const store = createMemoryEventStore();
  return {
    store,
    reopen: async () =>
      createMemoryEventStore({ events: store.events(), givenUp: store.allGivenUp() }),
  };
});

const event = { id: 'e1', type: 'ActionPlanned', data: '{}', metadata: '{}' };

describe('a memory store opened with what another one held', () => {
  it('is ready at its mark and recovering below it', async () => {
    const store = createMemoryEventStore();
    await store.append('action-a', 'no stream', [event]);
    await store.append('action-b', 'no stream', [event]);
    const backup = store.events().slice(0, 1);
    expect(createMemoryEventStore({ events: backup, mark: 1 }).condition()).toEqual({
      kind: 'ready',
    });
    expect(createMemoryEventStore({ events: backup, mark: 2 }).condition()).toEqual({
      kind: 'recovering',
      reason: 'The store ends at position 1, but was known to hold 2.',
      mark: 2,
      head: 1,
    });
  });

  it('FW25 is ready once an operator has confirmed', async () => {
    const store = createMemoryEventStore({ mark: 2 });
    await store.confirmRecovered?.();
    expect(store.condition()).toEqual({ kind: 'ready' });
  });

  it('does not change the other one', async () => {
    const store = createMemoryEventStore();
    await store.append('action-a', 'no stream', [event]);
    const copy = createMemoryEventStore({ events: store.events() });
    await copy.append('action-a', 0, [event]);
    expect([await store.head(), await copy.head()]).toEqual([1, 2]);
  });
});
