// Readers against a feed that the test moves by hand: the store can be ahead of what was handed on, a
// subscription can end, and a reader can lag; nobody misses an event or gets one twice.
import { describe, expect, it } from '@jest/globals';
import { type RecordedEvent, type Subscriber } from '@action-ledger/event-store';
import { createVirtualRuntime, type VirtualRuntime } from '@action-ledger/testkit';
import { defaultLimits } from '../limits.ts';
import { createEventHub, type EventHub, type Wire } from './event-hub.ts';

interface Stage {
  readonly hub: Omit<EventHub, 'follow'> & {
    readonly follow: (tenant: string, after: number | undefined, reader: Wire) => () => void;
  };
  readonly time: VirtualRuntime;
  /** Stores one more event; it is handed on only by `deliver`. */
  readonly store: (tenant?: string) => void;
  readonly deliver: () => Promise<void>;
  readonly endSubscription: () => void;
  readonly isSubscribed: () => boolean;
  readonly subscribedAfter: readonly number[];
  readonly faults: readonly string[];
}

function stage(limits: Partial<typeof defaultLimits> = {}): Stage {
  const time = createVirtualRuntime();
  const events: RecordedEvent[] = [];
  const subscribedAfter: number[] = [];
  const faults: string[] = [];
  let subscriber: Subscriber | undefined;
  let delivered = 0;
  const hub = createEventHub({
    feed: {
      head: async () => events.length,
      readAll: async ({ after, max }) => events.slice(after, after + max),
      readStream: async () => [],
      condition: () => ({ kind: 'ready' }),
      subscribe: (after, given) => {
        subscribedAfter.push(after);
        delivered = after;
        subscriber = given;
        const close = (): void => {
          if (subscriber === given) subscriber = undefined;
        };
        return { close };
      },
    },
    ledger: { load: () => Promise.reject(new Error('not asked')) },
    runtime: time,
    limits: { ...defaultLimits, ...limits },
    onFault: (where) => faults.push(where),
  });
  void hub.start();
  return {
    hub: {
      ...hub,
      follow: (tenant, after, reader) => hub.follow(tenant, { after, head: events.length }, reader),
    },
    time,
    faults,
    subscribedAfter,
    store: (tenant = 'acme') => {
      const position = events.length + 1;
      events.push({
        id: `e-${position}`,
        type: 'ActionPlanned',
        stream: `action-${'A'.repeat(43)}.${position}`,
        revision: 0,
        position,
        data: JSON.stringify({ tenant }),
        metadata: JSON.stringify({ at: 1, hash: '' }),
      });
    },
    deliver: async () => {
      const batch = events.slice(delivered);
      delivered = events.length;
      await subscriber?.onEvents(batch);
    },
    isSubscribed: () => subscriber !== undefined,
    endSubscription: () => {
      subscriber?.onDropped?.(new Error('gone'));
    },
  };
}

interface TestWire extends Wire {
  readonly positions: () => readonly number[];
  readonly isDropped: () => boolean;
  /** It takes nothing until it is told otherwise. */
  readonly block: (isBlocked: boolean) => void;
}

function wire(): TestWire {
  let text = '';
  let isBlocked = false;
  let isDropped = false;
  const waiting: ((isDrained: boolean) => void)[] = [];
  return {
    lag: () => (isBlocked ? 1_000_000 : 0),
    write: (more) => {
      text += more;
    },
    end: () => undefined,
    drop: () => {
      isDropped = true;
    },
    drained: () =>
      isBlocked ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve(true),
    positions: () => [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id)),
    isDropped: () => isDropped,
    block: (blocked) => {
      isBlocked = blocked;
      if (!blocked) for (const resolve of waiting.splice(0)) resolve(true);
    },
  };
}

