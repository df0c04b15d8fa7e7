import { status } from '@grpc/grpc-js';
import { describe, expect, it } from '@jest/globals';
import { openEventStoreDbDouble } from '@action-ledger/eventstoredb-double';
import { idsIn, impatient, newEvent, onDouble, runtime } from '../test-support/on-double.ts';

const repeated = { kind: 'appended', revision: 0, repeated: true };

describe('an append that is taken', () => {
  it(
    'is one call, and reads nothing',
    onDouble(async ({ store, double }) => {
      const before = double.counts();
      await store.append('action-a', 'no stream', [newEvent(), newEvent(), newEvent()]);
      await store.append('action-a', 2, [newEvent()]);
      expect(double.counts()).toEqual({ ...before, appends: before.appends + 2 });
    }),
  );
});

describe('an append whose fate is not known', () => {
  it(
    'FW14 is tried again identically where the reply was lost, and stored once',
    onDouble(async ({ store, double }) => {
      const events = [newEvent(), newEvent()];
      double.faults.onAppend({ kind: 'reply lost' });
      expect(await store.append('action-a', 'no stream', events)).toMatchObject({
        ...repeated,
        revision: 1,
      });
      expect(await idsIn(store, 'action-a')).toEqual(events.map(({ id }) => id));
      expect(double.counts().appends).toBeGreaterThan(1);
    }, impatient),
  );

  it.each(['request lost', 'broken before', 'broken after'] as const)(
    'FW14 is stored once, and called uncertain: %s',
    async (kind) =>
      onDouble(async ({ store, double }) => {
        const event = newEvent();
        double.faults.onAppend({ kind });
        expect(await store.append('action-a', 'no stream', [event])).toMatchObject(repeated);
        expect(await idsIn(store, 'action-a')).toEqual([event.id]);
      }, impatient)(),
  );

  const codes = [
    status.CANCELLED,
    status.UNKNOWN,
    status.DEADLINE_EXCEEDED,
    status.ABORTED,
    status.INTERNAL,
    status.UNAVAILABLE,
  ];
  it.each(codes.map((code) => [status[code], code] as const))(
    'is ambiguous by the code of gRPC: %s',
    async (_, code) =>
      onDouble(async ({ store, double }) => {
        double.faults.onAppend({ kind: 'status', code });
        expect(await store.append('action-a', 'no stream', [newEvent()])).toMatchObject(repeated);
        expect(double.counts().appends).toBe(2);
      })(),
  );

  it(
    'F105 keeps its expected revision when others have appended since',
    onDouble(async ({ store, double }) => {
      const [first, mine, theirs] = [newEvent(), newEvent(), newEvent()];
      await store.append('action-a', 'no stream', [first]);
      double.faults.onAppend({ kind: 'reply lost' });
      const appended = store.append('action-a', 0, [mine]);
      // In the lane of the stream it comes after; the server takes it as of another process.
      await store.append('action-b', 'no stream', [theirs]);
      expect(await appended).toMatchObject({ ...repeated, revision: 1 });
      expect(await idsIn(store, 'action-a')).toEqual([first.id, mine.id]);
      expect(await store.append('action-a', 0, [mine])).toMatchObject({ repeated: true });
    }, impatient),
  );

  it(
    'is stored once where the first request arrives after the second',
    onDouble(async ({ store, double }) => {
      const event = newEvent();
      let arrive: () => void = () => undefined;
      const until = new Promise<void>((resolve) => {
        arrive = resolve;
      });
      double.faults.onAppend({ kind: 'request late', until });
      expect(await store.append('action-a', 'no stream', [event])).toMatchObject(repeated);
      arrive();
      await store.append('action-a', 0, [newEvent()]);
      expect((await idsIn(store, 'action-a')).filter((id) => id === event.id)).toHaveLength(1);
    }, impatient),
  );

  it(
    'FW14 is a fault that says so where nobody ever answers, and its next success is uncertain',
    onDouble(async ({ store, double }) => {
      for (let times = 0; times < 3; times += 1) double.faults.onAppend({ kind: 'request lost' });
      const event = newEvent();
      await expect(store.append('action-a', 'no stream', [event])).rejects.toMatchObject({
        code: 'store.unavailable',
        retry: 'unsafe',
      });
      expect(await store.append('action-a', 'no stream', [event])).toMatchObject(repeated);
      expect(await idsIn(store, 'action-a')).toEqual([event.id]);
    }, impatient),
  );

  it(
    'is found by reading where no try was answered',
    onDouble(async ({ store, double }) => {
      for (let times = 0; times < 3; times += 1) double.faults.onAppend({ kind: 'broken after' });
      expect(await store.append('action-a', 'no stream', [newEvent()])).toMatchObject(repeated);
    }),
  );
});

