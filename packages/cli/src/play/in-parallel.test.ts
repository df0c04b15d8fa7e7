import { describe, expect, it } from '@jest/globals';
import { inParallel } from './in-parallel.ts';

async function* numbers(count: number, onTaken: (number: number) => void = () => undefined) {
  for (let number = 1; number <= count; number += 1) {
    onTaken(number);
    yield number;
  }
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('inParallel', () => {
  it('does every piece, at most so many at once', async () => {
    let running = 0;
    let most = 0;
    const done: number[] = [];
    await inParallel(numbers(20), 3, async (number) => {
      running += 1;
      most = Math.max(most, running);
      await turn();
      running -= 1;
      done.push(number);
    });
    expect({ most, done: done.sort((a, b) => a - b) }).toEqual({
      most: 3,
      done: Array.from({ length: 20 }, (_, index) => index + 1),
    });
  });

  it('takes nothing new after a failure, waits for what runs, and throws it', async () => {
    const taken: number[] = [];
    const ended: number[] = [];
    const work = inParallel(
      numbers(100, (number) => taken.push(number)),
      2,
      async (number) => {
        await turn();
        if (number === 1) throw new Error('broken');
        await turn();
        ended.push(number);
      },
    );
    await expect(work).rejects.toThrow('broken');
    expect(taken.length).toBeLessThan(5);
    expect(ended).toContain(2);
  });

  it('throws what its source throws', async () => {
    async function* broken(): AsyncGenerator<number> {
      yield 1;
      throw new Error('cut');
    }
    await expect(inParallel(broken(), 4, async () => undefined)).rejects.toThrow('cut');
  });
});
