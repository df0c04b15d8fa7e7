// When the pass over everything is due: so long after the last one ended, whoever made it and however often
// the process was started since; where none ever was, so long after the ledger began.
import { type OnFault, safeOnFault } from '@action-ledger/application';
import { unsealEvent } from '@action-ledger/codec';
import { isOutage } from '@action-ledger/event-log';
import { type EventStore } from '@action-ledger/event-store';
import { type Runtime, type Timer } from '@action-ledger/runtime';
import { type PassBook, type Passes, type PassPlace } from './pass-book.ts';

export interface DailyPassDeps {
  readonly store: Pick<EventStore, 'readAll' | 'head' | 'condition'>;
  /** Wall-clock ms since the epoch, never going back. */
  readonly clock: { nowMs(): number };
  readonly runtime: Pick<Runtime, 'clock' | 'timers'>;
  readonly book: PassBook;
  readonly everyMs: number;
  /** After each start, and after a fault. */
  readonly pauseMs: number;
  readonly onFault?: OnFault;
  /** Resolves when it is through, or was stopped; told of its place meanwhile. */
  readonly pass: (from: PassPlace, onMoved: (after: number) => Promise<void>) => Promise<void>;
}

export interface DailyPass {
  readonly start: () => void;
  /** Puts on record how far it is. */
  readonly stop: () => Promise<void>;
}

/** Between two records of its place: so much is looked at twice after a kill. */
const noteEveryMs = 10 * 60_000;

export function createDailyPass(deps: DailyPassDeps): DailyPass {
  const { store, runtime, clock, everyMs, pauseMs } = deps;
  const onFault = safeOnFault(deps.onFault);
  const record = createRecord(deps.book, onFault);
  let timer: Timer | undefined;
  let isStopped = false;

  /** @returns in how many ms to look again */
  const look = async (): Promise<number> => {
    if (store.condition().kind !== 'ready') return pauseMs;
    const { place, endedAt } = await record.load();
    if (place === undefined) {
      const since = endedAt ?? (await beganAt(store)) ?? clock.nowMs();
      const inMs = Math.min(everyMs, since + everyMs - clock.nowMs());
      if (inMs > 0) return inMs;
    }
    await run(place ?? { after: 0, through: await store.head() });
    return 0;
  };
  const run = async (from: PassPlace): Promise<void> => {
    let notedMono = runtime.clock.monoMs();
    await deps.pass(from, async (after) => {
      record.moved({ ...from, after });
      if (runtime.clock.monoMs() - notedMono < noteEveryMs) return;
      notedMono = runtime.clock.monoMs();
      await record.note();
    });
    if (!isStopped) record.ended(clock.nowMs());
  };
  const lookIn = (ms: number): void => {
    if (isStopped) return;
    timer = runtime.timers.after(ms, () => {
      look().then(lookIn, (fault: unknown) => {
        if (!isStopped) onFault('the pass over everything', fault);
        lookIn(pauseMs);
      });
    });
  };
  return {
    start: () => {
      lookIn(Math.min(pauseMs, everyMs));
    },
    stop: async () => {
      isStopped = true;
      timer?.cancel();
      await record.note().catch((fault: unknown) => {
        onFault('the place of the pass', fault);
      });
    },
  };
}

interface PassRecord {
  /** As it is known here, else on record. @throws where the store is away */
  readonly load: () => Promise<Passes>;
  readonly moved: (place: PassPlace) => void;
  readonly ended: (at: number) => void;
  /** Where there is news. @throws where the store is away */
  readonly note: () => Promise<void>;
}

/** A record that is damaged is told, and gone without. */
function createRecord(book: PassBook, onFault: OnFault): PassRecord {
  let known: Passes | undefined;
  let isNoted = true;
  const orTold = async <Result>(work: () => Promise<Result>): Promise<Result | undefined> => {
    try {
      return await work();
    } catch (fault) {
      if (isOutage(fault)) throw fault;
      onFault('the place of the pass', fault);
      return undefined;
    }
  };
  const note = async (): Promise<void> => {
    if (isNoted || known === undefined) return;
    const { place } = known;
    await orTold(() => (place === undefined ? book.end() : book.note(place)));
    isNoted = true;
  };
  return {
    load: async () => {
      await note();
      known ??= (await orTold(() => book.load())) ?? {};
      return known;
    },
    moved: (place) => {
      known = { place };
      isNoted = false;
    },
    ended: (endedAt) => {
      known = { endedAt };
      isNoted = false;
    },
    note,
  };
}

/** Long ago where that cannot be read. */
async function beganAt(store: Pick<EventStore, 'readAll'>): Promise<number | undefined> {
  try {
    const [first] = await store.readAll({ after: 0, max: 1 });
    return first === undefined ? undefined : unsealEvent(first).metadata.at;
  } catch (fault) {
    if (isOutage(fault)) throw fault;
    return 0;
  }
}
