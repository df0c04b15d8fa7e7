// What makes open actions move: the duties, looks at what is due, and room to send it. Without a duty
// nothing is due, and without the duty to send nothing new finds room: it is recorded, and others do
// the rest.
import { type Runtime } from '@action-ledger/runtime';
import { type Attending, createAttending } from '../attend/attending.ts';
import { createDueIndex, type DueIndex } from '../attend/due-index.ts';
import { createSlots, type Slots } from '../attempt/slots.ts';
import { allDuties, type ChangingDuties, createDuties, type Duties, type Duty } from './duties.ts';
import { type OnFault } from './host-functions.ts';
import { type LedgerClock } from './ledger-clock.ts';

export interface DrivingOptions {
  /** What it does by itself from the start. Default: everything. */
  readonly duties?: readonly Duty[];
  /** Attempts under way at once, of all tools together. Default: no bound. */
  readonly slotsMax?: number;
}

export interface Driving {
  readonly duties: ChangingDuties;
  readonly attend: Attending['attend'];
  readonly attendOrFail: Attending['attendOrFail'];
  readonly due: DueIndex;
  readonly slots: Slots;
}

export function createDriving(
  { duties: initial = allDuties, slotsMax }: DrivingOptions,
  clock: LedgerClock,
  { timers }: Pick<Runtime, 'timers'>,
  look: (due: string) => Promise<void>,
  onFault: OnFault,
): Driving {
  const duties = createDuties(initial);
  const lookAndPassOn = async (each: string): Promise<void> => {
    try {
      await look(each);
    } finally {
      slots.passOn(each);
    }
  };
  const attending = createAttending(lookAndPassOn, onFault);
  const attend = (due: string): Promise<void> =>
    duties.any() ? attending.attend(due) : Promise.resolve();
  const due = dueByDuties(
    createDueIndex(clock, timers, (each) => void attend(each)),
    duties,
  );
  const slots = createSlots({ clock, due, ...(slotsMax === undefined ? {} : { slotsMax }) });
  const { attendOrFail } = attending;
  return { duties, attend, attendOrFail, due, slots: slotsByDuties(slots, duties) };
}

function dueByDuties(due: DueIndex, duties: Duties): DueIndex {
  return {
    ...due,
    set: (name, dueAt) => {
      if (dueAt === undefined || duties.any()) due.set(name, dueAt);
    },
  };
}

function slotsByDuties(slots: Slots, duties: Duties): Slots {
  return {
    ...slots,
    take: (wanted) => (wanted.isNew && !duties.has('send') ? 'full' : slots.take(wanted)),
  };
}
