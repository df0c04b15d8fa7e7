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
  /** Wall-clock ms since the epoch, never going back. */
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
}

const roundsMax = 16;

export function createRecordStream<State>(
  deps: RecordStreamDeps,
  { stream, initial, evolve }: RecordStreamShape<State>,
): RecordStream<State> {
  const { store, sha256, clock, runtime } = deps;
  const folded = (events: readonly RecordedEvent[]): State => {
    const found = findChainBreak(sha256, stream, events);
    if (found !== undefined) throw broken(stream, found);
    return events.map(dated).reduce(evolve, initial);
  };
  return {
    load: async () => folded(await store.readStream(stream)),
    change: async (by, decide) => {
      for (let round = 0; round < roundsMax; round += 1) {
        const stored = await store.readStream(stream);
        const state = folded(stored);
        const at = clock.nowMs();
        const decided = decide(state, at);
        if ('kind' in decided) return decided;
        if (decided.length === 0) return { kind: 'changed', state };
        const last = stored.at(-1);
        const previous = last === undefined ? chainStart(stream) : unsealEvent(last).metadata.hash;
        const context = { sha256, nextId: runtime.ids.next, at, by };
        const { events } = sealEvents(context, previous, decided);
        const expected = last === undefined ? 'no stream' : last.revision;
        const appended = await appendOnce(store, runtime.timers, stream, expected, events);
        if (appended.kind === 'conflict') continue;
        const next = last === undefined ? 0 : last.revision + 1;
        const records = decided.map((record, n) => ({ ...record, at, by, revision: next + n }));
        return { kind: 'changed', state: records.reduce(evolve, state) };
      }
      throw new StoreFault(
        'store.unavailable',
        'safe',
        `Others changed ${stream} ${roundsMax} times in a row. Try again.`,
      );
    },
  };
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
