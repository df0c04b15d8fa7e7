import { describe, expect, it } from '@jest/globals';
import { viewsOfRows } from './views-of-rows.ts';

describe('what is told of the rows of a list', () => {
  it('is read sixteen at a time, and told in the order of the rows', async () => {
    const rows = Array.from({ length: 40 }, (_, n) => n);
    const waiting: (() => void)[] = [];
    const told = viewsOfRows(rows, async (row) => {
      await new Promise<void>((resolve) => waiting.push(resolve));
      return row % 2 === 0 ? [{ row }] : [];
    });
    const begun: number[] = [];
    while (waiting.length > 0) {
      begun.push(waiting.length);
      // The last that was begun is read first.
      for (const goOn of waiting.splice(0).reverse()) goOn();
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(begun).toEqual([16, 16, 8]);
    expect(await told).toEqual(rows.filter((row) => row % 2 === 0).map((row) => ({ row })));
  });

  it('fails where one cannot be read', async () => {
    const broken = viewsOfRows([1, 2], () => Promise.reject(new Error('away')));
    await expect(broken).rejects.toThrow('away');
  });
});
