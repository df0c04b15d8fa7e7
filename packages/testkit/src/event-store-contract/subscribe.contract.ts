/* eslint-disable max-lines-per-function -- a suite is a list of sentences, as in a test file */
// Subscriptions: every event once and in order, from any position, across the switch from what was
// stored to what is appended meanwhile; a slow or broken subscriber harms only itself.
import { describe, expect, it } from '@jest/globals';
import { type EventStore, type RecordedEvent, type Subscription } from '@action-ledger/event-store';
import {
  given,
  givenAtOnce,
  newEvents,
  positions,
  run,
  type WithStore,
} from './contract-harness.ts';

export function subscribeContract(withStore: WithStore): void {
  describe('subscribe', () => {
    it(
      'gives what is stored after the position, then says that it has caught up',
      withStore(async (store) => {
        await given(store, { 'action-a': 3, 'action-b': 2 });
        for (const after of [0, 1, 3, 4]) {
          const seen = follow(store, after);
          await seen.caughtUp;
          expect(seen.positions()).toEqual(run(after + 1, 5 - after));
          seen.close();
        }
      }),
    );

    it(
      'catches up at once in an empty store and at the head, and then follows',
      withStore(async (store) => {
        const seen = follow(store, 0);
        await seen.caughtUp;
        expect(seen.positions()).toEqual([]);
        await given(store, { 'action-a': 2 });
        await seen.until(2);
        await given(store, { 'action-b': 1 });
        await seen.until(3);
        expect(seen.positions()).toEqual([1, 2, 3]);
        expect(seen.timesCaughtUp()).toBe(1);
      }),
    );

    it(
      'has handed over the subscription before the first event',
      withStore(async (store) => {
        await given(store, { 'action-a': 3 });
        const order: string[] = [];
        await new Promise<void>((resolve) => {
          store.subscribe(0, {
            onEvents: () => {
              order.push('event');
              resolve();
            },
          });
          order.push('subscribed');
        });
        expect(order).toEqual(['subscribed', 'event']);
      }),
    );

    it(
      'gives the same events as readStream does',
      withStore(async (store) => {
        const seen = follow(store, 0);
        await store.append('action-a', 'no stream', newEvents(3));
        await store.append('action-a', 2, newEvents(1));
        await seen.until(4);
        expect(seen.events()).toEqual(await store.readStream('action-a'));
      }),
    );

    it(
      'gives nothing more after close, and closing twice is harmless',
      withStore(async (store) => {
        const seen = follow(store, 0);
        await given(store, { 'action-a': 2 });
        await seen.until(2);
        seen.close();
        seen.close();
        const other = follow(store, 0);
        await given(store, { 'action-b': 2 });
        await other.until(4);
        expect(seen.positions()).toEqual([1, 2]);
      }),
    );
  });
  liveSwitch(withStore);
  troubledSubscribers(withStore);
}

function liveSwitch(withStore: WithStore): void {
  describe('subscribe while others append', () => {
    it(
      'F111 misses and doubles nothing across the switch to live, from any position',
      withStore(async (store) => {
        await givenAtOnce(store, streams('before', 300));
        const starts = [0, 1, 299, 599, 600];
        const seen = starts.map((after) => follow(store, after));
        await Promise.all(
          run(0, 20).map(async (n) => givenAtOnce(store, streams(`during-${n}`, 20))),
        );
        const late = follow(store, 500);
        await givenAtOnce(store, streams('after', 50));
        const total = 2 * (300 + 400 + 50);
        await Promise.all([...seen, late].map((subscriber) => subscriber.until(total)));
        for (const [index, after] of [...starts, 500].entries()) {
          const subscriber = [...seen, late][index];
          expect(subscriber?.positions()).toEqual(run(after + 1, total - after));
        }
      }),
    );

    it(
      'a slow subscriber gets bounded batches, one at a time, and loses nothing',
      withStore(async (store) => {
        let running = 0;
        const sizes: number[] = [];
        const seen = follow(store, 0, async (events) => {
          running += 1;
          expect(running).toBe(1);
          sizes.push(events.length);
          await turns(3);
          running -= 1;
        });
        for (const n of run(0, 10)) await givenAtOnce(store, streams(`s-${n}`, 100));
        await seen.until(2000);
        expect(seen.positions()).toEqual(run(1, 2000));
        expect(Math.max(...sizes)).toBeLessThanOrEqual(1024);
      }),
    );

    it(
      'a subscriber may append from its handler',
      withStore(async (store) => {
        const seen = follow(store, 0, async (events) => {
          for (const event of events.filter((one) => one.stream.startsWith('action-'))) {
            await store.append(`echo-${event.position}`, 'no stream', newEvents(1));
          }
        });
        await given(store, { 'action-a': 2 });
        await seen.until(4);
        expect(seen.positions()).toEqual([1, 2, 3, 4]);
      }),
    );
  });
}

