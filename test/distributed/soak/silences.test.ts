import { describe, expect, it } from '@jest/globals';
import { createSilences } from './silences.ts';

function createWorld() {
  let now = 0;
  const broken: string[] = [];
  const silences = createSilences(
    () => now,
    15,
    (service, { heldSeconds }) => broken.push(`${service} ${heldSeconds}`),
  );
  return {
    ...silences,
    broken,
    pass: (seconds: number) => {
      now += seconds * 1_000;
    },
    at: (next: number, waits = true, service = 'executor') => {
      silences.saw(service, [{ place: 'action.events/0', next, waits }]);
    },
    of: (service = 'executor') => silences.worst().get(service),
  };
}

describe('silences', () => {
  it('last from when something waited until it got on', () => {
    const { pass, at, of } = createWorld();
    at(1);
    pass(20);
    at(1);
    pass(5);
    at(2);
    pass(5);
    at(2);
    expect(of()).toEqual({ longestSeconds: 20, heldSeconds: 20, boundSeconds: 15 });
  });

  it('are told of as long as they grow beyond their bound', () => {
    const { pass, at, broken } = createWorld();
    for (let looks = 0; looks < 4; looks += 1) {
      at(1);
      pass(6);
    }
    at(1);
    at(2);
    pass(5);
    at(2);
    expect(broken).toEqual(['executor 18', 'executor 24']);
  });

  it('are none where nothing waits', () => {
    const { pass, at, of } = createWorld();
    at(1);
    pass(10);
    at(1, false);
    pass(10);
    at(1, false);
    at(1);
    pass(4);
    at(1);
    expect(of()?.longestSeconds).toBe(4);
  });

  it('are held against nobody while something is away, and from its return on', () => {
    const { pass, at, of, excuse } = createWorld();
    at(1);
    const isBack = excuse(15);
    pass(60);
    at(1);
    expect(of()?.heldSeconds).toBe(0);
    isBack();
    pass(16);
    at(1);
    expect(of()).toEqual({ longestSeconds: 76, heldSeconds: 16, boundSeconds: 15 });
  });

  it('count from their own beginning where that came later than the excuse', () => {
    const { pass, at, of, excuse } = createWorld();
    excuse(16)();
    pass(30);
    at(1);
    pass(12);
    at(1);
    expect(of()).toEqual({ longestSeconds: 12, heldSeconds: 12, boundSeconds: 15 });
  });

  it('that begin while it has its time are held to the end of it', () => {
    const { pass, at, of, excuse } = createWorld();
    excuse(25)();
    pass(1);
    at(1);
    pass(16);
    at(1);
    expect(of()).toEqual({ longestSeconds: 16, heldSeconds: 17, boundSeconds: 25 });
    pass(9);
    at(1);
    expect(of()).toEqual({ longestSeconds: 25, heldSeconds: 26, boundSeconds: 25 });
  });

  it('of one service are not excused by what befell another', () => {
    const { pass, at, of, excuse } = createWorld();
    at(1);
    at(1, true, 'auditor');
    pass(10);
    excuse(16, 'auditor')();
    pass(10);
    at(1);
    at(1, true, 'auditor');
    expect(of()).toEqual({ longestSeconds: 20, heldSeconds: 20, boundSeconds: 15 });
    expect(of('auditor')).toEqual({ longestSeconds: 20, heldSeconds: 10, boundSeconds: 16 });
  });
});
