// A stream of records that is no action: who may come in, what is paused. Its state is folded from its
// events; a change is decided on the state that was read and appended at that revision, and decided
// again where somebody was faster. Who edits it by hand changes no state: a stream whose chain does not
// hold has none.
import { sealEvents, unsealEvent } from '@action-ledger/codec';
import {
  type ChainBreak,
  chainStart,
  findChainBreak,
  type JsonObject,
  type Refusal,
  type Sha256,
} from '@action-ledger/domain';
import { type EventStore, type RecordedEvent, StoreFault } from '@action-ledger/event-store';
import { type Runtime } from '@action-ledger/runtime';
import { appendOnce } from './append.ts';

export interface StreamRecord {
  readonly type: string;
  readonly data: JsonObject;
}

/** As it was appended: when, and by whom where that is known. */
export interface DatedRecord extends StreamRecord {
  readonly at: number;
  readonly by?: string;
  readonly revision: number;
}

export interface RecordStreamDeps {
  readonly store: EventStore;
  readonly sha256: Sha256;
  /** Wall-clock ms since the epoch. Where it has gone back, a record is as old as the one before it. */
  readonly clock: { nowMs(): number };
  readonly runtime: Pick<Runtime, 'ids' | 'timers'>;
}

export interface RecordStream<State> {
  /** As the store holds it now. @throws StoreFault `store.corrupt` where its chain does not hold */
  load(): Promise<State>;
  /**
   * Appends what is decided on the newest state; nothing where that is an empty list.
   * @returns the state after it
   * @throws StoreFault
   */
  change<Code extends string>(
    by: string,
    decide: (state: State, nowMs: number) => readonly StreamRecord[] | Refusal<Code>,
  ): Promise<Changed<State> | Refusal<Code>>;
}

export interface Changed<State> {
  readonly kind: 'changed';
  readonly state: State;
}

export interface RecordStreamShape<State> {
  readonly stream: string;
  readonly initial: State;
  /** Passes over records that it does not know: a later version may have written them. */
  readonly evolve: (state: State, record: DatedRecord) => State;
  /** Of a state that `evolve` changes in place: made once for each read. Default: it changes none. */
  readonly copy?: (state: State) => State;
}

const roundsMax = 16;

export function createRecordStream<State>(
  deps: RecordStreamDeps,
  { stream, initial, evolve, copy = same }: RecordStreamShape<State>,
): RecordStream<State> {
  const { store, sha256, clock, runtime } = deps;
  const start: Known<State> = { last: undefined, state: initial };
  let known = start;
  /** Only what is new is folded: it is read often, and by everybody who comes in. */
  const read = async (): Promise<Known<State>> => {
    const before = known;
    const revision = before.last?.revision ?? 0;
    let events = await store.readStream(stream, revision);
    const goesOn = before.last === undefined || isSame(before.last, events[0]);
    if (!goesOn && revision > 0) events = await store.readStream(stream);
    const base = goesOn ? before : start;
    const newer = base.last === undefined ? events : events.slice(1);
    const found = findChainBreak(sha256, stream, newer, placeOf(stream, base.last));
    if (found !== undefined) throw broken(stream, found);
    const next = {
      last: newer.at(-1) ?? base.last,
      state: newer.length === 0 ? base.state : newer.map(dated).reduce(evolve, copy(base.state)),
    };
    if (known === before) known = next;
    return next;
  };
  return {
    load: async () => (await read()).state,
    change: async (by, decide) => {
      for (let round = 0; round < roundsMax; round += 1) {
        const { last, state } = await read();
        const { hash: previous, revision, at: lastAt } = placeOf(stream, last);
        const at = Math.max(clock.nowMs(), lastAt);
        const decided = decide(state, at);
        if ('kind' in decided) return decided;
        if (decided.length === 0) return { kind: 'changed', state };
        const context = { sha256, nextId: runtime.ids.next, at, by };
        const { events } = sealEvents(context, previous, decided);
        const expected = last === undefined ? 'no stream' : revision;
        const appended = await appendOnce(store, runtime.timers, stream, expected, events);
        if (appended.kind === 'conflict') continue;
        const records = decided.map((record, n) => ({
          ...record,
          at,
          by,
          revision: revision + 1 + n,
        }));
        return { kind: 'changed', state: records.reduce(evolve, copy(state)) };
      }
      throw new StoreFault(
        'store.unavailable',
        'safe',
        `Others changed ${stream} ${roundsMax} times in a row. Try again.`,
      );
    },
  };
}

function same<State>(state: State): State {
  return state;
}

/** What was read so far. */
interface Known<State> {
  readonly last: RecordedEvent | undefined;
  readonly state: State;
}

/** A store that was put in the place of another has something else there, or nothing. */
function isSame(last: RecordedEvent, now: RecordedEvent | undefined): boolean {
  const { id, revision, type, data, metadata } = last;
  return (
    now?.id === id &&
    now.revision === revision &&
    now.type === type &&
    now.data === data &&
    now.metadata === metadata
  );
}

function placeOf(
  stream: string,
  last: RecordedEvent | undefined,
): { readonly revision: number; readonly hash: string; readonly at: number } {
  if (last === undefined) return { revision: -1, hash: chainStart(stream), at: 0 };
  const { hash, at } = unsealEvent(last).metadata;
  return { revision: last.revision, hash, at };
}

function broken(stream: string, { revision, what }: ChainBreak): StoreFault {
  const message = `Stream ${stream} does not hold together: revision ${revision}: ${what}. Compare it with a backup.`;
  return new StoreFault('store.corrupt', 'never', message, { detail: { stream, revision } });
}

function dated(recorded: RecordedEvent): DatedRecord {
  const { event, metadata, revision } = unsealEvent(recorded);
  const { at, by } = metadata;
  return { ...event, at, revision, ...(by === undefined ? {} : { by }) };
}
