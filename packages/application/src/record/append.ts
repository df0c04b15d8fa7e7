// One append, whatever the store answers. An error or a timeout is ambiguous: the same append is
// tried again, byte for byte, and what the stream holds decides, never the fields of an error.
import {
  type EventStore,
  type ExpectedRevision,
  type NewEvent,
  StoreFault,
} from '@action-ledger/event-store';
import { type Timers } from '@action-ledger/runtime';

export type Appended =
  | {
      readonly kind: 'appended';
      /** A try had failed before: the events are there, but others may have followed. Read before sending. */
      readonly uncertain: boolean;
    }
  | { readonly kind: 'conflict' };

/** Tries of one append before the fault is handed on. */
export const appendTriesMax = 6;
const firstPauseMs = 20;

export async function appendOnce(
  store: EventStore,
  timers: Timers,
  stream: string,
  expected: ExpectedRevision,
  events: readonly NewEvent[],
): Promise<Appended> {
  let fault: StoreFault | undefined;
  for (let tries = 0; tries < appendTriesMax; tries += 1) {
    if (tries > 0) await pause(timers, firstPauseMs * 2 ** tries);
    try {
      const result = await store.append(stream, expected, events);
      if (result.kind === 'appended')
        return { kind: 'appended', uncertain: tries > 0 || result.repeated };
      return (await holds(store, stream, expected, events))
        ? { kind: 'appended', uncertain: true }
        : { kind: 'conflict' };
    } catch (error) {
      if (!(error instanceof StoreFault)) throw error;
      fault = leastCertain(fault, error);
      if (fault.retry === 'never') throw fault;
    }
  }
  if (await holds(store, stream, expected, events).catch(unread))
    return { kind: 'appended', uncertain: true };
  throw fault ?? new Error('an append is tried once at least');
}

/** Of two tries that failed: once it is not known whether the events were stored, it stays unknown. */
function leastCertain(earlier: StoreFault | undefined, later: StoreFault): StoreFault {
  return earlier?.retry === 'unsafe' ? earlier : later;
}

/** The fault of the append says more than that of the read after it. */
function unread(fault: unknown): boolean {
  if (fault instanceof StoreFault) return false;
  throw fault;
}

/** Whether the stream holds these very events where they were to be appended. */
async function holds(
  store: EventStore,
  stream: string,
  expected: ExpectedRevision,
  events: readonly NewEvent[],
): Promise<boolean> {
  const stored = await store.readStream(stream, expected === 'no stream' ? 0 : expected + 1);
  return events.every((event, index) => stored[index]?.id === event.id);
}

export function pause(timers: Timers, delayMs: number, keepsAlive = true): Promise<void> {
  return new Promise((resolve) => {
    timers.after(delayMs, resolve, { keepsAlive });
  });
}