describe('an append that meets a wrong expected version', () => {
  it(
    'F107 is decided by what the stream holds, never by the fields of the error',
    onDouble(async ({ store, double }) => {
      double.faults.onAppend({ kind: 'wrong version told' });
      const event = newEvent();
      expect(await store.append('action-a', 'no stream', [event])).toMatchObject(repeated);
      expect(await store.append('action-a', 'no stream', [newEvent()])).toEqual({
        kind: 'conflict',
        actual: 0,
      });
    }),
  );

  it(
    'is found far from the end of a long stream',
    onDouble(async ({ store, double }) => {
      const [first, second] = [newEvent(), newEvent()];
      await store.append('action-a', 'no stream', [first]);
      await store.append('action-a', 0, [second]);
      const many = Array.from({ length: 40 }, () => newEvent());
      await store.append('action-a', 1, many);
      double.faults.onAppend({ kind: 'wrong version told' });
      expect(await store.append('action-a', 0, [second])).toMatchObject({
        revision: 1,
        repeated: true,
      });
      expect(await store.append('action-a', 0, [newEvent()])).toMatchObject({ actual: 41 });
    }),
  );
});

describe('an append that the server refuses', () => {
  it(
    'F044 is too large where its events are too large together',
    onDouble(async ({ store }) => {
      const large = `"${'x'.repeat(400_000)}"`;
      const events = [1, 2, 3].map(() => newEvent({ data: large }));
      await expect(store.append('action-a', 'no stream', events)).rejects.toMatchObject({
        code: 'store.too-large',
        retry: 'never',
      });
      expect(await store.readStream('action-a')).toEqual([]);
    }),
  );

  it(
    'is denied for good where the server does not let it in',
    onDouble(async ({ store, double }) => {
      double.faults.onAppend({ kind: 'status', code: status.UNAUTHENTICATED });
      await expect(store.append('action-a', 'no stream', [newEvent()])).rejects.toMatchObject({
        code: 'store.read-only',
        retry: 'never',
      });
      expect(double.counts().appends).toBe(1);
    }),
  );

  it(
    'goes to the leader that the server names',
    onDouble(async ({ store, double }) => {
      const leader = await openEventStoreDbDouble({ runtime });
      double.faults.onAppend({ kind: 'not leader', host: '127.0.0.1', port: leader.port });
      expect(await store.append('action-a', 'no stream', [newEvent()])).toMatchObject({
        kind: 'appended',
        repeated: false,
      });
      expect([double.counts().appends, leader.counts().appends]).toEqual([1, 1]);
      await leader.close();
    }),
  );

  it(
    'is safe to try again where there is no leader',
    onDouble(async ({ store, double }) => {
      const { port } = double;
      for (let times = 0; times < 3; times += 1)
        double.faults.onAppend({ kind: 'not leader', host: '127.0.0.1', port });
      await expect(store.append('action-a', 'no stream', [newEvent()])).rejects.toMatchObject({
        code: 'store.unavailable',
        retry: 'safe',
      });
    }),
  );
});
