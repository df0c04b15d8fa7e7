// What a store that went back in time lacks, as far as it can be known from the store itself: until
// when its record is whole, and which positions are missing. One pass over all events; reads only.
import {
  type EventStore,
  type RecordedEvent,
  type StoreCondition,
} from '@action-ledger/event-store';
import { explainGaps } from './given-up.ts';
import { readEvents } from './read-events.ts';
import { recoveryConfirmed, type RecoveryConfirmed } from '../people/recoveries.ts';

export type Positions = readonly [first: number, last: number];

export interface Gap {
  readonly condition: StoreCondition;
  /** The highest position stored now. */
  readonly head: number;
  /** Events that can be read. */
  readonly events: number;
  /** Of the newest event, wall-clock ms; 0 where there is none. */
  readonly newestAt: number;
  /** Nothing that was recorded up to then is gone, wall-clock ms; 0 where that cannot be said. */
  readonly knownUntil: number;
  /** Where the record ended when the loss was noticed. */
  readonly endedAt: number;
  /** The highest position that it was known to hold; 0 where that is not known. */
  readonly mark: number;
  /** Positions within the record that are not there, and that nobody has confirmed before. */
  readonly missing: readonly Positions[];
}

/** More gaps than this are told as one, from the first to the last. */
const missingMax = 1_000;

export async function surveyGap(
  store: Pick<EventStore, 'condition' | 'head' | 'readAll' | 'givenUp'>,
): Promise<Gap> {
  const condition = store.condition();
  const head = await store.head();
  const scan = createScan(condition.kind === 'ready' ? undefined : condition.lostAt);
  const batches = readEvents(store, {
    after: 0,
    onDamaged: ({ position, through }) => {
      scan.passed(position, through);
    },
  });
  for await (const batch of batches) batch.forEach(scan.see);
  const { endedAt, mark, takenAt, lost, lostAt } = toldBy(condition, head);
  const unexplained = (await explainGaps(store, scan.missing())).missing;
  const missing = [...unexplained, ...lost].sort(([a], [b]) => a - b).slice(0, missingMax);
  const [firstLost] = missing;
  const wholeUntil =
    firstLost === undefined
      ? (takenAt ?? (await timeAt(store, endedAt)))
      : await timeAt(store, firstLost[0] - 1);
  // Where it was noticed late, others may have appended since.
  const knownUntil = lostAt === undefined ? wholeUntil : Math.min(wholeUntil, scan.newestBefore());
  return {
    condition,
    head,
    events: scan.events(),
    newestAt: await timeAt(store, head),
    knownUntil,
    endedAt,
    mark,
    missing,
  };
}

function toldBy(
  condition: StoreCondition,
  head: number,
): {
  readonly endedAt: number;
  readonly mark: number;
  readonly takenAt: number | undefined;
  readonly lost: readonly Positions[];
  readonly lostAt: number | undefined;
} {
  if (condition.kind === 'ready')
    return { endedAt: head, mark: head, takenAt: undefined, lost: [], lostAt: undefined };
  const { head: endedAt, mark, takenAt, lost = [], lostAt } = condition;
  return { endedAt, mark, takenAt, lost, lostAt };
}

interface Scan {
  readonly see: (event: RecordedEvent) => void;
  /** These are there, and cannot be read. */
  readonly passed: (first: number, last: number) => void;
  readonly events: () => number;
  readonly missing: () => readonly Positions[];
  /** Of the events that are not later than `lostAt`, when the newest was recorded; 0 where there is none. */
  readonly newestBefore: () => number;
}

function createScan(lostAt: number | undefined): Scan {
  const missing: Positions[] = [];
  const confirmed: Positions[] = [];
  let events = 0;
  let next = 1;
  let newestBefore = 0;
  const passed = (first: number, last: number): void => {
    if (first > next) missing.push([next, first - 1]);
    next = Math.max(next, last + 1);
  };
  return {
    see: (event) => {
      passed(event.position, event.position);
      events += 1;
      if (lostAt !== undefined)
        for (const at of timesOf([event]))
          if (at <= lostAt) newestBefore = Math.max(newestBefore, at);
      if (event.type === recoveryConfirmed) confirmed.push(...missingIn(event));
    },
    passed,
    events: () => events,
    newestBefore: () => newestBefore,
    missing: () =>
      missing.filter(
        ([first, last]) => !confirmed.some(([from, to]) => from <= first && last <= to),
      ),
  };
}

function missingIn({ data }: RecordedEvent): readonly Positions[] {
  return (JSON.parse(data) as Partial<RecoveryConfirmed>).missing ?? [];
}

const lookBack = 1_000;

/** When the last event up to there was recorded, wall-clock ms; 0 where none can be read. */
async function timeAt(store: Pick<EventStore, 'readAll'>, position: number): Promise<number> {
  for (let through = position; through > 0; through -= lookBack) {
    let at: number | undefined;
    const batches = readEvents(store, { after: Math.max(0, through - lookBack), through });
    for await (const batch of batches) at = timesOf(batch).at(-1) ?? at;
    if (at !== undefined) return at;
  }
  return 0;
}

function timesOf(events: readonly RecordedEvent[]): readonly number[] {
  return events.flatMap(({ metadata }) => {
    try {
      const { at } = JSON.parse(metadata) as { readonly at?: number };
      return typeof at === 'number' ? [at] : [];
    } catch {
      return [];
    }
  });
}
