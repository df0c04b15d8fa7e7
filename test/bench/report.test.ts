import { describe, expect, it } from '@jest/globals';
import { isReached, limits, ratios, timedRows } from './report.ts';
import { type Sample } from './sample.ts';

function sample(
  contender: Sample['contender'],
  round: number,
  actionsPerSecond: number,
  more: Partial<Sample> = {},
): Sample {
  return {
    type: 'slice done',
    contender,
    work: 'W1',
    callers: 1,
    round,
    actions: actionsPerSecond * 2,
    seconds: 2,
    p50Ms: 1000 / actionsPerSecond,
    p99Ms: 5,
    cpuMs: actionsPerSecond,
    commits: undefined,
    ...more,
  };
}

const none = new Map();

describe('timedRows', () => {
  it('reports medians over the rounds, one row for each contender, work and callers', () => {
    const rows = timedRows(
      [
        sample('http', 0, 100),
        sample('http', 1, 900),
        sample('http', 2, 400),
        sample('http', 0, 50, { callers: 16 }),
        sample('ledger', 0, 70),
      ],
      none,
    );
    expect(rows.map((row) => [row.contender, row.callers, row.actionsPerSecond])).toEqual([
      ['http', 1, 400],
      ['http', 16, 50],
      ['ledger', 1, 70],
    ]);
    expect(rows[0]).toMatchObject({ cpuMsPerAction: 0.5, p99Ms: 5, syncsPerAction: null });
  });

  it('adds what was counted; bytes are those of new actions', () => {
    const counted = new Map([
      [
        'ledger' as const,
        { bytesPerAction: 2000, diskBytesPerAction: 3000, syncsPerAction: () => 2 },
      ],
    ]);
    const rows = timedRows(
      [sample('ledger', 0, 10), sample('ledger', 0, 10, { work: 'W2' })],
      counted,
    );
    expect(rows).toMatchObject([
      { work: 'W1', bytesPerAction: 2000, syncsPerAction: 2 },
      { work: 'W2', bytesPerAction: null, syncsPerAction: 2 },
    ]);
  });
});

describe('ratios', () => {
  const rounds = [
    // The machine was half as fast in the second round; the ratio within a round is the same.
    ...[sample('sqlite-grouped', 0, 100), sample('sqlite-grouped', 0, 80), sample('ledger', 0, 81)],
    ...[
      sample('sqlite-grouped', 1, 50),
      sample('sqlite-grouped', 1, 40),
      sample('ledger', 1, 40.5),
    ],
  ];
  const valueOf = (what: string, samples: readonly Sample[]): number | undefined =>
    ratios(samples).find((ratio) => ratio.what.startsWith(what))?.value;

  it('compares within a round, with the mean of the two yardstick slices', () => {
    expect(valueOf('W1 ledger / sqlite-grouped', rounds)).toBeCloseTo(0.9);
  });

  it('shows the noise of the yardstick against itself', () => {
    expect(valueOf('W1 noise', rounds)).toBeCloseTo(0.8);
  });

  it('compares what is added to the bare call at one caller', () => {
    const withHttp = [
      sample('http', 0, 1, { p50Ms: 0.1 }),
      sample('sqlite-grouped', 0, 1, { p50Ms: 0.5 }),
      sample('ledger', 0, 1, { p50Ms: 0.6 }),
    ];
    expect(valueOf('W1 p50 added', withHttp)).toBeCloseTo(1.25);
    expect(valueOf('W1 p50 added', rounds)).toBeUndefined();
  });

  it('has goals by work and callers, and says whether they are reached', () => {
    const [first] = ratios(rounds);
    expect(first).toMatchObject({ goal: { least: 0.85 } });
    expect(isReached({ what: '', callers: 1, value: 0.84, goal: { least: 0.85 } })).toBe(false);
    expect(isReached({ what: '', callers: 1, value: 1.25, goal: { most: 1.25 } })).toBe(true);
    expect(isReached({ what: '', callers: 1, value: 1 })).toBeUndefined();
  });

  it('says nothing about contenders that did not run', () => {
    expect(ratios([sample('http', 0, 10)])).toEqual([]);
  });
});

describe('limits', () => {
  const [row] = timedRows([sample('ledger', 0, 10, { callers: 16, commits: 4 })], none);

  it('holds the ledger to its syncs', () => {
    expect(limits(row ? [row] : [])).toEqual([
      { what: 'W1 ledger, syncs per action', callers: 16, value: 0.2, goal: { most: 0.25 } },
    ]);
  });

  it('holds a crash run to nothing doubled, lost or left, and says nothing of other contenders', () => {
    const crashed = { doubled: 1, toldFailed: 0, lost: 0, open: 0, firstAnswerMs: 300 };
    const figures = limits(row ? [{ ...row, ...crashed, work: 'W3', callers: 1 }] : []);
    expect(figures.map((figure) => [figure.value, isReached(figure)])).toEqual([
      [1, false],
      [0, true],
      [0, true],
      [0, true],
      [300, true],
    ]);
    expect(limits(row ? [{ ...row, contender: 'http' }] : [])).toEqual([]);
  });
});
