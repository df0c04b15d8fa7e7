// Subscriptions for adapters whose commits happen in this process. Every subscriber has a position
// and asks for what comes after it: from the recent events in memory, or from the store when it is
// further behind. There is no separate live mode, so nothing can be missed or doubled at a switch.
import {
  type ReadAllOptions,
  type RecordedEvent,
  type Subscriber,
  type Subscription,
} from './event-store.ts';
import { createRecentEvents } from './recent-events.ts';

export interface SubscriptionSource {
  readAll(options: ReadAllOptions): Promise<readonly RecordedEvent[]>;
  /** The highest position known to be stored, without waiting. */
  head(): number;
  /** Lets other work run between two full batches. */
  pause(): Promise<void>;
}

export interface Subscriptions {
  subscribe(after: number, subscriber: Subscriber): Subscription;
  /** How many are open: with none, nobody needs what is published. */
  count(): number;
  /** Events just stored, in order. */
  publish(events: readonly RecordedEvent[]): void;
  /** Something may have been stored that was not published: look at the store. */
  wake(): void;
  /** Ends all of them; each hears why. */
  end(fault: unknown): void;
}

export const subscriptionBatchMax = 256;

interface Running {
  readonly wake: () => void;
  readonly end: (fault: unknown) => void;
}

export function createSubscriptions(source: SubscriptionSource): Subscriptions {
  const recent = createRecentEvents();
  const open = new Set<Running>();
  const next = async (position: number): Promise<readonly RecordedEvent[]> =>
    recent.after(position, subscriptionBatchMax) ??
    (position < source.head()
      ? await source.readAll({ after: position, max: subscriptionBatchMax })
      : []);

  const wakeAll = (): void => {
    for (const running of open) running.wake();
  };

  return {
    subscribe: (after, subscriber) => {
      const running = startSubscription({
        after,
        subscriber,
        source,
        next,
        ended: () => {
          open.delete(running);
          if (open.size === 0) recent.clear();
        },
      });
      open.add(running);
      return { close: running.close };
    },
    count: () => open.size,
    publish: (events) => {
      if (open.size === 0) return;
      recent.add(events);
      wakeAll();
    },
    wake: wakeAll,
    end: (fault) => {
      for (const running of [...open]) running.end(fault);
    },
  };
}

interface SubscriptionParts {
  readonly after: number;
  readonly subscriber: Subscriber;
  readonly source: SubscriptionSource;
  readonly next: (position: number) => Promise<readonly RecordedEvent[]>;
  readonly ended: () => void;
}

function startSubscription(parts: SubscriptionParts): Running & { readonly close: () => void } {
  const { subscriber, source } = parts;
  const caughtUpAt = source.head();
  const bell = createBell();
  let position = parts.after;
  let isCaughtUp = false;
  let isOpen = true;

  const close = (): void => {
    if (!isOpen) return;
    isOpen = false;
    parts.ended();
    bell.ring();
  };
  const end = (fault: unknown): void => {
    if (!isOpen) return;
    close();
    tellDropped(subscriber, fault);
  };
  const step = async (): Promise<void> => {
    const heard = bell.rings();
    const batch = await parts.next(position);
    const last = batch.at(-1);
    if (!isOpen) return;
    if (last !== undefined) {
      await subscriber.onEvents(batch);
      position = last.position;
    }
    if (!isCaughtUp && (position >= caughtUpAt || last === undefined)) {
      isCaughtUp = true;
      if (isStillOpen()) subscriber.onCaughtUp?.();
    }
    if (last === undefined) await bell.after(heard);
    else if (batch.length === subscriptionBatchMax) await source.pause();
  };
  // The flag changes while a step waits, which the compiler cannot see.
  const isStillOpen = (): boolean => isOpen;
  const run = async (): Promise<void> => {
    // The subscriber gets its subscription before its first event.
    await Promise.resolve();
    while (isStillOpen()) await step();
  };
  void run().catch(end);
  return { wake: bell.ring, end, close };
}

function tellDropped(subscriber: Subscriber, fault: unknown): void {
  try {
    subscriber.onDropped?.(fault);
  } catch {
    // The subscriber is gone and so is the one who could be told.
  }
}

interface Bell {
  readonly ring: () => void;
  readonly rings: () => number;
  /** Resolves once the bell has rung more often than `heard`; at once where it already has. */
  readonly after: (heard: number) => Promise<void>;
}

function createBell(): Bell {
  let rings = 0;
  let waiting: (() => void) | undefined;
  return {
    ring: () => {
      rings += 1;
      const resume = waiting;
      waiting = undefined;
      resume?.();
    },
    rings: () => rings,
    after: (heard) =>
      rings > heard
        ? Promise.resolve()
        : new Promise((resolve) => {
            waiting = resolve;
          }),
  };
}