describe('a reader of events', () => {
  it('gets none twice that it has read from the store before they were handed on', async () => {
    const { hub, time, store, deliver } = stage();
    store();
    await deliver();
    store();
    store();
    const reader = wire();
    hub.follow('acme', 0, reader);
    await time.settle();
    // The page that it was brought up to date from went beyond what is handed on next.
    expect(reader.positions()).toEqual([1, 2, 3]);
    store();
    await deliver();
    expect(reader.positions()).toEqual([1, 2, 3, 4]);
  });

  it('goes on at its own pace while it lags, and misses nothing', async () => {
    const { hub, time, store, deliver } = stage();
    const reader = wire();
    hub.follow('acme', undefined, reader);
    await time.settle();
    store();
    await deliver();
    reader.block(true);
    for (let each = 0; each < 5; each += 1) {
      store();
      await deliver();
    }
    expect(reader.positions()).toEqual([1]);
    reader.block(false);
    await time.settle();
    store();
    await deliver();
    expect(reader.positions()).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(reader.isDropped()).toBe(false);
  });

  it('gets what is of its tenant, and nothing when it has gone', async () => {
    const { hub, time, store, deliver } = stage();
    const reader = wire();
    const leave = hub.follow('acme', undefined, reader);
    await time.settle();
    store('umbrella');
    store('acme');
    await deliver();
    expect(reader.positions()).toEqual([2]);
    leave();
    expect(hub.readers()).toBe(0);
    store('acme');
    await deliver();
    expect(reader.positions()).toEqual([2]);
  });

  it('misses nothing when the subscription ends and another one begins', async () => {
    const { hub, time, store, deliver, endSubscription, subscribedAfter, faults } = stage();
    const reader = wire();
    hub.follow('acme', undefined, reader);
    await time.settle();
    store();
    await deliver();
    endSubscription();
    store();
    await time.advance(1_000);
    expect(subscribedAfter).toEqual([0, 1]);
    await deliver();
    expect(reader.positions()).toEqual([1, 2]);
    expect(faults).toEqual(['following the events']);
  });

  it('costs the store nothing while nobody reads, and misses nothing from the moment it comes', async () => {
    const { hub, time, store, deliver, isSubscribed, subscribedAfter } = stage();
    store();
    await time.settle();
    expect(isSubscribed()).toBe(false);
    const [first, second] = [wire(), wire()];
    const leaves = [hub.follow('acme', undefined, first), hub.follow('acme', 0, second)];
    store();
    await time.settle();
    expect(subscribedAfter).toEqual([1]);
    await deliver();
    expect([first.positions(), second.positions()]).toEqual([[2], [1, 2]]);
    for (const leave of leaves) leave();
    expect(isSubscribed()).toBe(false);
    store();
    const third = wire();
    hub.follow('acme', 1, third);
    await time.settle();
    store();
    await deliver();
    expect(subscribedAfter).toEqual([1, 3]);
    expect(third.positions()).toEqual([2, 3, 4]);
  });

  it('that has gone before it could come in holds nothing', async () => {
    const { hub, time, isSubscribed } = stage();
    hub.follow('acme', undefined, wire())();
    await time.settle();
    expect(isSubscribed()).toBe(false);
  });

  it('waits for its turn where many are behind: so many pages are read at once', async () => {
    const { hub, time, store, deliver } = stage({ catchUpsMax: 2 });
    const first = wire();
    hub.follow('acme', undefined, first);
    await time.settle();
    for (let each = 0; each < 200; each += 1) store();
    await deliver();
    const readers = Array.from({ length: 30 }, () => wire());
    for (const reader of readers) hub.follow('acme', 0, reader);
    for (let turns = 0; turns < 20; turns += 1) await time.settle();
    for (const reader of [first, ...readers]) expect(reader.positions()).toHaveLength(200);
  });

  it('waits for readers of its own tenant, and for no more of another than take turns with it', async () => {
    const { hub, time, store, deliver } = stage({ catchUpsMax: 1 });
    hub.follow('acme', undefined, wire());
    await time.settle();
    store('umbrella');
    for (let each = 0; each < 200; each += 1) store();
    await deliver();
    const written: string[] = [];
    const follow = (tenant: string): (() => void) =>
      hub.follow(tenant, 0, { ...wire(), write: () => written.push(tenant) });
    const leaves = Array.from({ length: 30 }, () => follow('acme'));
    follow('umbrella');
    // Who has gone takes no turn.
    for (const leave of leaves.slice(10)) leave();
    for (let turns = 0; turns < 20; turns += 1) await time.settle();
    expect(written.indexOf('umbrella')).toBeLessThanOrEqual(2);
    expect(written.filter((tenant) => tenant === 'acme')).toHaveLength(40);
  });

  it('is sent a comment while nothing happens, and let go after its time', async () => {
    const { hub, time } = stage({ heartbeatMs: 10, streamMsMax: 35 });
    hub.follow('acme', undefined, wire());
    await time.advance(30);
    expect(hub.readers()).toBe(1);
    await time.advance(10);
    expect(hub.readers()).toBe(0);
    hub.stop();
    expect(time.pendingTimers()).toBe(0);
  });
});
