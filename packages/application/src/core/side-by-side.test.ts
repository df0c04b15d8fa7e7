import { describe, expect, it } from '@jest/globals';
import { StoreFault } from '@action-ledger/event-store';
import { sideBySide } from './side-by-side.ts';

const outage = new StoreFault('store.unavailable', 'safe', 'It is away.');

describe('work side by side', () => {
  it('is begun in order, so many at once', async () => {
    const ends: (() => void)[] = [];
    const begun: number[] = [];
    const all = sideBySide(
      [1, 2, 3],
      (item) => {
        begun.push(item);
        return new Promise<void>((resolve) => ends.push(resolve));
      },
      2,
    );
    expect(begun).toEqual([1, 2]);
    ends[1]?.();
    await untilTold();
    expect(begun).toEqual([1, 2, 3]);
    ends.forEach((end) => {
      end();
    });
    await all;
  });

  it('goes on past what breaks, and tells of it when all is done', async () => {
    const done: number[] = [];
    const all = sideBySide(
      [1, 2, 3],
      async (item) => {
        if (item === 1) throw new Error('This one breaks.');
        done.push(item);
      },
      1,
    );
    await expect(all).rejects.toThrow('This one breaks.');
    expect(done).toEqual([2, 3]);
  });

  it('begins nothing more during an outage, waits for what runs, and tells of the outage first', async () => {
    const begun: number[] = [];
    let hasEnded = false;
    const all = sideBySide(
      [1, 2, 3, 4],
      async (item) => {
        begun.push(item);
        if (item === 2) throw outage;
        await untilTold();
        if (item === 1) throw new Error('This one breaks.');
        hasEnded = true;
      },
      3,
    );
    await expect(all).rejects.toBe(outage);
    expect(begun).toEqual([1, 2, 3]);
    expect(hasEnded).toBe(true);
  });
});

function untilTold(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
