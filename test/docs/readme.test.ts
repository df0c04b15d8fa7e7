// Every code block of README.md is really run, and what it says is printed is compared with what is.
import { describe, expect, it } from '@jest/globals';
import { readPage } from './pages.ts';
import { purposeOf, withoutChance } from './run-blocks.ts';
import { testBlocks } from './test-blocks.ts';

const readme = readPage('README.md');

testBlocks(readme);

describe('README.md', () => {
  it('shows nothing that is only to look at', () => {
    expect(readme.blocks.length).toBeGreaterThan(5);
    for (const block of readme.blocks) expect(purposeOf(block).kind).not.toBe('picture');
  });

  it('wraps a function in at most 30 lines', () => {
    const program = readme.blocks.find(({ options }) => options['file'] === 'refund.ts');
    expect(program?.text.trimEnd().split('\n').length).toBeLessThanOrEqual(30);
  });
});

describe('the comparison of outputs', () => {
  it('overlooks times, durations and rates', () => {
    const one = 'done at 2026-01-02T03:04:05.678Z in 12.3 ms (1,234 writes per second)  \n';
    const other = '\ndone at 2027-11-12T13:14:15.006Z in 9 s (87 writes per second)';
    expect(withoutChance(one)).toBe(withoutChance(other));
  });

  it('overlooks nothing else', () => {
    expect(withoutChance('1 effect')).not.toBe(withoutChance('2 effects'));
    expect(withoutChance('re_1')).not.toBe(withoutChance('re_2'));
    expect(withoutChance('a  b')).not.toBe(withoutChance('a b'));
  });
});
