/* eslint-disable max-lines-per-function -- a suite is a list of sentences, as in a test file */
// The append rules, one by one (reference: the write path of EventStoreDB). They decide whether a
// retry can double a fact, so every adapter answers every case alike.
import { describe, expect, it } from '@jest/globals';
import {
  expectWritten,
  given,
  ids,
  newEvent,
  newEvents,
  type WithStore,
} from './contract-harness.ts';

export function appendRulesContract(withStore: WithStore): void {
  describe('append to a new stream', () => {
    it(
      'is stored at revision 0 with `no stream`',
      withStore(async (store) => {
        const result = await store.append('action-a', 'no stream', newEvents(1));
        expect(result).toEqual({ kind: 'appended', revision: 0, position: 1, repeated: false });
      }),
    );

    it(
      'is a conflict at an exact revision, and nothing is stored',
      withStore(async (store) => {
        for (const expected of [0, 1, 7]) {
          const result = await store.append('action-a', expected, newEvents(1));
          expect(result).toEqual({ kind: 'conflict', actual: undefined });
        }
        expect(await store.head()).toBe(0);
      }),
    );
  });

  describe('append at the last revision', () => {
    it(
      'follows without gaps, and answers with the last event of the append',
      withStore(async (store) => {
        await store.append('action-a', 'no stream', newEvents(3));
        const result = await store.append('action-a', 2, newEvents(2));
        expect(result).toEqual({ kind: 'appended', revision: 4, position: 5, repeated: false });
      }),
    );

    it(
      'F105 does not look at ids: the same event again is a second event',
      withStore(async (store) => {
        const event = newEvent();
        expectWritten(await store.append('action-a', 'no stream', [event]));
        expectWritten(await store.append('action-a', 0, [event]));
        expect(ids(await store.readStream('action-a'))).toEqual([event.id, event.id]);
      }),
    );

    it(
      'F113 the same id in another stream is another event',
      withStore(async (store) => {
        const event = newEvent();
        expectWritten(await store.append('action-a', 'no stream', [event]));
        expectWritten(await store.append('action-b', 'no stream', [event]));
        expect(await store.append('action-a', 'no stream', [event])).toMatchObject({
          repeated: true,
        });
        expect(await store.append('action-b', 'no stream', [event])).toMatchObject({
          repeated: true,
        });
        expect(await store.head()).toBe(2);
      }),
    );
  });

  describe('append above the last revision', () => {
    it(
      'is a conflict, whatever the ids',
      withStore(async (store) => {
        const events = newEvents(2);
        await store.append('action-a', 'no stream', events);
        for (const expected of [2, 3, 1000]) {
          expect(await store.append('action-a', expected, events)).toEqual({
            kind: 'conflict',
            actual: 1,
          });
        }
        expect(await store.head()).toBe(2);
      }),
    );
  });
  belowTheLastRevision(withStore);
}

function belowTheLastRevision(withStore: WithStore): void {
  describe('append below the last revision', () => {
    it(
      'FW14 with the same ids at the same expected revision succeeds and writes nothing',
      withStore(async (store) => {
        const first = newEvents(3);
        const second = newEvents(2);
        await store.append('action-a', 'no stream', first);
        await given(store, { 'action-b': 1 });
        await store.append('action-a', 2, second);
        await store.append('action-a', 4, newEvents(1));
        expect(await store.append('action-a', 'no stream', first)).toEqual({
          kind: 'appended',
          revision: 2,
          position: 3,
          repeated: true,
        });
        expect(await store.append('action-a', 2, second)).toEqual({
          kind: 'appended',
          revision: 4,
          position: 6,
          repeated: true,
        });
        expect(await store.head()).toBe(7);
      }),
    );

    it(
      'compares ids only, never bodies, and keeps what was stored first',
      withStore(async (store) => {
        const event = newEvent({ data: '{"amount":1}' });
        await store.append('action-a', 'no stream', [event]);
        const other = { ...event, type: 'ActionDenied', data: '{"amount":2}', metadata: '{}' };
        const result = await store.append('action-a', 'no stream', [other]);
        expect(result).toMatchObject({ kind: 'appended', repeated: true });
        expect(await store.readStream('action-a')).toEqual([
          { ...event, stream: 'action-a', revision: 0, position: 1 },
        ]);
      }),
    );

    it(
      'is a conflict with other ids, another order, or more events than were stored',
      withStore(async (store) => {
        const [a, b] = [newEvent(), newEvent()];
        await store.append('action-a', 'no stream', [a, b]);
        const conflict = { kind: 'conflict', actual: 1 };
        expect(await store.append('action-a', 'no stream', newEvents(1))).toEqual(conflict);
        expect(await store.append('action-a', 'no stream', [b, a])).toEqual(conflict);
        expect(await store.append('action-a', 'no stream', [a, newEvent()])).toEqual(conflict);
        expect(await store.append('action-a', 'no stream', [a, b, newEvent()])).toEqual(conflict);
        expect(await store.append('action-a', 0, [a])).toEqual(conflict);
        expect(await store.head()).toBe(2);
      }),
    );

    it(
      'succeeds for the first events of a longer append, as EventStoreDB does',
      withStore(async (store) => {
        const [a, b, c] = [newEvent(), newEvent(), newEvent()];
        await store.append('action-a', 'no stream', [a, b, c]);
        expect(await store.append('action-a', 'no stream', [a, b])).toEqual({
          kind: 'appended',
          revision: 1,
          position: 2,
          repeated: true,
        });
        expect(await store.append('action-a', 0, [b])).toMatchObject({
          revision: 1,
          repeated: true,
        });
      }),
    );

    it(
      'finds a repeat that spans two earlier appends',
      withStore(async (store) => {
        const [a, b, c] = [newEvent(), newEvent(), newEvent()];
        await store.append('action-a', 'no stream', [a, b]);
        await store.append('action-a', 1, [c]);
        expect(await store.append('action-a', 0, [b, c])).toMatchObject({
          revision: 2,
          position: 3,
          repeated: true,
        });
      }),
    );
  });
}
