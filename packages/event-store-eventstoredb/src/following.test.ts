import { createServer } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { type RecordedEvent } from '@action-ledger/event-store';
import { openEventStoreDbDouble } from '@action-ledger/eventstoredb-double';
import { openEventStoreDbEventStore } from './index.ts';
import {
  impatient,
  newEvent,
  type OnDouble,
  onDouble,
  runtime,
} from '../test-support/on-double.ts';

describe('a subscription whose connection ends', () => {
  it.each(['with notice', 'silently'] as const)(
    'goes on from the last event that was handled: dropped %s',
    async (how) =>
      onDouble(
        async ({ store, double }) => {
          const seen = follow(store);
          await append(store, 0, 3);
          await seen.until(3);
          double.dropSubscriptions(how);
          await append(store, 3, 3);
          await seen.until(6);
          expect(seen.revisions()).toEqual([0, 1, 2, 3, 4, 5]);
          expect(double.counts().subscriptions).toBeGreaterThan(1);
        },
        { watchdogMs: how === 'silently' ? 200 : 60_000 },
      )(),
  );

  it(
    'FW13 waits for a server that is down, and misses and doubles nothing',
    onDouble(async ({ store, double }) => {
      const seen = follow(store);
      await append(store, 0, 2);
      await seen.until(2);
      double.down();
      await expect(append(store, 2, 1)).rejects.toMatchObject({ retry: 'unsafe' });
      await double.up();
      await append(store, 2, 2);
      await seen.until(4);
      expect(seen.revisions()).toEqual([0, 1, 2, 3]);
    }),
  );

  it(
    'F109 begins again after what was handled, not after what was told',
    onDouble(async ({ store, double }) => {
      await append(store, 0, 64);
      const gate = createGate();
      const handled: number[] = [];
      let calls = 0;
      store.subscribe(0, {
        onEvents: async (events) => {
          calls += 1;
          // More is on its way, and the server has told of places behind it.
          if (calls === 1) await gate.opened;
          handled.push(...events.map(({ revision }) => revision));
        },
      });
      await gate.reached(() => calls === 1);
      for (let n = 0; n < 300; n += 1) await double.write('elsewhere.a', foreign());
      double.dropSubscriptions('with notice');
      gate.open();
      await append(store, 64, 1);
      await gate.reached(() => handled.length >= 65);
      expect(handled).toEqual(Array.from({ length: 65 }, (_, n) => n));
    }),
  );
});

describe('what others store on the same server', () => {
  it(
    'is passed over by readers and subscribers, however much it is',
    onDouble(async ({ store, double }) => {
      await append(store, 0, 1);
      for (let n = 0; n < 200; n += 1)
        await double.write(n % 2 ? '$stats-a' : 'ledgers.a', foreign());
      const seen = follow(store);
      await append(store, 1, 1);
      for (let n = 0; n < 100; n += 1) await double.write('elsewhere.a', foreign());
      await seen.until(2);
      const all = await store.readAll({ after: 0, max: 10 });
      expect(all.map(({ revision }) => revision)).toEqual([0, 1]);
      expect(await store.readAll({ after: all[0]?.position ?? 0, max: 10 })).toEqual(all.slice(1));
      expect(await store.head()).toBe(all[1]?.position);
    }),
  );

  it(
    'is damage where it bears the name of a stream of the ledger',
    onDouble(async ({ store, double }) => {
      await double.write('ledger.action-a', foreign());
      const damage = { code: 'store.corrupt', retry: 'never', detail: { stream: 'action-a' } };
      const dropped = new Promise((resolve) => {
        store.subscribe(0, { onEvents: () => undefined, onDropped: resolve });
      });
      expect(await dropped).toMatchObject(damage);
      await expect(store.readStream('action-a')).rejects.toMatchObject(damage);
      await expect(store.readAll({ after: 0, max: 9 })).rejects.toMatchObject(damage);
    }),
  );
});

describe('a stream that somebody has deleted on the server', () => {
  it(
    'is damage, to whoever reads or goes on with it',
    onDouble(async ({ store, double }) => {
      await append(store, 0, 2);
      await double.deleteStream('ledger.action-a');
      await expect(store.append('action-a', 'no stream', [newEvent()])).rejects.toMatchObject({
        code: 'store.corrupt',
        retry: 'never',
      });
      await double.tombstoneStream('ledger.action-a');
      await expect(store.readStream('action-a')).rejects.toMatchObject({ code: 'store.corrupt' });
      await expect(store.append('action-a', 2, [newEvent()])).rejects.toMatchObject({
        code: 'store.corrupt',
      });
    }),
  );
});

