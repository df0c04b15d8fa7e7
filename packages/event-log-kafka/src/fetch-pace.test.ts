import { describe, expect, it } from '@jest/globals';
import { createVirtualRuntime } from '@action-ledger/testkit';
import { createFetchPace } from './fetch-pace.ts';

function createWorld() {
  const runtime = createVirtualRuntime();
  const pace = createFetchPace(runtime, 20);
  const isOver = async (records: number, afterMs: number): Promise<boolean> => {
    let over = false;
    void pace.brought(records).then(() => (over = true));
    await runtime.advance(afterMs);
    return over;
  };
  return { pace, isOver };
}

describe('between two fetches', () => {
  it('that bring little time passes', async () => {
    const { pace, isOver } = createWorld();
    pace.fetched();
    expect(await isOver(1, 19)).toBe(false);
    pace.fetched();
    expect(await isOver(1, 20)).toBe(true);
  });

  it('none passes where much was brought', async () => {
    const { pace, isOver } = createWorld();
    pace.fetched();
    expect(await isOver(100, 0)).toBe(true);
  });

  it('it passes once, however many partitions brought something', async () => {
    const { pace, isOver } = createWorld();
    pace.fetched();
    expect(await isOver(1, 20)).toBe(true);
    expect(await isOver(1, 0)).toBe(true);
  });
});
