// Whether a consumer gets on: looks at its lag now and then, and measures how long something has been
// waiting without any of it being done.
import { type PartitionLag } from '@action-ledger/event-log';
import { type Runtime, type Timer } from '@action-ledger/runtime';

export interface Liveness {
  /** Something was handled. */
  progressed(): void;
  stalledMs(): number;
  lag(): number | undefined;
  close(): void;
}

export interface LivenessParts {
  readonly runtime: Pick<Runtime, 'clock' | 'timers'>;
  readonly lag: () => Promise<readonly PartitionLag[]>;
  readonly everyMs: number;
  readonly onFault: (fault: unknown) => void;
  /** After each look. */
  readonly onLooked: () => void;
}

export function watchLiveness(parts: LivenessParts): Liveness {
  const { clock, timers } = parts.runtime;
  let lag: number | undefined;
  /** Of the look or the progress from which on nothing has moved, while something waits. */
  let stalledSince: number | undefined;
  let offsets = '';
  let timer: Timer | undefined;
  let isOpen = true;

  const note = (found: readonly PartitionLag[]): void => {
    lag = found.reduce((sum, each) => sum + each.lag, 0);
    const moved = found.map(({ next }) => next).join();
    if (lag === 0) stalledSince = undefined;
    else if (moved !== offsets || stalledSince === undefined) stalledSince = clock.monoMs();
    offsets = moved;
  };
  const look = async (): Promise<void> => {
    try {
      const found = await parts.lag();
      if (isOpen) note(found);
    } catch (fault) {
      if (isOpen) parts.onFault(fault);
    }
    if (!isOpen) return;
    parts.onLooked();
    timer = timers.after(parts.everyMs, () => void look());
  };
  void look();

  return {
    progressed: () => {
      if (stalledSince !== undefined) stalledSince = clock.monoMs();
    },
    stalledMs: () => (stalledSince === undefined ? 0 : clock.monoMs() - stalledSince),
    lag: () => lag,
    close: () => {
      isOpen = false;
      timer?.cancel();
    },
  };
}
