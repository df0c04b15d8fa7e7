import { describe, expect, it } from '@jest/globals';
import { pauseAfter } from './deliver.ts';

describe('the pauses between tries', () => {
  it('double, and are never so long that who is back is not asked for long', () => {
    expect([1, 2, 3, 6].map((failures) => pauseAfter(failures, {}))).toEqual([
      100, 200, 400, 3_200,
    ]);
    expect(pauseAfter(100, {})).toBe(5_000);
  });

  it('are what a consumer asks for', () => {
    expect(pauseAfter(3, { pauseMinMs: 1, pauseMaxMs: 3 })).toBe(3);
  });
});
