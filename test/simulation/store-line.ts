// The line between one process and the event store: it takes time, loses requests and answers, and breaks
// for a while. The process at its end may die before or after any call. What has left it is carried out.
import {
  type AppendResult,
  type EventStore,
  StoreFault,
  type Subscriber,
} from '@action-ledger/event-store';
import { type Ether } from './ether.ts';
import { never } from './life.ts';

/** After so long the adapter gives an answer up. */
const answerWithinMs = 5_000;

export function storeLine(ether: Ether, store: () => EventStore): EventStore {
  const { life, dice, chaos, pause, known } = ether;
  const name = life.name;
  let calls = 0;

  const leave = async (what: string): Promise<string> => {
    calls += 1;
    const call = `${name} ${calls} ${what}`;
    if (life.is() === 'dead') return never();
    await life.pass();
    if (chaos.strikes('process: killed before a call', 0.0008, call)) return ether.killed();
    return call;
  };
  const comeBack = async <Result>(call: string, result: Result): Promise<Result> => {
    if (chaos.strikes('process: killed after a call', 0.0008, call)) return ether.killed();
    await life.pass();
    return result;
  };
  const fail = async (call: string, retry: 'safe' | 'unsafe'): Promise<never> => {
    await life.pass();
    throw new StoreFault('store.unavailable', retry, `The event store does not answer (${call}).`);
  };

  const noted = (stream: string, first: string, told: AppendResult): AppendResult => {
    if (told.kind !== 'appended') return told;
    known.stored(stream, first);
    ether.sends.told.confirmed(first);
    known.upTo(stream, told.revision);
    return told;
  };

  const append: EventStore['append'] = async (stream, expected, events) => {
    const call = await leave(`append ${stream}`);
    const first = events[0]?.id ?? '';
    ether.writes(events.map(({ id }) => id));
    if (ether.isStoreAway()) return fail(call, 'safe');
    await pause(dice.between(0, 12, call, 'there'));
    if (chaos.strikes('append: lost on the way', 0.01, call)) {
      known.failed(first);
      await pause(answerWithinMs);
      return fail(call, 'unsafe');
    }
    const result = await settled(() => store().append(stream, expected, events));
    if (result.kind === 'threw') {
      await life.pass();
      throw result.error;
    }
    if (chaos.strikes('append: stored, answer lost', 0.015, call)) {
      known.failed(first);
      await pause(answerWithinMs);
      return fail(call, 'unsafe');
    }
    if (chaos.strikes('append: stored, conflict told', 0.005, call))
      return comeBack(call, { kind: 'conflict', actual: 'no stream' } as unknown as AppendResult);
    if (chaos.strikes('append: answered late', 0.01, call))
      await pause(dice.between(200, 30_000, call, 'late'));
    else await pause(dice.between(0, 12, call, 'back'));
    return noted(stream, first, await comeBack(call, result.value));
  };
  const read = async <Result>(what: string, work: () => Promise<Result>): Promise<Result> => {
    const call = await leave(what);
    if (ether.isStoreAway()) return fail(call, 'safe');
    if (chaos.strikes('read: failed', 0.004, call)) return fail(call, 'safe');
    // Half of them take no time that counts.
    const ms = dice.between(-6, 6, call, 'read');
    if (ms > 0) await pause(ms);
    const result = await work();
    return comeBack(call, result);
  };

  return {
    append,
    readStream: async (stream, from) => {
      const events = await read(`read ${stream}`, () => store().readStream(stream, from));
      known.read(stream);
      known.upTo(stream, events.at(-1)?.revision ?? -1);
      return events;
    },
    readAll: (options) => read('read all', () => store().readAll(options)),
    head: () => read('head', () => store().head()),
    truncate: (cuts) => read('truncate', () => store().truncate(cuts)),
    givenUp: (range) => read('given up', async () => (await store().givenUp?.(range)) ?? []),
    subscribe: (after, subscriber) => subscribe(ether, store(), after, subscriber),
    condition: () => store().condition(),
    confirmRecovered: async () => store().confirmRecovered?.(),
    close: async () => undefined,
  };
}

function subscribe(
  { life, chaos }: Ether,
  store: EventStore,
  after: number,
  subscriber: Subscriber,
): ReturnType<EventStore['subscribe']> {
  const subscription = store.subscribe(after, {
    ...subscriber,
    onEvents: async (events) => {
      await life.pass();
      const place = `${life.name} ${events.at(-1)?.position ?? 0}`;
      const isSilent = chaos.strikes('log: dropped without a word', 0.002, place);
      const isTold = !isSilent && chaos.strikes('log: dropped with notice', 0.002, place);
      if (!isSilent && !isTold) {
        await subscriber.onEvents(events);
        return;
      }
      subscription.close();
      if (isTold)
        subscriber.onDropped?.(new StoreFault('store.unavailable', 'safe', 'The line broke.'));
    },
  });
  return subscription;
}

type Settled<Result> =
  | { readonly kind: 'value'; readonly value: Result }
  | { readonly kind: 'threw'; readonly error: unknown };

async function settled<Result>(work: () => Promise<Result>): Promise<Settled<Result>> {
  try {
    return { kind: 'value', value: await work() };
  } catch (error) {
    return { kind: 'threw', error };
  }
}
