// One append, as safely as this server allows it. Everything that identifies it is fixed before the
// first try: stream, expected revision, ids, order. What may or may not have been stored is tried again
// identically, and then the stream decides: never the fields of an error. It costs one call, and no read.
import { type EventData, NO_STREAM } from '@eventstore/db-client';
import {
  type AppendResult,
  type ExpectedRevision,
  type NewEvent,
  type RecordedEvent,
  StoreFault,
} from '@action-ledger/event-store';
import { type Runtime } from '@action-ledger/runtime';
import { type Connection } from './connection.ts';
import { createDoubts, type Doubts } from './doubts.ts';
import { ambiguousFault, appendFailureOf, refusedFault } from './faults.ts';
import { type LogPlace, positionOf, type StoredEvent, storedEvent } from './wire.ts';
import { type Reading } from './reading.ts';
import { type Sight } from './sight.ts';

export type Append = (
  stream: string,
  expected: ExpectedRevision,
  events: readonly NewEvent[],
) => Promise<AppendResult>;

export interface AppendingDeps {
  readonly connection: Connection;
  readonly reading: Pick<Reading, 'stream' | 'tail'>;
  readonly runtime: Pick<Runtime, 'timers'>;
  readonly sight: Sight;
  readonly prefix: string;
  readonly cutBefore: (stream: string) => number;
}

/** Of one append. The caller of the port may try it again. */
export const triesMax = 3;
const pauseMs = 50;
/** Events that others have appended meanwhile: with so many the stream is read once. */
const othersUsual = 8;

interface Given {
  readonly stream: string;
  readonly expected: ExpectedRevision;
  readonly events: readonly NewEvent[];
  readonly stored: readonly StoredEvent[];
  /** The revision of the first one. */
  readonly first: number;
  /** Everything that was stored before the first try lies here or below. */
  readonly headBefore: number;
}

export function createAppend(deps: AppendingDeps): Append {
  const doubts = createDoubts();
  return async (stream, expected, events) => {
    const first = expected === 'no stream' ? 0 : expected + 1;
    const headBefore = deps.sight.head();
    const stored = events.map(storedEvent);
    const given: Given = { stream, expected, events, stored, first, headBefore };
    if (first >= deps.cutBefore(stream)) return tryAppend(deps, doubts, given);
    // What was given up is compared with nothing, though the server may still hold it.
    return conflict((await deps.reading.tail(stream, 1)).at(-1));
  };
}

async function tryAppend(deps: AppendingDeps, doubts: Doubts, given: Given): Promise<AppendResult> {
  const key = keyOf(given);
  let failure: unknown;
  for (let tries = 0; tries < triesMax; tries += 1) {
    if (tries > 0) await pause(deps, pauseMs * 2 ** tries);
    try {
      const result = await send(deps, given);
      return await written(deps, given, result, doubts.has(key));
    } catch (error) {
      if (error instanceof StoreFault) throw error;
      failure = error;
      const kind = appendFailureOf(error);
      if (kind === 'wrong expected version') break;
      if (kind === 'ambiguous') doubts.add(key);
      if (kind === 'refused') {
        if (doubts.has(key)) break;
        throw refusedFault(`The append to ${given.stream}`, error);
      }
    }
  }
  const result = await lookBack(deps, given, failure, doubts.has(key));
  doubts.forget(key);
  return result;
}

interface Success {
  readonly nextExpectedRevision: bigint;
  readonly position?: LogPlace | undefined;
}

function send({ connection, prefix }: AppendingDeps, given: Given): Promise<Success> {
  const client = connection.client();
  const { credentials, callMs } = connection;
  return connection.within(
    client.appendToStream(prefix + given.stream, [...given.stored] as EventData[], {
      expectedRevision: given.expected === 'no stream' ? NO_STREAM : BigInt(given.expected),
      credentials,
      deadline: callMs,
      requiresLeader: true,
    }),
  );
}

async function written(
  deps: AppendingDeps,
  given: Given,
  { nextExpectedRevision, position: place }: Success,
  isDoubtful: boolean,
): Promise<AppendResult> {
  const { stream, events, first, headBefore } = given;
  const revision = first + events.length - 1;
  if (Number(nextExpectedRevision) !== revision) {
    throw new StoreFault(
      'store.corrupt',
      'never',
      `${stream} was deleted on the server: it goes on at revision ${nextExpectedRevision}.`,
      { detail: { stream, revision: Number(nextExpectedRevision) } },
    );
  }
  const position = positionOf(place);
  // An old server does not say where the events of a repeat lie.
  if (position === undefined) return lookBack(deps, given, undefined, true);
  const last = events.at(-1);
  if (last !== undefined) deps.sight.see({ ...last, stream, revision, position });
  return {
    kind: 'appended',
    revision,
    position,
    repeated: isDoubtful || position <= headBefore,
  };
}

/**
 * What the stream says of an append that was not simply taken.
 * @param isDoubtful it may be on its way still
 */
async function lookBack(
  deps: AppendingDeps,
  given: Given,
  failure: unknown,
  isDoubtful: boolean,
): Promise<AppendResult> {
  const what = `The append to ${given.stream}`;
  const { found, last } = await around(deps, given).catch((fault: unknown) => {
    throw isDoubtful ? ambiguousFault(what, failure ?? fault) : fault;
  });
  const end = found.at(-1);
  if (end === undefined && isDoubtful) throw ambiguousFault(what, failure);
  if (end === undefined && appendFailureOf(failure) === 'not leader') {
    const options = { cause: failure };
    throw new StoreFault('store.unavailable', 'safe', `${what} found no leader.`, options);
  }
  if (end === undefined || !areThere(found, given)) return conflict(last);
  return { kind: 'appended', revision: end.revision, position: end.position, repeated: true };
}

/** The events where those of the append would be, and the last one of the stream. */
async function around(
  { reading }: AppendingDeps,
  { stream, events, first }: Given,
): Promise<{
  readonly found: readonly RecordedEvent[];
  readonly last: RecordedEvent | undefined;
}> {
  const tail = await reading.tail(stream, events.length + othersUsual);
  const [start, last] = [tail[0], tail.at(-1)];
  const isWithin = start === undefined || start.revision <= first;
  const from = isWithin ? tail : await reading.stream(stream, first, events.length);
  const end = first + events.length;
  const found = from.filter(({ revision }) => revision >= first && revision < end);
  return { found, last };
}

function areThere(found: readonly RecordedEvent[], { events, first }: Given): boolean {
  return events.every(
    ({ id }, index) => found[index]?.id === id && found[index].revision === first + index,
  );
}

function conflict(last: RecordedEvent | undefined): AppendResult {
  return { kind: 'conflict', actual: last?.revision };
}

function keyOf({ stream, expected, events }: Given): string {
  return `${stream}\n${expected}\n${events[0]?.id ?? ''}`;
}

function pause({ runtime }: AppendingDeps, delayMs: number): Promise<void> {
  return new Promise((resolve) => {
    runtime.timers.after(delayMs, resolve, { keepsAlive: true });
  });
}
