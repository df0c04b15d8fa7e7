import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { type EventStore } from '@action-ledger/event-store';
import { type EventStoreDbDouble } from '@action-ledger/eventstoredb-double';
import { openEventStoreDbEventStore } from './index.ts';
import { newEvent, onDouble, runtime } from '../test-support/on-double.ts';

/** By itself the store of a test looks only when it has to. */
const seldom = { lookMs: 3_600_000 };
const often = { lookMs: 20 };

const at = 1_700_000_000_000;
const timed = () => newEvent({ metadata: JSON.stringify({ at }) });
const plan = (store: EventStore, stream: string) => store.append(stream, 'no stream', [timed()]);
const kindOf = (store: EventStore): string => store.condition().kind;

async function putBack(double: EventStoreDbDouble, lost: number): Promise<void> {
  double.down();
  double.loseLast(lost);
  await double.up();
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 5));
}

async function beside(
  { connectionString }: EventStoreDbDouble,
  lookMs: number,
  use: (store: EventStore) => Promise<void>,
): Promise<void> {
  const store = await openEventStoreDbEventStore({ connectionString, runtime, lookMs });
  await use(store);
  await store.close();
}

describe('a server that is put back while it is in use', () => {
  it(
    'FW25 is noticed by the next append, before that is told to be stored',
    onDouble(async ({ store, double }) => {
      await plan(store, 'action-a');
      const head = await store.head();
      await plan(store, 'action-b');
      const told = await store.head();
      await putBack(double, 1);
      expect(kindOf(store)).toBe('ready');
      await plan(store, 'action-b').catch(() => plan(store, 'action-b'));
      expect(store.condition()).toMatchObject({ kind: 'recovering', mark: told, lostAt: at });
      expect(head).toBeLessThan(told);
    }),
  );

  it(
    'FW25 is noticed without one, and whoever had it open or opens it is told',
    onDouble(async ({ store, double }) => {
      await plan(store, 'action-a');
      await beside(double, often.lookMs, async (idle) => {
        await plan(store, 'action-b');
        await putBack(double, 1);
        await until(() => kindOf(store) === 'recovering');
        await until(() => kindOf(idle) === 'recovering');
      });
      await beside(double, seldom.lookMs, async (opened) => {
        expect(opened.condition()).toMatchObject({ kind: 'recovering', lostAt: at });
      });
    }, often),
  );

  it(
    'FW25 is looked at before anything is appended, once it did not answer',
    onDouble(
      async ({ store, double }) => {
        await plan(store, 'action-a');
        await plan(store, 'action-b');
        double.down();
        await expect(plan(store, 'action-c')).rejects.toMatchObject({ code: 'store.unavailable' });
        double.loseLast(1);
        await double.up();
        // What others append meanwhile is more than what was lost.
        for (const stream of ['other-1', 'other-2', 'other-3'])
          await double.write(stream, { id: randomUUID(), type: 'Other' });
        await plan(store, 'action-c').catch(() => plan(store, 'action-c'));
        expect(kindOf(store)).toBe('recovering');
      },
      { deadlineMs: 2_000 },
    ),
  );

  it(
    'FW25 stays recovering for who had it open, when a person has confirmed it',
    onDouble(async ({ store, double }) => {
      await plan(store, 'action-a');
      await plan(store, 'action-b');
      await putBack(double, 1);
      await until(() => kindOf(store) === 'recovering');
      await beside(double, often.lookMs, async (confirming) => {
        await confirming.confirmRecovered?.();
        expect(kindOf(confirming)).toBe('ready');
        await until(() => 'isConfirmed' in store.condition());
        expect(store.condition()).toMatchObject({ kind: 'recovering', isConfirmed: true });
        expect(kindOf(confirming)).toBe('ready');
      });
      await beside(double, seldom.lookMs, async (anew) => {
        expect(kindOf(anew)).toBe('ready');
        const reason = 'It was told of before.';
        const loss = { first: 1, last: 2 ** 40, reason, recordedAt: at };
        expect(await anew.noteLoss?.(loss)).toBe(false);
        expect(await anew.noteLoss?.({ ...loss, recordedAt: runtime.clock.wallMs() + 1 })).toBe(
          true,
        );
      });
    }, often),
  );

  it(
    'is no loss where it comes back as it was, or where what was seen was given up',
    onDouble(async ({ store, double }) => {
      await plan(store, 'action-a');
      await store.append('action-b', 'no stream', [timed(), timed()]);
      await putBack(double, 0);
      await plan(store, 'action-c').catch(() => plan(store, 'action-c'));
      await store.append('action-c', 0, [timed()]);
      await store.truncate([{ stream: 'action-c', before: 1 }]);
      await store.readStream('action-a');
      expect(kindOf(store)).toBe('ready');
      await plan(store, 'action-d');
      expect(kindOf(store)).toBe('ready');
    }, often),
  );
});
