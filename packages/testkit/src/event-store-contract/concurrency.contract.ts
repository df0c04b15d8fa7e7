/* eslint-disable max-lines-per-function -- a suite is a list of sentences, as in a test file */
// Many callers at once: an append is whole or absent, one caller wins a revision, and a conflict is
// the matter of its caller only.
import { describe, expect, it } from '@jest/globals';
import { type AppendResult, type EventStore } from '@action-ledger/event-store';
import {
  given,
  ids,
  newEvent,
  newEvents,
  positions,
  readEverything,
  revisions,
  run,
  type WithStore,
} from './contract-harness.ts';

export function concurrencyContract(withStore: WithStore): void {
  describe('appends of many callers at once', () => {
    it(
      'FW01 exactly one of 64 callers creates the stream',
      withStore(async (store) => {
        const tries = run(0, 64).map(() => newEvents(3));
        const results = await Promise.all(
          tries.map((events) => store.append('action-a', 'no stream', events)),
        );
        const winner = results.findIndex((result) => result.kind === 'appended');
        expect(results.filter((result) => result.kind === 'appended')).toHaveLength(1);
        expect(ids(await store.readStream('action-a'))).toEqual(ids(tries[winner] ?? []));
      }),
    );

    it(
      'exactly one of 64 callers writes the next revision',
      withStore(async (store) => {
        await given(store, { 'action-a': 2 });
        const results = await Promise.all(
          run(0, 64).map(() => store.append('action-a', 1, newEvents(1))),
        );
        expect(results.filter((result) => result.kind === 'appended')).toHaveLength(1);
        expect(revisions(await store.readStream('action-a'))).toEqual([0, 1, 2]);
      }),
    );

    it(
      'one append, given 16 times at once, is stored once and answered 16 times',
      withStore(async (store) => {
        const events = newEvents(2);
        const results = await Promise.all(
          run(0, 16).map(() => store.append('action-a', 'no stream', events)),
        );
        expect(results.every((result) => result.kind === 'appended')).toBe(true);
        expect(results.filter(isFirst)).toHaveLength(1);
        expect(await store.head()).toBe(2);
      }),
    );

    it(
      'a chain of appends to one stream, given without waiting, is taken in the order given',
      withStore(async (store) => {
        const results = await Promise.all([
          store.append('action-a', 'no stream', newEvents(3)),
          store.append('action-a', 2, newEvents(1)),
          store.append('action-a', 3, newEvents(2)),
        ]);
        expect(results.every(isFirst)).toBe(true);
        expect(revisions(await store.readStream('action-a'))).toEqual(run(0, 6));
      }),
    );

    it(
      'conflicts, repeats and faults of some leave the others alone',
      withStore(async (store) => {
        const repeated = newEvent();
        await store.append('action-a', 'no stream', [repeated]);
        const results = await Promise.allSettled([
          store.append('action-b', 'no stream', newEvents(2)),
          store.append('action-a', 'no stream', newEvents(1)),
          store.append('action-a', 'no stream', [repeated]),
          store.append('action-c', 'no stream', []),
          store.append('action-c', 'no stream', newEvents(1)),
        ]);
        expect(results.map(outcome)).toEqual(['first', 'conflict', 'repeat', 'fault', 'first']);
        expect(positions(await readEverything(store))).toEqual([1, 2, 3, 4]);
      }),
    );
    racingWriters(withStore);
  });
}

function racingWriters(withStore: WithStore): void {
  it(
    'F117 racing writers that read and retry lose no append and leave no gap',
    withStore(async (store) => {
      const writers = 8;
      const appends = 6;
      await Promise.all(run(0, writers).map(() => writeWithRetries(store, 'action-a', appends)));
      const stored = await store.readStream('action-a');
      expect(revisions(stored)).toEqual(run(0, writers * appends * 2));
      expect(new Set(ids(stored)).size).toBe(stored.length);
    }),
  );

  it(
    'positions rise without gaps over 400 streams, and the events of one append stay together',
    withStore(async (store) => {
      await Promise.all(
        run(0, 400).map(async (n) =>
          store.append(`action-${n}`, 'no stream', newEvents(1 + (n % 4))),
        ),
      );
      const all = await readEverything(store);
      expect(positions(all)).toEqual(run(1, 1000));
      for (const [index, event] of all.entries()) {
        if (event.revision > 0) expect(all[index - 1]?.stream).toBe(event.stream);
      }
    }),
  );
}

async function writeWithRetries(store: EventStore, stream: string, appends: number) {
  const triesMax = 1000;
  let done = 0;
  for (let tries = 0; done < appends && tries < triesMax; tries += 1) {
    const last = (await store.readStream(stream)).at(-1)?.revision;
    const result = await store.append(stream, last ?? 'no stream', newEvents(2));
    if (result.kind === 'appended') done += 1;
  }
}

function isFirst(result: AppendResult): boolean {
  return result.kind === 'appended' && !result.repeated;
}

function outcome(result: PromiseSettledResult<AppendResult>): string {
  if (result.status === 'rejected') return 'fault';
  if (result.value.kind === 'conflict') return 'conflict';
  return result.value.repeated ? 'repeat' : 'first';
}
