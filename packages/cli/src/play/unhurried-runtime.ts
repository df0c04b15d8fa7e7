// A runtime whose time stands still while the process is held up: it goes on by at most one step per
// turn of the event loop. The sandbox's deadlines are short so that a play is short; by this clock a
// slow disk or a busy machine cannot make one pass that nothing but the machine held up.
import { type Runtime, type Timer } from '@action-ledger/runtime';

/** Time per turn, in ms. */
export const stepMs = 5;

interface Pending {
  readonly at: number;
  readonly run: () => void;
  readonly keepsAlive: boolean;
}

/** Timers, clock and everything derived from them; ids and randomness are those of `base`. */
export function createUnhurriedRuntime(base: Runtime): Runtime {
  const wallOffset = base.clock.wallMs() - base.clock.monoMs();
  let now = base.clock.monoMs();
  let seen = now;
  const pending = new Set<Pending>();
  let turn: { readonly timer: Timer; readonly keepsAlive: boolean } | undefined;

  const goOn = (): void => {
    const real = base.clock.monoMs();
    now += Math.min(real - seen, stepMs);
    seen = real;
  };
  const arm = (): void => {
    const keepsAlive = [...pending].some((each) => each.keepsAlive);
    if (turn !== undefined && (turn.keepsAlive || !keepsAlive)) return;
    turn?.timer.cancel();
    // Whatever has passed since the last turn, nobody waited for it.
    if (turn === undefined) seen = base.clock.monoMs();
    turn = { timer: base.timers.after(stepMs, tick, { keepsAlive }), keepsAlive };
  };
  const tick = (): void => {
    turn = undefined;
    goOn();
    const due = [...pending].filter(({ at }) => at <= now).sort((a, b) => a.at - b.at);
    for (const each of due) if (pending.delete(each)) each.run();
    if (pending.size > 0) arm();
  };
  return {
    ...base,
    clock: { monoMs: () => now, wallMs: () => now + wallOffset },
    timers: {
      after: (delayMs, run, options) => {
        const entry = { at: now + delayMs, run, keepsAlive: options?.keepsAlive === true };
        pending.add(entry);
        arm();
        return { cancel: () => void pending.delete(entry) };
      },
    },
  };
}
