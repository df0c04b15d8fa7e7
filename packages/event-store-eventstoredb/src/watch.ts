// Whether the server still holds what it was seen to hold. A server that is put back to an earlier state says
// nothing of it: so the newest event that was seen is looked for now and then, and before anything is
// appended once a look has failed, since a server is away while it is put back. Where the event is gone
// nothing is sent from then on, and that is noted for everybody once a second look agrees: a leader that has
// lost the others may be behind them for a moment, and can note nothing.
import { type EventStore, StoreFault, stillHolds } from '@action-ledger/event-store';
import { type Runtime, type Timer } from '@action-ledger/runtime';
import { ambiguousFault } from './faults.ts';
import { type Losses } from './losses.ts';
import { type Reading } from './reading.ts';
import { type Seen, type Sight } from './sight.ts';

export interface Watch {
  /** Before something is appended: looks where the last look has failed. @throws StoreFault, safe */
  beSure(): Promise<void>;
  /** The server did not answer: it may be another one when it is back. */
  doubt(): void;
  /** What was stored lies where it cannot, unless it was stored before. @throws StoreFault, unsafe */
  lookAfter(what: string): Promise<void>;
  close(): void;
}

export interface WatchDeps {
  readonly runtime: Pick<Runtime, 'timers'>;
  readonly reading: Pick<Reading, 'stream' | 'head'>;
  readonly sight: Pick<Sight, 'newest'>;
  readonly losses: Losses;
  /** Milliseconds between two looks. */
  readonly everyMs: number;
}

/** Longer than a leader goes on that has lost the others. */
const secondLookMs = 2_500;

export function createWatch(deps: WatchDeps): Watch {
  const { timers } = deps.runtime;
  let isSure = true;
  const closing = new AbortController();
  let timer: Timer | undefined;
  let looking: Promise<void> | undefined;
  const look = (): Promise<void> =>
    (looking ??= lookOnce(deps, closing.signal)
      .then(
        () => {
          isSure = true;
        },
        (fault: unknown) => {
          isSure = false;
          throw fault;
        },
      )
      .finally(() => {
        looking = undefined;
      }));
  const next = (): void => {
    timer = timers.after(deps.everyMs, () => {
      const again = (): void => {
        if (!closing.signal.aborted) next();
      };
      // What it fails with the next append is told.
      look().then(again, again);
    });
  };
  next();
  return {
    beSure: async () => {
      if (!isSure) await look();
    },
    doubt: () => {
      isSure = false;
    },
    lookAfter: async (what) => {
      await look().catch((fault: unknown) => {
        throw ambiguousFault(what, fault);
      });
    },
    close: () => {
      closing.abort();
      timer?.cancel();
    },
  };
}

async function lookOnce(
  { runtime, reading, sight, losses }: WatchDeps,
  closing: AbortSignal,
): Promise<void> {
  await losses.load();
  if (closing.aborted) return;
  const newest = sight.newest();
  if (newest === undefined || losses.isNoted()) return;
  const store: Pick<EventStore, 'readStream'> = { readStream: reading.stream };
  if (await stillHolds(store, newest)) {
    losses.suspect(undefined);
    return;
  }
  const reason = reasonOf(newest);
  losses.suspect({ reason, mark: newest.position, head: newest.position });
  await pause(runtime, secondLookMs, closing);
  if (isAborted(closing)) return;
  if (await stillHolds(store, newest)) {
    losses.suspect(undefined);
    return;
  }
  const head = (await reading.head())?.position ?? 0;
  await losses.noteLoss({
    first: Math.min(head + 1, newest.position),
    last: newest.position,
    reason,
    ...timeOf(newest),
  });
}

function reasonOf({ stream, revision, position }: Seen): string {
  return `Revision ${revision} of ${stream}, which was at position ${position}, is not there any more: the server went back in time.`;
}

function timeOf({ metadata }: Seen): { readonly recordedAt?: number } {
  try {
    const { at } = JSON.parse(metadata) as { readonly at?: unknown };
    return typeof at === 'number' ? { recordedAt: at } : {};
  } catch {
    return {};
  }
}

function pause(
  { timers }: Pick<Runtime, 'timers'>,
  delayMs: number,
  closing: AbortSignal,
): Promise<void> {
  return new Promise((resolve) => {
    const timer = timers.after(delayMs, resolve, { keepsAlive: true });
    closing.addEventListener('abort', () => {
      timer.cancel();
      resolve();
    });
  });
}

/** It changes while others run, which the compiler cannot see. */
function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}

/** Nothing is known of what was asked. */
export function isAway(fault: unknown): boolean {
  return fault instanceof StoreFault && fault.code === 'store.unavailable';
}
