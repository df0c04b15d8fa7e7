import { describe, expect, it } from '@jest/globals';
import { type Runtime, type Timer } from '@action-ledger/runtime';
import { createUnhurriedRuntime, stepMs } from './unhurried-runtime.ts';

/** A machine whose turns take as long as the test says. */
function machine(): {
  readonly base: Runtime;
  readonly turn: (tookMs: number) => void;
  readonly waiting: () => number;
} {
  let now = 1_000;
  const timers: { readonly run: () => void; readonly keepsAlive: boolean }[] = [];
  const base: Runtime = {
    clock: { monoMs: () => now, wallMs: () => now + 500_000 },
    timers: {
      after: (_delayMs, run, options): Timer => {
        const entry = { run, keepsAlive: options?.keepsAlive === true };
        timers.push(entry);
        return { cancel: () => void timers.splice(timers.indexOf(entry) >>> 0, 1) };
      },
    },
    randomness: { next: () => 0.5 },
    ids: { next: () => 'id' },
  };
  return {
    base,
    turn: (tookMs) => {
      now += tookMs;
      for (const { run } of timers.splice(0)) run();
    },
    waiting: () => timers.length,
  };
}

describe('time that is not hurried', () => {
  it('goes on with the machine where that is quick', () => {
    const { base, turn } = machine();
    const runtime = createUnhurriedRuntime(base);
    runtime.timers.after(1_000, () => undefined);
    const before = runtime.clock.monoMs();
    turn(3);
    turn(stepMs);
    expect(runtime.clock.monoMs() - before).toBe(3 + stepMs);
    expect(runtime.clock.wallMs() - runtime.clock.monoMs()).toBe(500_000);
  });

  it('stands still while a turn takes long: a deadline of ten steps needs ten turns', () => {
    const { base, turn } = machine();
    const runtime = createUnhurriedRuntime(base);
    let isOver = false;
    runtime.timers.after(10 * stepMs, () => {
      isOver = true;
    });
    for (let turns = 0; turns < 9; turns += 1) turn(5_000);
    expect(isOver).toBe(false);
    turn(5_000);
    expect(isOver).toBe(true);
  });

  it('does not count what passed while nobody waited', () => {
    const { base, turn } = machine();
    const runtime = createUnhurriedRuntime(base);
    turn(60_000);
    const before = runtime.clock.monoMs();
    let isOver = false;
    runtime.timers.after(2, () => {
      isOver = true;
    });
    turn(1);
    expect({ isOver, passedMs: runtime.clock.monoMs() - before }).toEqual({
      isOver: false,
      passedMs: 1,
    });
    turn(1);
    expect(isOver).toBe(true);
  });

  it('fires in order, once, and not what was cancelled', () => {
    const { base, turn, waiting } = machine();
    const runtime = createUnhurriedRuntime(base);
    const fired: string[] = [];
    runtime.timers.after(4, () => fired.push('late'));
    runtime.timers.after(2, () => fired.push('early'));
    runtime.timers.after(3, () => fired.push('cancelled')).cancel();
    turn(stepMs);
    turn(stepMs);
    expect(fired).toEqual(['early', 'late']);
    expect(waiting()).toBe(0);
  });
});
