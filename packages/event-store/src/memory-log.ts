// What the event store in memory holds: the events of all streams in the order of positions, the same
// by stream, and the places of those that were given up.
import { decideAppend } from './append-rules.ts';
import { checkCut } from './check-append.ts';
import {
  type AppendResult,
  type ExpectedRevision,
  type GivenUp,
  type NewEvent,
  type PositionsAfter,
  type ReadAllOptions,
  type RecordedEvent,
  type StreamCut,
} from './event-store.ts';

export interface MemoryLog {
  readonly head: () => number;
  readonly page: (range: ReadAllOptions) => readonly RecordedEvent[];
  readonly stream: (name: string, from: number) => readonly RecordedEvent[];
  readonly append: (
    stream: string,
    expected: ExpectedRevision,
    events: readonly NewEvent[],
  ) => { readonly result: AppendResult; readonly written: readonly RecordedEvent[] };
  /** @throws StoreFault `store.invalid-append` before anything is cut */
  readonly truncate: (cuts: readonly StreamCut[]) => void;
  readonly events: () => readonly RecordedEvent[];
  readonly givenUp: (range?: PositionsAfter) => readonly GivenUp[];
}

export function createMemoryLog(
  initial: readonly RecordedEvent[],
  before: readonly GivenUp[],
): MemoryLog {
  let all: RecordedEvent[] = [];
  let gone: readonly GivenUp[] = before;
  const streams = new Map<string, RecordedEvent[]>();
  const add = (event: RecordedEvent): void => {
    all.push(event);
    const stored = streams.get(event.stream);
    if (stored === undefined) streams.set(event.stream, [event]);
    else stored.push(event);
  };
  initial.forEach(add);

  const head = (): number => all.at(-1)?.position ?? 0;
  const stored = (name: string): readonly RecordedEvent[] => streams.get(name) ?? [];
  const stream = (name: string, from: number): readonly RecordedEvent[] => {
    const own = stored(name);
    // Revisions have no gaps: what is gone of a stream is its beginning.
    return own.slice(Math.max(0, from - (own[0]?.revision ?? 0)));
  };

  return {
    head,
    page: ({ after, max }) => {
      const from = firstAfter(all, after);
      return all.slice(from, from + max);
    },
    stream,
    append: (name, expected, events) => {
      const own = stored(name);
      const last = own.at(-1)?.revision;
      const decision = decideAppend(last, expected, events, (from, count) =>
        storedIds(stream(name, from), from, count),
      );
      if (decision.kind === 'conflict')
        return { result: { kind: 'conflict', actual: last }, written: [] };
      if (decision.kind === 'repeat') {
        const end = own.find(({ revision }) => revision === decision.lastRevision);
        return { result: appended(end, true), written: [] };
      }
      const place = { revision: decision.firstRevision, position: head() + 1 };
      const written = placed(name, place, events);
      written.forEach(add);
      return { result: appended(written.at(-1), false), written };
    },
    truncate: (cuts) => {
      for (const cut of cuts) checkCut(cut, stored(cut.stream).at(-1)?.revision);
      const cut = new Set<RecordedEvent>();
      for (const { stream: name, before: end } of cuts) {
        for (const event of stored(name)) if (event.revision < end) cut.add(event);
        streams.set(name, [...stream(name, end)]);
      }
      all = all.filter((event) => !cut.has(event));
      gone = [...gone, ...Array.from(cut, placeOf)].sort((a, b) => a.position - b.position);
    },
    events: () => [...all],
    givenUp: ({ after, through } = everything) =>
      gone.filter(({ position }) => position > after && position <= through),
  };
}

const everything: PositionsAfter = { after: 0, through: Infinity };

function placed(
  stream: string,
  first: { readonly revision: number; readonly position: number },
  events: readonly NewEvent[],
): readonly RecordedEvent[] {
  return events.map(({ id, type, data, metadata }, n) => {
    const revision = first.revision + n;
    return { id, type, data, metadata, stream, revision, position: first.position + n };
  });
}

/** Those of `from`, `from + 1`, …: none where the stream begins later. */
function storedIds(
  events: readonly RecordedEvent[],
  from: number,
  count: number,
): readonly string[] {
  return events[0]?.revision === from ? events.slice(0, count).map(({ id }) => id) : [];
}

function placeOf({ stream, revision, position }: RecordedEvent): GivenUp {
  return { stream, revision, position, count: 1 };
}

/** The index of the first event after a position. */
function firstAfter(all: readonly RecordedEvent[], position: number): number {
  let low = 0;
  let high = all.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((all[middle]?.position ?? 0) > position) high = middle;
    else low = middle + 1;
  }
  return low;
}

function appended(last: RecordedEvent | undefined, repeated: boolean): AppendResult {
  if (last === undefined) throw new Error('An append decided upon has a last event.');
  return { kind: 'appended', revision: last.revision, position: last.position, repeated };
}
