// While it has the seat: follows the store from the place on, and publishes. Whatever fails may have been
// published, so the same is published again, by a new publisher of the same name: that one fences off all
// before it, also those of this process. Whenever it begins to follow, the store may be another than the one
// that it published before.
import { type OnFault, type ProjectedPlace } from '@action-ledger/application';
import { type Sha256 } from '@action-ledger/domain';
import {
  type EventLog,
  isOutage,
  LogFault,
  type NewRecord,
  pauseAfter,
  pauseFor,
  type Publisher,
  recordsPerPublishMax,
} from '@action-ledger/event-log';
import { type EventStore, type RecordedEvent } from '@action-ledger/event-store';
import { type Runtime } from '@action-ledger/runtime';
import { createProject, type Encoders, type Project } from './project.ts';
import { whereToBegin } from './where-to-begin.ts';

/** Of the one publisher there is: the log lets only the one that was opened last publish. */
export const publisherName = 'action-ledger-projector';

export interface WorkDeps {
  readonly store: EventStore;
  readonly log: Pick<EventLog, 'openPublisher' | 'newest'>;
  readonly sha256: Sha256;
  readonly encode: Encoders;
  readonly runtime: Runtime;
  /** A transaction of the log costs more than the records in it: where few come, they are gathered meanwhile. */
  readonly gatherMs: number;
  readonly onFault: OnFault;
}

/** From taking the seat until it is lost or left. */
export interface Term {
  readonly end: AbortSignal;
  readonly lose: () => void;
  /** Goes on for another lease. @returns false where that is not on record */
  readonly keep: () => Promise<boolean>;
  place: ProjectedPlace;
  /** On the monotonic clock, where something is to be published. */
  busySince: number | undefined;
  readonly counts: { handled: number };
}

/** Resolves at the end of the term, when nothing more is published by it. Throws nothing. */
export async function work(deps: WorkDeps, term: Term): Promise<void> {
  const line = createLine(deps, term);
  for (let failures = 0; !term.end.aborted; failures += 1) {
    const { handled } = term.counts;
    if (failures > 0) await pauseFor(pauseAfter(failures, {}), deps.runtime, term.end);
    const project = await begin(deps, term, line, failures > 0);
    if (project === undefined) continue;
    await follow(deps, term, (events) => publishAll(deps, term, { line, project }, events));
    if (term.counts.handled > handled) failures = 0;
  }
  await line.close();
}

/**
 * Nobody else publishes any more when it looks at what was published; and where the seat is still as it was
 * left, so is the store up to there.
 * @returns undefined where that cannot be said now, or the term has ended
 */
async function begin(
  deps: WorkDeps,
  term: Term,
  line: Line,
  isAgain: boolean,
): Promise<Project | undefined> {
  const { runtime, onFault } = deps;
  term.busySince ??= runtime.clock.monoMs();
  try {
    await line.open();
    if (isAgain && !(await term.keep())) return undefined;
    const place = await whereToBegin(deps, term.place);
    if (place.generation !== term.place.generation) onFault('the store', wentBack(place));
    term.place = place;
    term.busySince = undefined;
    return createProject({ ...deps, generation: place.generation });
  } catch (fault) {
    // Who waits for its servers is not stuck.
    if (isOutage(fault)) term.busySince = runtime.clock.monoMs();
    if (!term.end.aborted) onFault('beginning', fault);
    return undefined;
  }
}

function wentBack({ generation }: ProjectedPlace): Error {
  const message = `What was published last is not in the store: it went back in time, or is another one. The topics are written anew, as generation ${generation}.`;
  return new Error(message);
}

/** Until the subscription ends, or the term. */
async function follow(
  { store, onFault }: WorkDeps,
  term: Term,
  onEvents: (events: readonly RecordedEvent[]) => Promise<void>,
): Promise<void> {
  let handling = Promise.resolve();
  await new Promise<void>((resolve) => {
    if (term.end.aborted) {
      resolve();
      return;
    }
    const dropped = (fault: unknown): void => {
      if (!term.end.aborted) onFault('following the store', fault);
      resolve();
    };
    try {
      const subscription = store.subscribe(term.place.position, {
        onEvents: (events) => (handling = onEvents(events)),
        onDropped: dropped,
      });
      term.end.addEventListener('abort', () => {
        subscription.close();
        resolve();
      });
    } catch (fault) {
      dropped(fault);
    }
  });
  await handling.catch(() => undefined);
}

interface Hands {
  readonly line: Line;
  readonly project: Project;
}

/** @throws where the term ends meanwhile: what follows must not be handled before this */
async function publishAll(
  { runtime, gatherMs }: WorkDeps,
  term: Term,
  { line, project }: Hands,
  events: readonly RecordedEvent[],
): Promise<void> {
  const last = events.at(-1);
  if (last === undefined) return;
  const beganMs = runtime.clock.monoMs();
  term.busySince = beganMs;
  try {
    const records = await project(events);
    for (let first = 0; first < records.length; first += recordsPerPublishMax)
      await line.publish(records.slice(first, first + recordsPerPublishMax));
    term.place = { ...term.place, position: last.position };
    term.counts.handled += events.length;
  } finally {
    term.busySince = undefined;
  }
  if (events.length >= worthIt) return;
  const leftMs = beganMs + gatherMs - runtime.clock.monoMs();
  if (leftMs > 0) await pauseFor(leftMs, runtime, term.end);
}

/** So many at once are not few. */
const worthIt = 64;

interface Line {
  /** From now on nobody else can publish. @throws LogFault; at the end of the term */
  readonly open: () => Promise<void>;
  /** Stored when it resolves. @throws at the end of the term */
  readonly publish: (records: readonly NewRecord[]) => Promise<void>;
  readonly close: () => Promise<void>;
}

function createLine({ log, runtime, onFault }: WorkDeps, term: Term): Line {
  let publisher: Publisher | undefined;
  const giveUp = async (): Promise<void> => {
    const old = publisher;
    publisher = undefined;
    // What it still holds was never confirmed, and is published again.
    await old?.close().catch(() => undefined);
  };
  let isFirst = true;
  const open = async (): Promise<Publisher> => {
    if (publisher !== undefined) return publisher;
    // Who was taken over meanwhile must not fence off the other.
    if (!isFirst && !(await term.keep())) throw new Error('The seat could not be kept.');
    publisher = await log.openPublisher({ name: publisherName });
    isFirst = false;
    return publisher;
  };
  return {
    open: async () => {
      await open();
    },
    publish: async (records) => {
      for (let failures = 1; ; failures += 1) {
        if (term.end.aborted) throw new Error('The seat is lost or left.');
        try {
          await (await open()).publish(records);
          return;
        } catch (fault) {
          await giveUp();
          if (fault instanceof LogFault && fault.code === 'log.fenced') term.lose();
          else onFault('publishing', fault);
          if (isOutage(fault)) term.busySince = runtime.clock.monoMs();
          await pauseFor(pauseAfter(failures, {}), runtime, term.end);
        }
      }
    },
    close: giveUp,
  };
}
