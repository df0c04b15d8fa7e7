import { describe, expect, it } from '@jest/globals';
import { writePoints } from '@action-ledger/application';
import { createKillPlan, nameOfPass, type PointPassed } from './kill-plan.ts';

const passes = (run: string): readonly PointPassed[] =>
  writePoints.flatMap((point) =>
    [1, 2].flatMap((attempt) =>
      Array.from({ length: 50 }, (_, seq) => ({ run, seq, attempt, point })),
    ),
  );

describe('the plan of kills', () => {
  it('is the same for the same seed, and another for another', () => {
    const drawn = (seed: number): readonly string[] => {
      const isDrawn = createKillPlan(seed, 0.02);
      return passes('r').filter(isDrawn).map(nameOfPass);
    };
    expect(drawn(7)).toEqual(drawn(7));
    expect(drawn(7)).not.toEqual(drawn(8));
  });

  it('draws every point, and points that few actions pass more often', () => {
    const drawn = ['a', 'b', 'c', 'd'].flatMap(passes).filter(createKillPlan(7, 0.05));
    const count = (point: string): number => drawn.filter((pass) => pass.point === point).length;
    for (const point of writePoints) expect(count(point)).toBeGreaterThan(0);
    expect(count('reconciled')).toBeGreaterThan(4 * count('replied'));
  });

  it('kills nobody at a share of 0', () => {
    expect(passes('r').some(createKillPlan(7, 0))).toBe(false);
  });
});
