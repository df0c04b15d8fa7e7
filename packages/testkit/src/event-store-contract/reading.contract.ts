// Reading a stream and reading all: complete, in order, byte for byte, from any place.
import { describe, expect, it } from '@jest/globals';
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

export function readStreamContract(withStore: WithStore): void {
  describe('readStream', () => {
    it(
      'is empty where there is no such stream',
      withStore(async (store) => {
        await given(store, { 'action-a': 1 });
        expect(await store.readStream('action-b')).toEqual([]);
      }),
    );

    it(
      'gives the events of one stream in order, from any revision on',
      withStore(async (store) => {
        await given(store, { 'action-a': 3, 'action-b': 2 });
        await store.append('action-a', 2, newEvents(1));
        await store.append('action-a', 3, newEvents(4));
        for (const from of run(0, 10)) {
          expect(revisions(await store.readStream('action-a', from))).toEqual(
            run(from, Math.max(0, 8 - from)),
          );
        }
        expect(positions(await store.readStream('action-a'))).toEqual([1, 2, 3, 6, 7, 8, 9, 10]);
      }),
    );

    it(
      'keeps streams apart whose names resemble each other',
      withStore(async (store) => {
        const names = [
          'action-a.0',
          'action-a.1',
          'action-a',
          'action-A',
          'tool-a',
          'workflow-ä',
          "q-'",
        ];
        for (const name of names) await store.append(name, 'no stream', [newEvent({ type: 'T' })]);
        for (const [index, name] of names.entries()) {
          expect(await store.readStream(name)).toMatchObject([
            { stream: name, position: index + 1 },
          ]);
        }
      }),
    );

    it(
      'gives a long stream whole',
      withStore(async (store) => {
        for (const n of run(0, 50)) {
          await store.append('tool-refund', n === 0 ? 'no stream' : n * 3 - 1, newEvents(3));
        }
        expect(revisions(await store.readStream('tool-refund'))).toEqual(run(0, 150));
        expect(revisions(await store.readStream('tool-refund', 148))).toEqual([148, 149]);
      }),
    );
  });
}

const awkwardTexts: readonly string[] = [
  '{}',
  'null',
  '""',
  '"~0,0,"',
  '{"a":"line\\nbreak","b":"tab\\t"}',
  '{"emoji":"🧾","umlaut":"ä","euro":"€","line":"\u2028"}',
  '{"10":1,"9":2}',
  '{"number":1e21,"small":1e-7}',
  '  {"not":"canonical"}  ',
  `{"long":"${'x'.repeat(5000)}"}`,
];

export function byteForByteContract(withStore: WithStore): void {
  it(
    'gives data and metadata back byte for byte, whatever its neighbours in the append are',
    withStore(async (store) => {
      const events = awkwardTexts.flatMap((data) =>
        awkwardTexts.map((metadata) => newEvent({ data, metadata })),
      );
      for (const [index, at] of run(0, 10).entries()) {
        const some = events.slice(at * 10, at * 10 + 10);
        await store.append(`action-${index}`, 'no stream', some);
        const stored = await store.readStream(`action-${index}`);
        expect(
          stored.map(({ id, type, data, metadata }) => ({ id, type, data, metadata })),
        ).toEqual(some);
      }
      expect(ids(await readEverything(store))).toEqual(ids(events));
    }),
  );
}

export function readAllContract(withStore: WithStore): void {
  describe('readAll', () => {
    it(
      'is empty in an empty store and at the head',
      withStore(async (store) => {
        expect(await store.readAll({ after: 0, max: 10 })).toEqual([]);
        await given(store, { 'action-a': 3 });
        expect(await store.readAll({ after: 3, max: 10 })).toEqual([]);
        expect(await store.readAll({ after: 99, max: 10 })).toEqual([]);
      }),
    );

    it(
      'gives the events of all streams in the order of their appends, at most `max` after any position',
      withStore(async (store) => {
        await given(store, { 'action-a': 3, 'tool-b': 1, 'action-c': 4, 'workflow-d': 2 });
        for (const after of run(0, 11)) {
          for (const max of [1, 2, 3, 5, 100]) {
            const expected = run(after + 1, Math.min(max, 10 - after));
            expect(positions(await store.readAll({ after, max }))).toEqual(expected);
          }
        }
        const counts: Record<string, number> = {};
        for (const { stream } of await readEverything(store))
          counts[stream] = (counts[stream] ?? 0) + 1;
        expect(Object.entries(counts)).toEqual([
          ['action-a', 3],
          ['tool-b', 1],
          ['action-c', 4],
          ['workflow-d', 2],
        ]);
      }),
    );

    it(
      'agrees with readStream and head, and is the same in pages of any size',
      withStore(async (store) => {
        await Promise.all(
          run(0, 60).map((n) =>
            store.append(`action-${n % 20}`, 'no stream', newEvents(1 + (n % 5))),
          ),
        );
        const all = await readEverything(store, 1000);
        for (const page of [1, 3, 7, 64]) expect(await readEverything(store, page)).toEqual(all);
        for (const n of run(0, 20)) {
          const stream = `action-${n}`;
          expect(await store.readStream(stream)).toEqual(all.filter((e) => e.stream === stream));
        }
        expect(await store.head()).toBe(all.length);
      }),
    );
  });
}
