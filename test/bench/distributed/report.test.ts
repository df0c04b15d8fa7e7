import { describe, expect, it } from '@jest/globals';
import { type DistributedRow, isMissed, printDistributed } from './report.ts';

const row = (more: Partial<DistributedRow>): DistributedRow => ({
  work: 'distributed',
  what: 'a figure',
  unit: 'ratio',
  value: 1,
  ...more,
});

describe('rows of the distributed size', () => {
  it.each([
    [row({ value: 0.4, goal: { least: 0.4 } }), false],
    [row({ value: 0.39, goal: { least: 0.4 } }), true],
    [row({ value: 200, goal: { most: 200 } }), false],
    [row({ value: 201, goal: { most: 200 } }), true],
    [row({ value: NaN, goal: { most: 200 } }), true],
    [row({}), false],
  ])('%# are missed where the value is on the wrong side of its goal', (given, missed) => {
    expect(isMissed(given)).toBe(missed);
  });

  it('are printed with their goals and what was missed', () => {
    const text = printDistributed(
      [
        row({ value: 0.25, goal: { least: 0.4 } }),
        row({ what: 'appends', unit: '/s', value: 2_000 }),
      ],
      { node: '24.0.0', cores: 2 },
    );
    expect(text).toContain('a figure  ratio   0.25  ≥ 0.40  missed');
    expect(text).toContain('appends   /s     2,000');
  });
});
