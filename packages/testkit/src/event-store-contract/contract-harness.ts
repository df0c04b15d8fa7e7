// What every part of the event store contract works with: a fresh store per test, closed and
// removed afterwards, and events whose ids are new each time.
import { expect } from '@jest/globals';
import {
  type AppendResult,
  type EventStore,
  type NewEvent,
  type RecordedEvent,
} from '@action-ledger/event-store';
import { counted } from './counted-store.ts';

export interface OpenedEventStore {
  readonly store: EventStore;
  /** Its positions have gaps of their own: the contract counts places instead. */
  readonly hasGaps?: true;
  /** Closes the store and opens another over what it has kept; left out where nothing is kept. */
  readonly reopen?: () => Promise<EventStore>;
  /** Removes what the store has left behind. */
  readonly dispose?: () => Promise<void>;
}

export type OpenEventStore = () => Promise<OpenedEventStore>;

/** Runs one test against a store of its own. */
export type WithStore = (
  test: (store: EventStore, opened: OpenedEventStore) => Promise<void>,
) => () => Promise<void>;

export function withStoreFrom(open: OpenEventStore): WithStore {
  return (test) => async () => {
    const given = await open();
    const opened = given.hasGaps === true ? counted(given) : given;
    try {
      await test(opened.store, opened);
    } finally {
      await opened.store.close();
      await opened.dispose?.();
    }
  };
}

let minted = 0;

/** 22 characters, never the same twice in one process. */
function newId(): string {
  minted += 1;
  return `e${minted.toString(36).padStart(21, '0')}`;
}

export function newEvent(content: Partial<NewEvent> = {}): NewEvent {
  const id = content.id ?? newId();
  return {
    id,
    type: content.type ?? 'ActionPlanned',
    data: content.data ?? `{"made":"${id}"}`,
    metadata: content.metadata ?? `{"schema":1,"tenant":"acme"}`,
  };
}

export function newEvents(count: number): readonly NewEvent[] {
  return Array.from({ length: count }, () => newEvent());
}

/** Appends that must be stored, one after the other: `count` events to each new stream. */
export async function given(store: EventStore, streams: Readonly<Record<string, number>>) {
  for (const [stream, count] of Object.entries(streams)) {
    expectWritten(await store.append(stream, 'no stream', newEvents(count)));
  }
}

/** The same, by callers that do not wait for each other. */
export async function givenAtOnce(store: EventStore, streams: Readonly<Record<string, number>>) {
  await Promise.all(
    Object.entries(streams).map(([stream, count]) => given(store, { [stream]: count })),
  );
}

export function expectWritten(result: AppendResult): void {
  expect(result).toMatchObject({ kind: 'appended', repeated: false });
}

export function ids(events: readonly NewEvent[]): readonly string[] {
  return events.map((event) => event.id);
}

export function positions(events: readonly RecordedEvent[]): readonly number[] {
  return events.map((event) => event.position);
}

export function revisions(events: readonly RecordedEvent[]): readonly number[] {
  return events.map((event) => event.revision);
}

/** from, from + 1, … : `count` numbers. */
export function run(from: number, count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => from + index);
}

/** All events, read in pages of `page`. */
export async function readEverything(store: EventStore, page = 100) {
  const events: RecordedEvent[] = [];
  for (;;) {
    const batch = await store.readAll({ after: events.at(-1)?.position ?? 0, max: page });
    if (batch.length === 0) return events;
    events.push(...batch);
  }
}
