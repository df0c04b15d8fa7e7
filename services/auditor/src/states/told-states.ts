// What the topic of states says, read once from its start to what its end was when the read began: of each
// action the last record, as its place and the digest of its value. So it ends however much is published
// meanwhile; what that takes the place of may be missing. It keeps a bounded number of actions; where there
// are more, it keeps a slice of them and says which others are left for further reads.
import {
  actionTopics,
  type EventLog,
  eventPlaceOf,
  isOutage,
  type LogRecord,
  partitionOf,
} from '@action-ledger/event-log';
import { type Runtime } from '@action-ledger/runtime';

export interface ToldState {
  readonly generation: number;
  readonly revision: number;
  /** Of its value; undefined where it says that there is no such action. */
  readonly digest: string | undefined;
}

/** Of the actions: those whose number modulo `of` is `at`. */
export interface Slice {
  readonly at: number;
  readonly of: number;
}

export const everything: Slice = { at: 0, of: 1 };

export interface ToldStates {
  /** By action. Without those whose last record is none of the projector's. */
  readonly states: Map<string, ToldState>;
  readonly slice: Slice;
  /** What was asked for and is not in it. */
  readonly left: readonly Slice[];
  /** Keys whose last record no projector wrote, at most 100. */
  readonly foreign: readonly string[];
}

/** The whole state as canonical JSON text. What it throws says that it cannot be read, or not now. */
export type StateText = (value: Uint8Array) => string | Promise<string>;

export interface ToldStatesDeps {
  readonly log: Pick<EventLog, 'consume' | 'lag' | 'newest'>;
  readonly runtime: Pick<Runtime, 'ids' | 'timers'>;
  /** Of a state as canonical JSON text. */
  readonly digest: (text: string) => string;
  readonly textOf: StateText;
  /** Between two batches. */
  readonly rest: () => Promise<void>;
  readonly isStopped: () => boolean;
  /** Default 250,000. */
  readonly actionsMax?: number;
}

const actionsMaxUsual = 250_000;
const foreignMax = 100;
const lookEveryMs = 200;
const topics = [actionTopics.state];

export function isIn({ at, of }: Slice, actionId: string): boolean {
  return partitionOf(actionId, of) === at;
}

/** @returns undefined where it was stopped; @throws LogFault */
export async function readToldStates(
  deps: ToldStatesDeps,
  wanted: Slice,
): Promise<ToldStates | undefined> {
  const { log, runtime, isStopped } = deps;
  const kept = createKept(deps, wanted);
  const group = `auditor.states.${runtime.ids.next()}`;
  const places = createPlaces(await log.newest(topics));
  const consumer = await log.consume({
    group,
    topics,
    from: 'start',
    batchMax: 1_000,
    handler: async (records) => {
      for (const record of records.filter(places.isAhead)) {
        await kept.note(record);
        places.note(record);
      }
      await deps.rest();
    },
  });
  try {
    while (!isStopped() && (await waits(log, group, places.left())))
      await new Promise<void>((resolve) => void runtime.timers.after(lookEveryMs, resolve));
  } finally {
    await consumer.close();
  }
  return isStopped() ? undefined : kept.found();
}

interface Places {
  /** Not read so far: what comes again would put an older state in the place of a newer one. */
  readonly isAhead: (record: LogRecord) => boolean;
  readonly note: (record: LogRecord) => void;
  /** Partitions whose end, as it was, is ahead. */
  readonly left: () => ReadonlySet<number>;
}

function createPlaces(ends: readonly LogRecord[]): Places {
  const read = new Map<number, number>();
  const isAhead = ({ partition, offset }: LogRecord): boolean =>
    offset > (read.get(partition) ?? -1);
  return {
    isAhead,
    note: ({ partition, offset }) => void read.set(partition, offset),
    left: () => new Set(ends.filter(isAhead).map(({ partition }) => partition)),
  };
}

/** That everything was read is never taken from silence. The record at an end may be gone by now, with nothing behind it. */
async function waits(
  log: Pick<EventLog, 'lag'>,
  group: string,
  left: ReadonlySet<number>,
): Promise<boolean> {
  if (left.size === 0) return false;
  const lags = await log.lag(group, topics);
  return lags.some(({ partition, lag }) => lag > 0 && left.has(partition));
}

interface Kept {
  readonly note: (record: LogRecord) => Promise<void>;
  readonly found: () => ToldStates;
}

function createKept(deps: ToldStatesDeps, wanted: Slice): Kept {
  const { actionsMax = actionsMaxUsual } = deps;
  const states = new Map<string, ToldState>();
  const foreign = new Set<string>();
  const left: Slice[] = [];
  let slice = wanted;
  const halve = (): void => {
    const of = slice.of * 2;
    left.push({ at: slice.at + slice.of, of });
    slice = { at: slice.at, of };
    for (const actionId of states.keys()) if (!isIn(slice, actionId)) states.delete(actionId);
  };
  return {
    note: async (record) => {
      const { key, value } = record;
      const place = eventPlaceOf(record);
      if (place === undefined) {
        if (foreign.size < foreignMax) foreign.add(key);
        states.delete(key);
        return;
      }
      foreign.delete(key);
      if (!isIn(slice, key)) return;
      const { generation = 0, revision } = place;
      const digest = value && (await digestOf(deps, value));
      states.set(key, { generation, revision, digest });
      while (states.size > actionsMax) halve();
    },
    found: () => ({ states, slice, left, foreign: [...foreign] }),
  };
}

/** Of one that cannot be read none, which is no state's. */
async function digestOf(
  { textOf, digest }: Pick<ToldStatesDeps, 'textOf' | 'digest'>,
  value: Uint8Array,
): Promise<string> {
  try {
    return digest(await textOf(value));
  } catch (fault) {
    if (isOutage(fault)) throw fault;
    return '';
  }
}
