import { describe, expect, it } from '@jest/globals';
import { createVirtualRuntime } from '@action-ledger/testkit';
import { endWithin, stopTimes } from './stopping.ts';

const second = 1_000;

describe('a process that is told to stop', () => {
  it('ends 40 s later at the latest, and not before it is told', async () => {
    const runtime = createVirtualRuntime();
    const told = new AbortController();
    let ended = 0;
    endWithin(told.signal, runtime, () => (ended += 1));
    await runtime.advance(60 * second);
    expect(ended).toBe(0);
    told.abort();
    await runtime.advance(40 * second - 1);
    expect(ended).toBe(0);
    await runtime.advance(1);
    expect(ended).toBe(1);
  });

  it('has time for all its parts before that', () => {
    const { drainMs, stopWithinMs, wholeMs } = stopTimes;
    const recordMs = 5 * second;
    expect(2 * stopWithinMs + drainMs + recordMs).toBeLessThan(wholeMs);
  });
});
