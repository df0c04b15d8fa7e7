// The ledger's time: the wall clock, never below the highest event time handed out, and going on by
// the monotonic clock where the wall clock was set back (DESIGN.md section 5).
import { type Clock } from '@action-ledger/runtime';

export interface LedgerClock {
  /** Wall-clock ms since the epoch, never going back. */
  nowMs(): number;
  monoMs(): number;
  /** The wall clock stands behind the highest event time: key windows cannot be judged. */
  isBehind(): boolean;
  /** An event with this time exists. */
  observe(atMs: number): void;
}

/** Slewing moves the two clocks apart by so little; below it the wall clock is not called behind. */
export const behindToleranceMs = 60_000;

export function createLedgerClock(clock: Clock): LedgerClock {
  /** At `anchorMono` the time was `highest`; from there it goes on by the monotonic clock at least. */
  let highest = 0;
  let anchorMono = clock.monoMs();
  const floorMs = (): number => highest + (clock.monoMs() - anchorMono);
  return {
    nowMs: () => {
      const wall = clock.wallMs();
      const floor = floorMs();
      if (wall < floor) return Math.floor(floor);
      highest = wall;
      anchorMono = clock.monoMs();
      return Math.floor(wall);
    },
    monoMs: () => clock.monoMs(),
    isBehind: () => clock.wallMs() + behindToleranceMs < floorMs(),
    observe: (atMs) => {
      if (atMs <= floorMs()) return;
      highest = atMs;
      anchorMono = clock.monoMs();
    },
  };
}
