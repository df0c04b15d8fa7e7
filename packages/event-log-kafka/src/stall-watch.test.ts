import { describe, expect, it } from '@jest/globals';
import { createStallWatch } from './stall-watch.ts';

const place = { topic: 't', partition: 0 };

function watching() {
  let now = 0;
  const watch = createStallWatch({ stallMs: 1_000, clock: { monoMs: () => now } });
  return { ...watch, pass: (ms: number) => void (now += ms) };
}

describe('F103 alive but not consuming', () => {
  it('a partition that ends beyond what is wanted, for too long → told with its lag', () => {
    const { stalled, pass } = watching();
    const wanting = [{ ...place, wanted: 7 }];
    expect(stalled(wanting, [{ ...place, end: 10 }])).toEqual([]);
    pass(999);
    expect(stalled(wanting, [{ ...place, end: 11 }])).toEqual([]);
    pass(1);
    expect(stalled(wanting, [{ ...place, end: 12 }])).toEqual([
      { ...place, lag: 5, silentMs: 1_000 },
    ]);
  });

  it.each([
    ['nothing waits', 7, 7],
    ['it is still being handled, or paused', undefined, 10],
  ])('%s → silence is no stall', (_what, wanted, end) => {
    const { stalled, pass } = watching();
    stalled([{ ...place, wanted }], [{ ...place, end }]);
    pass(5_000);
    expect(stalled([{ ...place, wanted }], [{ ...place, end }])).toEqual([]);
  });

  it('something came meanwhile → no stall', () => {
    const { stalled, pass } = watching();
    stalled([{ ...place, wanted: 7 }], [{ ...place, end: 10 }]);
    pass(900);
    stalled([{ ...place, wanted: 8 }], [{ ...place, end: 10 }]);
    pass(900);
    expect(stalled([{ ...place, wanted: 8 }], [{ ...place, end: 10 }])).toEqual([]);
  });

  it('another membership begins → it has its time', () => {
    const { stalled, begin, pass } = watching();
    stalled([{ ...place, wanted: 7 }], [{ ...place, end: 10 }]);
    pass(5_000);
    begin();
    expect(stalled([{ ...place, wanted: 7 }], [{ ...place, end: 10 }])).toEqual([]);
  });

  it('no sign of the brokers for too long → told, until there is one', () => {
    const { silentMs, sign, pass } = watching();
    pass(1_000);
    expect(silentMs()).toBeUndefined();
    pass(1);
    expect(silentMs()).toBe(1_001);
    sign();
    expect(silentMs()).toBeUndefined();
  });
});
