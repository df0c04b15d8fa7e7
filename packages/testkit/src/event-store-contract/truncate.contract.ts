/* eslint-disable max-lines-per-function -- a suite is a list of sentences, as in a test file */
// Giving up the beginning of a stream: what is left reads as before, and what is gone is never taken
// for something that has not happened.
import { describe, expect, it } from '@jest/globals';
import { type EventStore, type RecordedEvent } from '@action-ledger/event-store';
import {
  expectWritten,
  given,
  newEvent,
  newEvents,
  positions,
  readEverything,
  revisions,
  run,
  type WithStore,
} from './contract-harness.ts';

export function truncateContract(withStore: WithStore): void {
  describe('truncate', () => {
    it(
      'gives up the events of a stream below a revision, whatever appends they came in',
      withStore(async (store) => {
        await given(store, { 'action-a': 3, 'action-b': 4 });
        await store.append('action-a', 2, newEvents(4));
        const before = await readEverything(store);
        for (const cut of run(0, 7)) {
          await store.truncate([{ stream: 'action-a', before: cut }]);
          const left = before.filter(({ stream, revision }) => isLeft(stream, revision, cut));
          expect(await readEverything(store)).toEqual(left);
          for (const from of run(0, 8))
            expect(await store.readStream('action-a', from)).toEqual(
              left.filter((event) => event.stream === 'action-a' && event.revision >= from),
            );
        }
        expect(revisions(await store.readStream('action-b'))).toEqual(run(0, 4));
        expect(await store.head()).toBe(11);
      }),
    );

    it(
      'leaves a stream that goes on where it ended, and is not new',
      withStore(async (store) => {
        await given(store, { 'action-a': 3 });
        await store.truncate([{ stream: 'action-a', before: 2 }]);
        const conflict = { kind: 'conflict', actual: 2 };
        expect(await store.append('action-a', 'no stream', newEvents(1))).toEqual(conflict);
        expect(await store.append('action-a', 3, newEvents(1))).toEqual(conflict);
        expect(await store.append('action-a', 2, newEvents(2))).toEqual({
          kind: 'appended',
          revision: 4,
          position: 5,
          repeated: false,
        });
        expect(positions(await store.readStream('action-a'))).toEqual([3, 4, 5]);
      }),
    );

    it(
      'finds the repeat of an append that is left, and none of one that is gone',
      withStore(async (store) => {
        const [a, b, c, d] = [newEvent(), newEvent(), newEvent(), newEvent()];
        await store.append('action-a', 'no stream', [a, b]);
        await store.append('action-a', 1, [c]);
        await store.append('action-a', 2, [d]);
        await store.truncate([{ stream: 'action-a', before: 2 }]);
        const conflict = { kind: 'conflict', actual: 3 };
        expect(await store.append('action-a', 'no stream', [a, b])).toEqual(conflict);
        expect(await store.append('action-a', 0, [b])).toEqual(conflict);
        expect(await store.append('action-a', 0, [b, c])).toEqual(conflict);
        // Their ids are stored, but not where this append wants them.
        expect(await store.append('action-a', 'no stream', [c])).toEqual(conflict);
        expect(await store.append('action-a', 0, [c, d])).toEqual(conflict);
        expect(await store.append('action-a', 1, [c])).toEqual({
          kind: 'appended',
          revision: 2,
          position: 3,
          repeated: true,
        });
      }),
    );

    it(
      'changes nothing where as much was cut before',
      withStore(async (store) => {
        await given(store, { 'action-a': 5 });
        await store.truncate([{ stream: 'action-a', before: 3 }]);
        for (const before of run(0, 4)) await store.truncate([{ stream: 'action-a', before }]);
        expect(revisions(await store.readStream('action-a'))).toEqual([3, 4]);
      }),
    );

    it(
      'refuses to leave nothing of a stream, and cuts none of the others then',
      withStore(async (store) => {
        await given(store, { 'action-a': 2, 'action-b': 2 });
        const cut = { stream: 'action-a', before: 1 };
        for (const wrong of [
          { stream: 'action-b', before: 2 },
          { stream: 'action-c', before: 0 },
          { stream: 'action-b', before: -1 },
          { stream: 'action-b', before: 0.5 },
        ])
          await expect(store.truncate([cut, wrong])).rejects.toMatchObject({
            code: 'store.invalid-append',
            retry: 'never',
          });
        expect(revisions(await store.readStream('action-a'))).toEqual([0, 1]);
      }),
    );

    it(
      'passes over what is gone in any page, however much it is',
      withStore(async (store) => {
        const streams = run(0, 60).map((n) => `action-${n}`);
        await Promise.all(
          streams.map((stream, n) => store.append(stream, 'no stream', newEvents(2 + (n % 5)))),
        );
        const isCut = (stream: string): boolean => Number(stream.slice(7)) % 10 !== 0;
        const lastOf = lastRevisions(await readEverything(store));
        const left = (await readEverything(store)).filter(
          ({ stream, revision }) => !isCut(stream) || revision === lastOf.get(stream),
        );
        const cuts = streams
          .filter(isCut)
          .map((stream) => ({ stream, before: lastOf.get(stream) ?? 0 }));
        await store.truncate(cuts);
        for (const page of [1, 2, 7, 500]) expect(await readEverything(store, page)).toEqual(left);
        expect(await followed(store)).toEqual(left);
      }),
    );

    it(
      'says which places were given up, where it has no other gaps',
      withStore(async (store) => {
        await given(store, { 'action-a': 3, 'action-b': 2 });
        await store.append('action-a', 2, newEvents(1));
        await store.truncate([{ stream: 'action-a', before: 2 }]);
        if (store.givenUp === undefined) return;
        expect(await placesOf(store, 0, 6)).toEqual(['action-a 0 at 1', 'action-a 1 at 2']);
        expect(await placesOf(store, 1, 6)).toContain('action-a 1 at 2');
        expect(await placesOf(store, 2, 6)).toEqual([]);
        expect((await store.checkIndex?.())?.faults ?? []).toEqual([]);
      }),
    );

    it(
      'keeps it so when it is opened again',
      withStore(async (store, { reopen }) => {
        await given(store, { 'action-a': 3, 'action-b': 2 });
        await store.truncate([
          { stream: 'action-a', before: 2 },
          { stream: 'action-b', before: 1 },
        ]);
        const left = await readEverything(store);
        if (reopen === undefined) return;
        const again = await reopen();
        expect(again.condition()).toEqual({ kind: 'ready' });
        expect(await readEverything(again)).toEqual(left);
        if (again.givenUp !== undefined) expect(await placesOf(again, 0, 5)).toHaveLength(3);
        expect(await again.append('action-a', 'no stream', newEvents(1))).toMatchObject({
          kind: 'conflict',
        });
        expectWritten(await again.append('action-b', 1, newEvents(1)));
        await again.close();
      }),
    );
  });
}

function isLeft(stream: string, revision: number, cut: number): boolean {
  return stream !== 'action-a' || revision >= cut;
}

function lastRevisions(events: readonly RecordedEvent[]): ReadonlyMap<string, number> {
  return new Map(events.map(({ stream, revision }) => [stream, revision]));
}

/** Event by event. */
async function placesOf(
  store: EventStore,
  after: number,
  through: number,
): Promise<readonly string[]> {
  const found = (await store.givenUp?.({ after, through })) ?? [];
  return found.flatMap(({ stream, revision, position, count }) =>
    run(0, count).map((n) => `${stream} ${revision + n} at ${position + n}`),
  );
}

/** What a new subscriber gets. */
async function followed(store: EventStore): Promise<readonly RecordedEvent[]> {
  const events: RecordedEvent[] = [];
  await new Promise<void>((resolve, reject) => {
    store.subscribe(0, {
      onEvents: (batch) => {
        events.push(...batch);
      },
      onCaughtUp: resolve,
      onDropped: reject,
    });
  });
  return events;
}
