import { describe, expect, it } from '@jest/globals';
import { createMemoryEventStore, type RecordedEvent } from '@action-ledger/event-store';
import { newEvents } from './contract-harness.ts';
import { createFaultScript, createFaultyEventStore } from './faulty-event-store.ts';
import { eventStoreContract } from './index.ts';

eventStoreContract('memory, wrapped without faults', async () => ({
  store: createFaultyEventStore(createMemoryEventStore(), createFaultScript()),
}));

describe('createFaultyEventStore', () => {
  const unavailable = { code: 'store.unavailable', retry: 'unsafe' };

  it('loses an append, or stores it and says otherwise, and both look alike', async () => {
    const { store, faulty, script } = given();
    script.onAppend({ kind: 'not stored' });
    script.onAppend({ kind: 'stored, error raised' });
    await expect(faulty.append('a', 'no stream', newEvents(1))).rejects.toMatchObject(unavailable);
    expect(await store.head()).toBe(0);
    await expect(faulty.append('a', 'no stream', newEvents(1))).rejects.toMatchObject(unavailable);
    expect(await store.head()).toBe(1);
    expect(script.pending()).toBe(0);
  });

  it('F107 stores an append and tells of a conflict with a senseless revision', async () => {
    const { store, faulty, script } = given();
    script.onAppend({ kind: 'stored, conflict told' });
    expect(await faulty.append('a', 'no stream', newEvents(1))).toMatchObject({ kind: 'conflict' });
    expect(await store.head()).toBe(1);
  });

  it('asks late, answers late, or never', async () => {
    const { store, faulty, script } = given();
    let release: () => void = () => undefined;
    const until = new Promise<void>((resolve) => {
      release = resolve;
    });
    script.onAppend({ kind: 'asked late', until });
    script.onAppend({ kind: 'answered late', until });
    script.onAppend({ kind: 'never answered' });
    const answered: string[] = [];
    for (const stream of ['late', 'slow', 'silent', 'sound']) {
      void faulty.append(stream, 'no stream', newEvents(1)).then(() => answered.push(stream));
    }
    await turn();
    expect(answered).toEqual(['sound']);
    expect(store.events().map((event) => event.stream)).toEqual(['slow', 'silent', 'sound']);
    release();
    await turn();
    expect(answered.toSorted()).toEqual(['late', 'slow', 'sound']);
  });

  it('meets only the calls it is meant for', async () => {
    const { faulty, script } = given();
    script.onAppend({ kind: 'not stored' }, ({ stream }) => stream === 'b');
    script.onRead(undefined, (call) => call.kind === 'stream' && call.stream === 'a');
    expect(await faulty.append('a', 'no stream', newEvents(1))).toMatchObject({ revision: 0 });
    await expect(faulty.append('b', 'no stream', newEvents(1))).rejects.toThrow('injected');
    expect(await faulty.head()).toBe(1);
    await expect(faulty.readStream('a')).rejects.toThrow('injected');
    expect(await faulty.readStream('a')).toHaveLength(1);
  });

  it.each(['lose', 'drop'] as const)('can %s a subscription', async (delivery) => {
    const { faulty, script } = given();
    const seen: RecordedEvent[] = [];
    const faults: unknown[] = [];
    faulty.subscribe(0, {
      onEvents: (events) => void seen.push(...events),
      onDropped: (fault) => faults.push(fault),
    });
    await faulty.append('a', 'no stream', newEvents(1));
    await turn();
    script.onDelivery(delivery);
    await faulty.append('b', 'no stream', newEvents(1));
    await turn();
    await faulty.append('c', 'no stream', newEvents(1));
    await turn();
    expect(seen.map((event) => event.stream)).toEqual(['a']);
    expect(faults).toHaveLength(delivery === 'drop' ? 1 : 0);
  });
});

function given() {
  const store = createMemoryEventStore();
  const script = createFaultScript();
  return { store, script, faulty: createFaultyEventStore(store, script) };
}

function turn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
