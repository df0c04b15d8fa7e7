// What goes wrong at times of its own, and not with a call: outages, processes that are killed or stand
// still, clocks that jump.
import { type VirtualRuntime } from '@action-ledger/testkit/virtual-runtime';
import { type Chaos } from './chaos.ts';
import { type Dice } from './dice.ts';
import { type Processes } from './processes.ts';
import { minute } from './tools.ts';

/** Then nothing goes wrong any more. */
export const faultsMs = 15 * minute;

export interface Outage {
  readonly what: 'store' | 'provider';
  readonly from: number;
  readonly until: number;
}

export function outagesOf(dice: Dice, chaos: Chaos): readonly Outage[] {
  return (['store', 'provider'] as const).flatMap((what) => {
    if (!chaos.strikes(`${what}: away`, 0.2, 'once')) return [];
    const from = dice.between(0, faultsMs - 2 * minute, `${what} away`);
    const isLong = what === 'provider' && dice.of('away for long') < 0.4;
    const ms = isLong ? 11 * minute : 100_000;
    return [{ what, from, until: from + dice.between(1_000, ms, `${what} away for`) }];
  });
}

export interface Disturbed {
  readonly time: VirtualRuntime;
  readonly dice: Dice;
  readonly chaos: Chaos;
  readonly processes: Processes;
}

export function disturb({ time, dice, chaos, processes }: Disturbed): void {
  for (let nth = 0; nth < 6; nth += 1) {
    const at = dice.between(0, faultsMs, 'disturbed at', nth);
    const whom = dice.between(0, 20, 'disturbed', nth);
    time.timers.after(at, () => {
      if (chaos.strikes('process: killed at a point', 0.12, 'at a time', nth)) processes.kill(whom);
      if (chaos.strikes('process: stalled', 0.15, nth))
        processes.stall(whom, dice.between(1_000, 240_000, 'stalled for', nth));
      if (chaos.strikes('clock: jumps', 0.15, nth))
        processes.jump(whom, dice.between(-600_000, 600_000, 'jump', nth));
    });
  }
}
