// The share of the time that an auditor takes, by virtual clocks.
import { describe, expect, it } from '@jest/globals';
import { createVirtualRuntime } from '@action-ledger/testkit';
import { createRests } from './rests.ts';

const looks = 40;
const workMs = 2;

/** So many partitions look at streams, each time for 2 ms. @returns how many looks there were */
async function looksOf(partitions: number, afterMs: number): Promise<number> {
  const runtime = createVirtualRuntime();
  let now = 0;
  const clock = { wallMs: () => now, monoMs: () => now };
  const rests = createRests({ timers: runtime.timers, clock });
  let done = 0;
  const partition = async (): Promise<void> => {
    for (let look = 0; look < looks; look += 1) {
      await rests.inTurn(async () => {
        now += workMs;
        done += 1;
        return Promise.resolve();
      });
      await rests.take();
    }
  };
  for (let n = 0; n < partitions; n += 1) void partition();
  await runtime.advance(afterMs);
  return done;
}

describe('what an auditor takes of the time', () => {
  it('is a tenth, however many partitions it looks at', async () => {
    // 18 ms of rest for each 2 ms; the clock of the timers stands still while it works.
    expect(await looksOf(1, 360)).toBe(21);
    // Those that came at once, before anything was done, rest afterwards.
    expect(await looksOf(8, 360)).toBeLessThan(21 + 8);
  });

  it('is all of it once it is told to end', async () => {
    const runtime = createVirtualRuntime();
    const rests = createRests(runtime);
    await rests.inTurn(() => runtime.advance(workMs));
    const rest = rests.take();
    await runtime.settle();
    expect(runtime.pendingTimers()).toBe(1);
    rests.end();
    await rest;
    await rests.inTurn(() => runtime.advance(workMs));
    await rests.take();
    expect(runtime.pendingTimers()).toBe(0);
  });
});
