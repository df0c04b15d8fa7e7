import { describe, expect, it } from '@jest/globals';
import { StoreFault } from '@action-ledger/event-store';
import { createVirtualRuntime } from '@action-ledger/testkit';
import { runUntilStopped } from './run-until-stopped.ts';

const away = new StoreFault('store.unavailable', 'safe', 'The store is away.');

/** A service whose starts end so, one after the other. */
function given(...ends: readonly (Error | undefined)[]) {
  const runtime = createVirtualRuntime();
  const stopping = new AbortController();
  const told: string[] = [];
  let starts = 0;
  const running = {
    start: async () => {
      const end = ends[starts];
      starts += 1;
      if (end !== undefined) throw end;
      return Promise.resolve();
    },
    stop: () => Promise.resolve(),
    health: () =>
      ({ condition: 'live', stalledMs: 0, lag: 0, handled: 0, deadLetters: 0 }) as const,
  };
  const run = runUntilStopped(running, {
    runtime,
    stop: stopping.signal,
    onAway: (fault) => told.push(String(fault)),
    onStarted: () => told.push('started'),
  });
  const stop = (): void => {
    stopping.abort();
  };
  return { runtime, stop, told, run, starts: () => starts };
}

describe('a service of a process', () => {
  it('starts anew where what it needs goes away while it starts', async () => {
    const { runtime, stop, told, run } = given(away, away, undefined);
    await runtime.advance(1_000);
    expect(told).toEqual([String(away), String(away), 'started']);
    stop();
    await run;
  });

  it('fails where starting anew cannot help', async () => {
    await expect(given(new Error('It is wrong.')).run).rejects.toThrow('It is wrong.');
  });

  it('does not start anew once it is told to stop', async () => {
    const { runtime, stop, told, run, starts } = given(away, undefined);
    await runtime.settle();
    stop();
    await run;
    await runtime.advance(1_000);
    expect([starts(), told]).toEqual([1, [String(away)]]);
  });
});
