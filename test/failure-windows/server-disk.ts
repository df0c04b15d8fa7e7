// The event store on a server: a protocol double of EventStoreDB in this process, reached over a real
// connection. Real time passes there, and none of the world's; so a world comes to rest only when every
// call has been answered, and every subscriber that is not busy has been told of everything.
import { openEventStoreDbEventStore } from '@action-ledger/event-store-eventstoredb';
import { openEventStoreDbDouble } from '@action-ledger/eventstoredb-double';
import { type EventStore, type Subscriber } from '@action-ledger/event-store';
import { createSystemRuntime, type Runtime } from '@action-ledger/runtime';

export interface ServerDisk {
  readonly store: () => EventStore;
  readonly reopen: () => Promise<void>;
  /** What the world waits for, if anything. */
  readonly underWay: () => Promise<void> | undefined;
  readonly close: () => Promise<void>;
}

export async function openServerDisk({ clock }: Pick<Runtime, 'clock'>): Promise<ServerDisk> {
  const runtime = createSystemRuntime();
  const double = await openEventStoreDbDouble({ runtime: { clock } });
  const traffic = createTraffic();
  const open = async (): Promise<EventStore> => {
    const { connectionString } = double;
    // No call is lost on the way: a slow machine must not be taken for a dead server.
    const options = { connectionString, runtime, deadlineMs: 100_000, watchdogMs: 600_000 };
    return traffic.watched(await openEventStoreDbEventStore(options));
  };
  const stores = [await open()];
  const newest = (): EventStore => stores.at(-1) as EventStore;
  return {
    store: newest,
    // The one before goes on: what has left a dead process arrives all the same.
    reopen: async () => {
      stores.push(await open());
    },
    underWay: traffic.underWay,
    close: async () => {
      await Promise.all(stores.map((store) => store.close()));
      await double.close();
    },
  };
}

interface Follower {
  reached: number;
  isBusy: boolean;
  isCaughtUp: boolean;
}

interface Traffic {
  readonly watched: (store: EventStore) => EventStore;
  readonly underWay: () => Promise<void> | undefined;
}

function createTraffic(): Traffic {
  const followers = new Set<Follower>();
  let calls = 0;
  let newest = 0;
  let moved = createSignal();
  const move = (): void => {
    const before = moved;
    moved = createSignal();
    before.give();
  };
  const during = async <Result>(call: Promise<Result>): Promise<Result> => {
    calls += 1;
    try {
      return await call;
    } finally {
      calls -= 1;
      move();
    }
  };
  const follow = (follower: Follower, subscriber: Subscriber): Subscriber => ({
    onEvents: async (events) => {
      follower.isBusy = true;
      move();
      await subscriber.onEvents(events);
      follower.reached = events.at(-1)?.position ?? follower.reached;
      follower.isBusy = false;
      move();
    },
    onCaughtUp: () => {
      follower.isCaughtUp = true;
      move();
      subscriber.onCaughtUp?.();
    },
    onDropped: (fault) => {
      followers.delete(follower);
      move();
      subscriber.onDropped?.(fault);
    },
  });
  const isWaiting = ({ isBusy, isCaughtUp, reached }: Follower): boolean =>
    !isBusy && (!isCaughtUp || reached < newest);

  return {
    watched: (store) => ({
      ...store,
      append: async (...given) => {
        const result = await during(store.append(...given));
        if (result.kind === 'appended') newest = Math.max(newest, result.position);
        return result;
      },
      readStream: (...given) => during(store.readStream(...given)),
      readAll: (...given) => during(store.readAll(...given)),
      head: () => during(store.head()),
      truncate: (...given) => during(store.truncate(...given)),
      subscribe: (after, subscriber) => {
        const follower = { reached: after, isBusy: false, isCaughtUp: false };
        followers.add(follower);
        const subscription = store.subscribe(after, follow(follower, subscriber));
        return {
          close: () => {
            followers.delete(follower);
            subscription.close();
            move();
          },
        };
      },
    }),
    underWay: () => (calls > 0 || [...followers].some(isWaiting) ? moved.given : undefined),
  };
}

function createSignal(): { readonly given: Promise<void>; readonly give: () => void } {
  let give = (): void => undefined;
  const given = new Promise<void>((resolve) => {
    give = resolve;
  });
  return { given, give };
}
