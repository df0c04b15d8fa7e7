import { expect, it } from '@jest/globals';
import { countAppends } from './count-appends.ts';
import { createMemoryEventStore } from './memory-event-store.ts';

it('counts what was appended through it and how long it took, and reads as before', async () => {
  let nowMs = 1_000;
  const memory = createMemoryEventStore();
  const { store, appends, latency } = countAppends(
    {
      ...memory,
      append: async (...args) => {
        nowMs += 30;
        return memory.append(...args);
      },
    },
    () => nowMs,
  );
  const event = { id: 'a'.repeat(22), type: 'Said', data: '{}', metadata: '{}' };
  await store.append('said-1', 'no stream', [event]);
  await store.append('said-2', 'no stream', [{ ...event, id: 'b'.repeat(22) }]);
  expect(appends()).toBe(2);
  const { counts, sumSeconds } = latency();
  expect(sumSeconds).toBeCloseTo(0.06);
  expect(counts.reduce((sum, each) => sum + each, 0)).toBe(2);
  expect(await store.readAll({ after: 0, max: 10 })).toHaveLength(2);
});
