/* eslint-disable max-lines-per-function -- a suite is a list of sentences, as in a test file */
// Bounds and refusals: what cannot be stored is refused with a fault that says so, before anything
// is written; a closed store answers every call with one.
import { describe, expect, it } from '@jest/globals';
import {
  eventBytesMax,
  eventsPerAppendMax,
  type ExpectedRevision,
  type NewEvent,
} from '@action-ledger/event-store';
import {
  expectWritten,
  newEvent,
  newEvents,
  revisions,
  run,
  type WithStore,
} from './contract-harness.ts';

export function limitsContract(withStore: WithStore): void {
  describe('limits', () => {
    it(
      'takes the largest append, and refuses one event more',
      withStore(async (store) => {
        expectWritten(await store.append('action-a', 'no stream', newEvents(eventsPerAppendMax)));
        expect(revisions(await store.readStream('action-a'))).toEqual(run(0, eventsPerAppendMax));
        await expect(
          store.append('action-b', 'no stream', newEvents(eventsPerAppendMax + 1)),
        ).rejects.toMatchObject({ code: 'store.too-large', retry: 'never' });
        expect(await store.head()).toBe(eventsPerAppendMax);
      }),
    );

    it(
      'takes the largest event, counted in bytes, and refuses one byte more',
      withStore(async (store) => {
        const metadata = '{}';
        const largest = (filling: string, bytesEach: number, more = 0) => {
          const room = eventBytesMax - metadata.length - 2 + more;
          const data = `"${filling.repeat(Math.floor(room / bytesEach))}${'x'.repeat(room % bytesEach)}"`;
          return [newEvent({ data, metadata })];
        };
        for (const [n, [filling, bytesEach]] of (
          [
            ['x', 1],
            ['€', 3],
          ] as const
        ).entries()) {
          const fits = largest(filling, bytesEach);
          expectWritten(await store.append(`action-${n}`, 'no stream', fits));
          expect((await store.readStream(`action-${n}`))[0]?.data).toBe(fits[0]?.data);
          await expect(
            store.append('action-c', 'no stream', largest(filling, bytesEach, 1)),
          ).rejects.toMatchObject({ code: 'store.too-large', retry: 'never' });
        }
        expect(await store.head()).toBe(2);
      }),
    );

    const refused: readonly (readonly [string, string, ExpectedRevision, readonly NewEvent[]])[] = [
      ['no events', 'action-a', 'no stream', []],
      ['an empty stream name', '', 'no stream', newEvents(1)],
      ['a reserved stream name', '$all', 'no stream', newEvents(1)],
      ['a stream name with a line break', 'action-\n', 'no stream', newEvents(1)],
      ['a stream name with a lone surrogate', 'action-\ud800', 'no stream', newEvents(1)],
      ['a stream name of 256 characters', 'a'.repeat(256), 'no stream', newEvents(1)],
      ['a negative revision', 'action-a', -1, newEvents(1)],
      ['half a revision', 'action-a', 0.5, newEvents(1)],
      ['a revision that is no number', 'action-a', Number.NaN, newEvents(1)],
      ['an empty id', 'action-a', 'no stream', [newEvent({ id: '' })]],
      ['an id with a space', 'action-a', 'no stream', [newEvent({ id: 'a b' })]],
      ['an empty type', 'action-a', 'no stream', [newEvent({ type: '' })]],
      ['empty data', 'action-a', 'no stream', [newEvent({ data: '' })]],
      ['data with a raw line break', 'action-a', 'no stream', [newEvent({ data: '{\n}' })]],
      ['data with a lone surrogate', 'action-a', 'no stream', [newEvent({ data: '"\udc00"' })]],
      ['metadata with a NUL', 'action-a', 'no stream', [newEvent({ metadata: '"\0"' })]],
      [
        'one bad event among good ones',
        'action-a',
        'no stream',
        [newEvent(), newEvent({ data: '' })],
      ],
    ];
    it.each(refused)('refuses %s, and stores nothing', async (_, stream, expected, events) => {
      await withStore(async (store) => {
        await expect(store.append(stream, expected, events)).rejects.toMatchObject({
          code: 'store.invalid-append',
          retry: 'never',
        });
        expect(await store.head()).toBe(0);
      })();
    });
  });
}

export function closingContract(withStore: WithStore): void {
  describe('a closed store', () => {
    const closed = { code: 'store.closed', retry: 'never' };

    it(
      'answers every call with a fault, and closing again is harmless',
      withStore(async (store) => {
        await store.append('action-a', 'no stream', newEvents(1));
        await store.close();
        await store.close();
        await expect(store.append('action-a', 0, newEvents(1))).rejects.toMatchObject(closed);
        await expect(store.readStream('action-a')).rejects.toMatchObject(closed);
        await expect(store.readAll({ after: 0, max: 1 })).rejects.toMatchObject(closed);
        await expect(store.head()).rejects.toMatchObject(closed);
        const cut = { stream: 'action-a', before: 0 };
        await expect(store.truncate([cut])).rejects.toMatchObject(closed);
        expect(() => store.subscribe(0, { onEvents: () => undefined })).toThrow('closed');
        expect(store.condition().kind).toBe('ready');
      }),
    );

    it(
      'has stored the appends that were given before, or has said that it has not',
      withStore(async (store, { reopen }) => {
        const appends = run(0, 20).map((n) =>
          store.append(`action-${n}`, 'no stream', newEvents(2)),
        );
        const [settled] = await Promise.all([Promise.allSettled(appends), store.close()]);
        const stored = settled.filter((one) => one.status === 'fulfilled').length;
        const refusals = settled.filter((one) => one.status === 'rejected');
        for (const { reason } of refusals)
          expect(reason).toMatchObject({ code: 'store.closed', retry: 'never' });
        if (reopen === undefined) return;
        const again = await reopen();
        expect(await again.head()).toBe(stored * 2);
        await again.close();
      }),
    );
  });
}

export function reopeningContract(withStore: WithStore): void {
  describe('a store opened again', () => {
    it(
      'is ready, holds the same events and takes the next append where it was left',
      withStore(async (store, { reopen }) => {
        if (reopen === undefined) return;
        const events = newEvents(3);
        await store.append('action-a', 'no stream', events);
        await store.append('action-b', 'no stream', newEvents(2));
        await store.append('action-a', 2, newEvents(1));
        const all = await store.readAll({ after: 0, max: 100 });
        const again = await reopen();
        expect(again.condition()).toEqual({ kind: 'ready' });
        expect(await again.readAll({ after: 0, max: 100 })).toEqual(all);
        expect(await again.append('action-a', 'no stream', events)).toMatchObject({
          repeated: true,
        });
        expect(await again.append('action-a', 2, newEvents(1))).toMatchObject({
          kind: 'conflict',
          actual: 3,
        });
        expect(await again.append('action-a', 3, newEvents(1))).toMatchObject({
          revision: 4,
          position: 7,
        });
        await again.close();
      }),
    );
  });
}
