// What of real time a world with virtual time waits for: calls that nobody has answered yet, subscribers
// that were not told of everything and are not busy, and whatever else somebody says is on its way. A world
// comes to rest only when there is nothing of the kind.
import { type EventStore, type Subscriber } from '@action-ledger/event-store';

export interface Traffic {
  /** The store, whose calls and subscriptions are waited for. */
  readonly watched: (store: EventStore) => EventStore;
  /** The call is waited for. */
  readonly during: <Result>(call: Promise<Result>) => Promise<Result>;
  /** Something else to wait for. It is asked anew after each `move`. */
  readonly also: (isOnItsWay: () => boolean) => void;
  readonly move: () => void;
  /** The highest position that was stored. */
  readonly newest: () => number;
  /** The store has gone back in time. */
  readonly beginAnew: () => void;
  /** What the world waits for, if anything. */
  readonly underWay: () => Promise<void> | undefined;
}

interface Follower {
  reached: number;
  isBusy: boolean;
  isCaughtUp: boolean;
}

interface State {
  readonly followers: Set<Follower>;
  /** The highest position that was appended. */
  newest: number;
}

export function createTraffic(): Traffic {
  const state: State = { followers: new Set(), newest: 0 };
  const others: (() => boolean)[] = [];
  let calls = 0;
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
  const isWaiting = ({ isBusy, isCaughtUp, reached }: Follower): boolean =>
    !isBusy && (!isCaughtUp || reached < state.newest);
  const isUnderWay = (): boolean =>
    calls > 0 || [...state.followers].some(isWaiting) || others.some((isOnItsWay) => isOnItsWay());
  return {
    watched: (store) => watchedStore(store, state, { during, move }),
    during,
    move,
    newest: () => state.newest,
    beginAnew: () => {
      state.newest = 0;
    },
    also: (isOnItsWay) => {
      others.push(isOnItsWay);
    },
    underWay: () => (isUnderWay() ? moved.given : undefined),
  };
}

type Moves = Pick<Traffic, 'during' | 'move'>;

function watchedStore(store: EventStore, state: State, { during, move }: Moves): EventStore {
  return {
    ...store,
    append: async (...given) => {
      const result = await during(store.append(...given));
      if (result.kind === 'appended') state.newest = Math.max(state.newest, result.position);
      return result;
    },
    readStream: (...given) => during(store.readStream(...given)),
    readAll: (...given) => during(store.readAll(...given)),
    head: () => during(store.head()),
    truncate: (...given) => during(store.truncate(...given)),
    subscribe: (after, subscriber) => {
      const follower = { reached: after, isBusy: false, isCaughtUp: false };
      state.followers.add(follower);
      const leave = (): void => {
        state.followers.delete(follower);
        move();
      };
      const told = followed(follower, subscriber, { move, leave });
      const subscription = store.subscribe(after, told);
      return {
        close: () => {
          subscription.close();
          leave();
        },
      };
    },
  };
}

function followed(
  follower: Follower,
  subscriber: Subscriber,
  { move, leave }: { readonly move: () => void; readonly leave: () => void },
): Subscriber {
  return {
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
      leave();
      subscriber.onDropped?.(fault);
    },
  };
}

function createSignal(): { readonly given: Promise<void>; readonly give: () => void } {
  let give = (): void => undefined;
  const given = new Promise<void>((resolve) => {
    give = resolve;
  });
  return { given, give };
}
