import { describe, expect, it } from '@jest/globals';
import { type RecordedEvent } from './event-store.ts';
import { createRecentEvents } from './recent-events.ts';
import { createSubscriptions } from './subscriptions.ts';

describe('createSubscriptions', () => {
  it('does not miss an event stored just while it found nothing', async () => {
    const stored: RecordedEvent[] = [];
    const seen: number[] = [];
    const subscriptions = createSubscriptions({
      readAll: async ({ after, max }) => stored.slice(after, after + max),
      head: () => {
        // The event comes after the subscriber has looked, and before it begins to wait.
        if (stored.length === 0 && subscriptions.count() === 1) {
          stored.push(event(1));
          queueMicrotask(() => {
            subscriptions.publish([event(1)]);
          });
          return 0;
        }
        return stored.length;
      },
      pause: () => Promise.resolve(),
    });
    subscriptions.subscribe(0, { onEvents: collect(seen) });
    await turn();
    expect(seen).toEqual([1]);
  });

  it('reads from the store what was stored by another process', async () => {
    const stored = [1, 2, 3, 4].map((position) => event(position));
    let head = 0;
    const seen: number[] = [];
    const subscriptions = createSubscriptions({
      readAll: async ({ after, max }) => stored.slice(after, Math.min(after + max, head)),
      head: () => head,
      pause: () => Promise.resolve(),
    });
    subscriptions.subscribe(0, { onEvents: collect(seen) });
    head = 1;
    subscriptions.publish([event(1)]);
    await turn();
    head = 4;
    subscriptions.publish([event(4)]);
    await turn();
    expect(seen).toEqual([1, 2, 3, 4]);
  });

  it('drops a subscriber when the store cannot be read, and only that one', async () => {
    const broken = new Error('the disk is gone');
    const seen: number[] = [];
    const faults: unknown[] = [];
    let head = 5;
    const subscriptions = createSubscriptions({
      readAll: () => Promise.reject(broken),
      head: () => head,
      pause: () => Promise.resolve(),
    });
    subscriptions.subscribe(0, {
      onEvents: collect(seen),
      onDropped: (fault) => faults.push(fault),
    });
    subscriptions.subscribe(5, {
      onEvents: collect(seen),
      onDropped: (fault) => faults.push(fault),
    });
    await turn();
    head = 6;
    subscriptions.publish([event(6)]);
    await turn();
    expect(faults).toEqual([broken]);
    expect(seen).toEqual([6]);
  });
});

describe('createRecentEvents', () => {
  it('keeps the newest, and says when it does not reach back', () => {
    const recent = createRecentEvents(3);
    for (let position = 1; position <= 10; position += 1) recent.add([event(position)]);
    expect(recent.after(6, 10)).toBeUndefined();
    expect(positionsAfter(recent, 7)).toEqual([8, 9, 10]);
    expect(positionsAfter(recent, 8, 1)).toEqual([9]);
    expect(positionsAfter(recent, 10)).toEqual([]);
  });

  it('is bounded by characters too', () => {
    const recent = createRecentEvents(100, 50);
    recent.add([event(1, 20), event(2, 20), event(3, 20)]);
    expect(recent.after(0, 10)).toBeUndefined();
    expect(positionsAfter(recent, 1)).toEqual([2, 3]);
    recent.add([event(4, 200)]);
    expect(recent.after(3, 10)).toBeUndefined();
  });

  it('forgets what was before a jump', () => {
    const recent = createRecentEvents();
    recent.add([event(1), event(2)]);
    recent.add([event(5)]);
    expect(recent.after(1, 10)).toBeUndefined();
    expect(positionsAfter(recent, 4)).toEqual([5]);
  });
});

function event(position: number, size = 2): RecordedEvent {
  const data = 'x'.repeat(size);
  const id = `e${position}`;
  return { id, type: 'T', data, metadata: '', stream: id, revision: 0, position };
}

function positionsAfter(
  recent: ReturnType<typeof createRecentEvents>,
  position: number,
  max = 10,
): readonly number[] | undefined {
  return recent.after(position, max)?.map((one) => one.position);
}

function collect(seen: number[]): (events: readonly RecordedEvent[]) => void {
  return (events) => {
    seen.push(...events.map((one) => one.position));
  };
}

function turn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
