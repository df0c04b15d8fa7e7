import { describe, expect, it } from '@jest/globals';
import { percent, wholeNumber } from './play-options.ts';

describe('percent', () => {
  it.each([
    ['5%', 0.05],
    ['5', 0.05],
    ['0.5%', 0.005],
    [' 100% ', 1],
    ['0', 0],
  ])('reads %j', (text, share) => {
    expect(percent(text)).toBeCloseTo(share, 12);
  });

  it.each(['', '%', '101%', '-1%', '5 %%', 'five', '1e1', '0x5', 'NaN'])('refuses %j', (text) => {
    expect(() => percent(text)).toThrow('percent from 0 to 100');
  });
});

describe('wholeNumber', () => {
  it('reads what lies within its bounds', () => {
    expect(wholeNumber(1, 256)('256')).toBe(256);
  });

  it.each(['', '0', '257', '1.5', '-3', '1e2', 'x'])('refuses %j', (text) => {
    expect(() => wholeNumber(1, 256)(text)).toThrow('whole number from 1 to 256');
  });
});
