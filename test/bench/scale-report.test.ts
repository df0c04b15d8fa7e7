import { describe, expect, it } from '@jest/globals';
import { isMissed, type Measured, printScale, scaleRows } from './scale-report.ts';

const small: Measured = {
  actions: 10_000,
  costs: { propose: [100, 200, 300], list: [50, 50, 50], repeat: [40, 40, 40] },
  once: { firstAnswerMs: 90, residentMb: 120, views: 200_000, chain: 200_000, verify: 90_000 },
};
const large: Measured = {
  actions: 100_000,
  costs: { propose: [110, 220, 900], list: [50, 70, 70], repeat: [50, 50, 50] },
  once: { firstAnswerMs: 601, residentMb: 240, views: 149_000, chain: 150_000, verify: 80_000 },
};
const rows = scaleRows([small, large]);
const rowOf = (what: string, actions = 100_000) => {
  const found = rows.find((row) => row.what === what && row.actions === actions);
  if (found === undefined) throw new Error(`no row ${what}`);
  return found;
};

describe('scaleRows', () => {
  it('compares costs within a round, not their medians', () => {
    expect(rowOf('propose a new action')).toMatchObject({ value: 220, unit: 'µs', ratio: 1.1 });
  });

  it('sets goals to the larger ledger only', () => {
    expect(rows.filter(({ goal, actions }) => goal !== undefined && actions === 10_000)).toEqual(
      [],
    );
    expect(rows.filter(isMissed).map(({ what }) => what)).toEqual([
      'list the last 50',
      'open to first answer',
      'views rebuilt',
    ]);
  });
});

describe('printScale', () => {
  it('sets both sizes side by side, with the goal that was missed', () => {
    const lines = printScale(rows, { node: '24', cores: 2 }).split('\n');
    expect(lines.find((line) => line.startsWith('list'))).toMatch(
      /^list the last 50 +µs +50 +70 +1\.40 +≤ 1\.2 +missed$/,
    );
    expect(lines.find((line) => line.startsWith('chain'))).toMatch(/200,000 +150,000 +≥ 150,000$/);
  });
});
