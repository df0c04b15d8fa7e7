// What a process reaches outside itself, cut off when it dies: nothing it asks for is done any more, and
// nothing it has begun comes back. What has left it before goes on: an append, a request under way.
import { type EventStore } from '@action-ledger/event-store';
import { type Runtime } from '@action-ledger/runtime';
import { type ProviderPort } from '@action-ledger/sandbox';

export interface Life {
  readonly isDead: () => boolean;
  readonly die: () => void;
  /** Resolves when it dies. */
  readonly death: Promise<void>;
}

export function createLife(): Life {
  const state = { isDead: false };
  let tell = (): void => undefined;
  const death = new Promise<void>((resolve) => {
    tell = resolve;
  });
  return {
    isDead: () => state.isDead,
    die: () => {
      state.isDead = true;
      tell();
    },
    death,
  };
}

async function whileAlive<Result>(life: Life, work: () => Promise<Result>): Promise<Result> {
  if (life.isDead()) return never();
  try {
    const result = await work();
    return life.isDead() ? await never() : result;
  } catch (error) {
    if (life.isDead()) return never();
    throw error;
  }
}

export function never(): Promise<never> {
  return new Promise(() => undefined);
}

/** The store outlives its processes: closing a ledger does not close it. */
export function mortalStore(life: Life, under: EventStore): EventStore {
  const givenUp = under.givenUp?.bind(under);
  return {
    append: (stream, expected, events) =>
      whileAlive(life, () => under.append(stream, expected, events)),
    readStream: (stream, from) => whileAlive(life, () => under.readStream(stream, from)),
    readAll: (options) => whileAlive(life, () => under.readAll(options)),
    truncate: (cuts) => whileAlive(life, () => under.truncate(cuts)),
    ...(givenUp === undefined
      ? {}
      : { givenUp: (range) => whileAlive(life, () => givenUp(range)) }),
    head: () => whileAlive(life, () => under.head()),
    subscribe: (after, subscriber) => under.subscribe(after, subscriber),
    condition: () => under.condition(),
    close: async () => undefined,
  };
}

export function mortalPort(life: Life, under: ProviderPort): ProviderPort {
  return {
    send: (request, signal) => whileAlive(life, () => under.send(request, signal)),
    lookUp: (query, signal) => whileAlive(life, () => under.lookUp(query, signal)),
  };
}

/** Its timers end with it. */
export function mortalRuntime(life: Life, under: Runtime): Runtime {
  return {
    ...under,
    timers: {
      after: (delayMs, run, options) =>
        under.timers.after(
          delayMs,
          () => {
            if (!life.isDead()) run();
          },
          options,
        ),
    },
  };
}
