import { describe, expect, it } from '@jest/globals';
import { openEventStoreDbEventStore } from './index.ts';
import { newEvent, type OnDouble, onDouble, runtime } from '../test-support/on-double.ts';

const ready = { kind: 'ready' };

async function opened({ double }: OnDouble, check: (kind: object) => void): Promise<void> {
  const { connectionString } = double;
  const store = await openEventStoreDbEventStore({ connectionString, runtime });
  check(store.condition());
  await store.close();
}

describe('a loss that somebody has noted', () => {
  it(
    'FW25 makes it recovering, for whoever opens it, until it is confirmed',
    onDouble(async (on) => {
      const { store } = on;
      await store.append('action-a', 'no stream', [newEvent()]);
      const head = await store.head();
      const reason = 'The log has told of more.';
      expect(store.condition()).toEqual(ready);
      expect(await store.noteLoss?.({ first: head + 1, last: head + 900, reason })).toBe(true);
      const recovering = { kind: 'recovering', reason, head, mark: head + 900 };
      expect(store.condition()).toEqual(recovering);
      await opened(on, (condition) => {
        expect(condition).toEqual(recovering);
      });
      expect(await store.head()).toBe(head);
      await store.confirmRecovered?.();
      expect(store.condition()).toEqual(ready);
      await opened(on, (condition) => {
        expect(condition).toEqual(ready);
      });
    }),
  );

  it(
    'is noted again behind the end, and not within it once it was confirmed',
    onDouble(async (on) => {
      const { store } = on;
      for (const stream of ['action-a', 'action-b'])
        await store.append(stream, 'no stream', [newEvent()]);
      const head = await store.head();
      const within = { first: 1, last: 9, reason: 'It is gone.' };
      const behind = { first: head + 1, last: head + 9, reason: 'So is that.' };
      expect(await store.noteLoss?.(within)).toBe(true);
      expect(await store.noteLoss?.(behind)).toBe(true);
      expect(store.condition()).toMatchObject({ reason: 'It is gone.', lost: [[1, 9]] });
      await store.confirmRecovered?.();
      expect(await store.noteLoss?.(within)).toBe(false);
      expect(store.condition()).toEqual(ready);
      await opened(on, (condition) => {
        expect(condition).toEqual(ready);
      });
      expect(await store.noteLoss?.(behind)).toBe(true);
      expect(store.condition()).toMatchObject({ kind: 'recovering', mark: head + 9 });
    }),
  );
});
