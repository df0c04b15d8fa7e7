import { describe, expect, it } from '@jest/globals';
import { draw, drawFault } from './draw.ts';

describe('draw', () => {
  it('gives the same number for the same seed and purpose, and others otherwise', () => {
    expect(draw(7, 'kill', 'r1', 3)).toBe(draw(7, 'kill', 'r1', 3));
    const others = [draw(8, 'kill', 'r1', 3), draw(7, 'fault', 'r1', 3), draw(7, 'kill', 'r13')];
    expect(new Set([...others, draw(7, 'kill', 'r1', 3)]).size).toBe(4);
  });

  it('spreads evenly over [0, 1)', () => {
    const drawn = Array.from({ length: 2_000 }, (_, n) => draw(1, n));
    expect(Math.min(...drawn)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...drawn)).toBeLessThan(1);
    expect(drawn.reduce((sum, each) => sum + each, 0) / drawn.length).toBeCloseTo(0.5, 1);
  });
});

describe('drawFault', () => {
  const count = 4_000;
  const faults = (rates: Parameters<typeof drawFault>[1]): (string | undefined)[] =>
    Array.from({ length: count }, (_, seq) => {
      const fault = drawFault(7, rates, { run: 'r', seq, attempt: 1 });
      return fault === undefined ? undefined : JSON.stringify(fault);
    });

  it('draws none without rates', () => {
    expect(faults({}).every((fault) => fault === undefined)).toBe(true);
  });

  it('draws every kind at its rate, and half of the timeouts without an effect', () => {
    const drawn = faults({
      lostResponses: 0.1,
      timeouts: 0.1,
      lateArrivals: 0.1,
      errorsAfterCommit: 0.1,
      storedErrors: 0.1,
      errorBodies: 0.1,
    });
    const kinds = new Map<string, number>();
    for (const fault of drawn) kinds.set(fault ?? 'none', (kinds.get(fault ?? 'none') ?? 0) + 1);
    const shares = [...kinds.values()].map((each) => each / count).sort((a, b) => a - b);
    expect(shares.map((share) => Math.round(share * 20) / 20)).toEqual([
      0.05, 0.05, 0.1, 0.1, 0.1, 0.1, 0.1, 0.4,
    ]);
  });
});