describe('a read that nobody answers', () => {
  it(
    'is given up after the deadline, and may be tried again',
    onDouble(async ({ store, double }) => {
      double.faults.onRead({ kind: 'never answered' });
      await expect(store.readStream('action-a')).rejects.toMatchObject({
        code: 'store.unavailable',
        retry: 'safe',
      });
      await append(store, 0, 3);
      double.faults.onRead({ kind: 'broken after', events: 2 });
      await expect(store.readStream('action-a')).rejects.toMatchObject({ retry: 'safe' });
      expect(await store.readStream('action-a')).toHaveLength(3);
    }, impatient),
  );
});

describe('a place where no event lies', () => {
  it(
    'is before the next one, to readers and subscribers',
    onDouble(async ({ store }) => {
      await append(store, 0, 3);
      const [first, second, third] = await store.readAll({ after: 0, max: 3 });
      const before = (second?.position ?? 0) - 1;
      expect(await store.readAll({ after: before, max: 5 })).toEqual([second, third]);
      expect(await store.readAll({ after: before - 1, max: 5 })).toEqual([second, third]);
      expect(await store.readAll({ after: before - 1, max: 1 })).toEqual([second]);
      expect(before - 1).toBeGreaterThan(first?.position ?? Infinity);
      const seen = follow(store, before);
      await seen.until(2);
      await append(store, 3, 1);
      await seen.until(3);
      expect(seen.revisions()).toEqual([1, 2, 3]);
    }),
  );
});

describe('a cluster', () => {
  it('is asked for its leader, and found again after none of its nodes answered', async () => {
    const port = await freePort();
    const members = () => [{ host: '127.0.0.1', port, isLeader: true }];
    const nodes = `127.0.0.1:${port},localhost:${port}`;
    const connectionString = `esdb://${nodes}?tls=false&maxDiscoverAttempts=1&discoveryInterval=1`;
    const options = { connectionString, runtime, deadlineMs: 2_000 };
    await expect(openEventStoreDbEventStore(options)).rejects.toMatchObject({
      code: 'store.unavailable',
      retry: 'safe',
    });
    const double = await openEventStoreDbDouble({ runtime, port, members });
    const store = await openEventStoreDbEventStore(options);
    await append(store, 0, 1);
    double.down();
    await expect(append(store, 1, 1)).rejects.toMatchObject({ retry: 'unsafe' });
    await double.up();
    await append(store, 1, 1);
    expect(await store.readStream('action-a')).toHaveLength(2);
    await store.close();
    await double.close();
  });
});

describe('the way a store is opened', () => {
  it.each(['', 'ledger', 'a.b.', 'a-b.', '$a.'])('refuses the prefix %j', async (prefix) => {
    await expect(
      openEventStoreDbEventStore({ connectionString: 'esdb://127.0.0.1:1', runtime, prefix }),
    ).rejects.toThrow('A prefix is');
  });
});

interface Followed {
  revisions(): readonly number[];
  until(count: number): Promise<void>;
}

function follow(store: OnDouble['store'], after = 0): Followed {
  const events: RecordedEvent[] = [];
  const gate = createGate();
  store.subscribe(after, {
    onEvents: (batch) => {
      events.push(...batch);
    },
  });
  return {
    revisions: () => events.map(({ revision }) => revision),
    until: (count) => gate.reached(() => events.length >= count),
  };
}

async function append(store: OnDouble['store'], from: number, count: number): Promise<void> {
  const events = Array.from({ length: count }, () => newEvent());
  await store.append('action-a', from === 0 ? 'no stream' : from - 1, events);
}

function foreign(): { readonly id: string; readonly type: string } {
  return { id: crypto.randomUUID(), type: 'OrderPlaced' };
}

function createGate() {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return {
    opened,
    open,
    /** Looks again with every turn of the event loop. */
    reached: async (isReached: () => boolean): Promise<void> => {
      while (!isReached())
        await new Promise<void>((resolve) => {
          runtime.timers.after(5, resolve, { keepsAlive: true });
        });
    },
  };
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => {
        resolve(typeof address === 'object' && address !== null ? address.port : 0);
      });
    });
  });
}