function troubledSubscribers(withStore: WithStore): void {
  describe('a subscriber in trouble', () => {
    it(
      'that throws or rejects is dropped with its error, and the others and the appends go on',
      withStore(async (store) => {
        const throwing = follow(store, 0, () => {
          throw new Error('cannot handle it');
        });
        const rejecting = follow(store, 0, () => Promise.reject(new Error('nor can I')));
        const sound = follow(store, 0);
        await given(store, { 'action-a': 1 });
        expect(await throwing.dropped).toEqual(new Error('cannot handle it'));
        expect(await rejecting.dropped).toEqual(new Error('nor can I'));
        await given(store, { 'action-b': 1 });
        await sound.until(2);
        expect(throwing.positions()).toEqual([1]);
        expect(rejecting.positions()).toEqual([1]);
      }),
    );

    it(
      'that never returns holds up neither appends nor other subscribers',
      withStore(async (store) => {
        const stuck = follow(store, 0, () => new Promise<void>(() => undefined));
        const sound = follow(store, 0);
        await givenAtOnce(store, streams('s', 400));
        await sound.until(800);
        expect(stuck.positions().length).toBeLessThanOrEqual(1024);
        expect(sound.positions()).toEqual(run(1, 800));
      }),
    );

    it(
      'may close its subscription from its handler',
      withStore(async (store) => {
        const seen: Following = follow(store, 0, () => {
          seen.close();
        });
        const other = follow(store, 0);
        await given(store, { 'action-a': 1 });
        await other.until(1);
        await given(store, { 'action-b': 1 });
        await other.until(2);
        expect(seen.positions()).toEqual([1]);
      }),
    );

    it(
      'is told when the store is closed',
      withStore(async (store) => {
        const seen = follow(store, 0);
        await seen.caughtUp;
        await store.close();
        expect(await seen.dropped).toMatchObject({ code: 'store.closed' });
      }),
    );
  });
}

interface Following extends Subscription {
  readonly caughtUp: Promise<void>;
  /** Resolves with the fault. */
  readonly dropped: Promise<unknown>;
  /** Resolves once an event at or after this position was handled. */
  until(position: number): Promise<void>;
  events(): readonly RecordedEvent[];
  positions(): readonly number[];
  timesCaughtUp(): number;
}

function follow(
  store: EventStore,
  after: number,
  handle: (events: readonly RecordedEvent[]) => void | Promise<void> = () => undefined,
): Following {
  const events: RecordedEvent[] = [];
  const waiting: { readonly position: number; readonly resolve: () => void }[] = [];
  let timesCaughtUp = 0;
  const caughtUp = deferred<undefined>();
  const dropped = deferred<unknown>();
  const reached = (): number => events.at(-1)?.position ?? after;
  const answer = (): void => {
    for (const wait of waiting) if (wait.position <= reached()) wait.resolve();
  };
  const subscription = store.subscribe(after, {
    onEvents: async (batch) => {
      events.push(...batch);
      await handle(batch);
      answer();
    },
    onCaughtUp: () => {
      timesCaughtUp += 1;
      caughtUp.resolve(undefined);
    },
    onDropped: dropped.resolve,
  });
  return {
    close: () => {
      subscription.close();
    },
    caughtUp: caughtUp.promise,
    dropped: dropped.promise,
    until: (position) =>
      new Promise((resolve) => {
        waiting.push({ position, resolve });
        answer();
      }),
    events: () => events,
    positions: () => positions(events),
    timesCaughtUp: () => timesCaughtUp,
  };
}

/** `count` streams of two events each. */
function streams(prefix: string, count: number): Readonly<Record<string, number>> {
  return Object.fromEntries(run(0, count).map((n) => [`action-${prefix}-${n}`, 2]));
}

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) {
    await new Promise<void>((resolve) => {
      setImmediate(resolve);
    });
  }
}

function deferred<T>(): {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
} {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((fulfil) => {
    resolve = fulfil;
  });
  return { promise, resolve };
}
