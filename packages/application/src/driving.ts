// What makes open actions move: looks at what is due, and room to send it. A ledger that does not drive
// has neither: it records, and another process does the rest.
import { type Runtime } from '@action-ledger/runtime';
import { createAttending } from './attending.ts';
import { createDueIndex, type DueIndex } from './due-index.ts';
import { type OnFault } from './host-functions.ts';
import { type LedgerClock } from './ledger-clock.ts';
import { createSlots, type Slots } from './slots.ts';

export interface DrivingOptions {
  /**
   * False: it records what callers and people say, and leaves everything that follows to another
   * process, now or later. Default true.
   */
  readonly drives?: boolean;
  /** Attempts under way at once, of all tools together. Default: no bound. */
  readonly slotsMax?: number;
}

export interface Driving {
  readonly drives: boolean;
  readonly attend: (actionId: string) => Promise<void>;
  readonly due: DueIndex;
  readonly slots: Slots;
}

export function createDriving(
  { drives = true, slotsMax }: DrivingOptions,
  clock: LedgerClock,
  { timers }: Pick<Runtime, 'timers'>,
  look: (actionId: string) => Promise<void>,
  onFault: OnFault,
): Driving {
  if (!drives) return { drives, attend: async () => Promise.resolve(), due: noDue, slots: noSlots };
  const attend = createAttending(look, onFault);
  const due = createDueIndex(clock, timers, (actionId) => void attend(actionId));
  const slots = createSlots({ clock, due, ...(slotsMax === undefined ? {} : { slotsMax }) });
  return { drives, attend, due, slots };
}

const noDue: DueIndex = {
  set: () => undefined,
  size: () => 0,
  all: () => [],
  stop: () => undefined,
};

const noSlots: Slots = { take: () => 'full', release: () => undefined };
