// Events of the store as records of the log: each event on `action.events`, and after the last one of an
// action in a batch its state on `action.state`. What is no action's and no workflow's (keys, pauses, notices)
// is told of and stays in the store: who needs it reads it there.
import {
  eventAsJson,
  foldAction,
  keyOfStream,
  timeOfEvent,
  unsealActionEvent,
} from '@action-ledger/codec';
import {
  type Action,
  actionOfStream,
  canonicalJson,
  evolve,
  ImpossibleEvent,
  type JsonObject,
  type Sha256,
  workflowOfStream,
} from '@action-ledger/domain';
import { actionTopics, headersOfEvent, type NewRecord } from '@action-ledger/event-log';
import { type EventStore, type RecordedEvent, StoreFault } from '@action-ledger/event-store';
import { seatStream } from './seat.ts';
import { createTenants } from './tenants.ts';

export interface Encoders {
  /** @param tenant whose stream it is in; undefined where that does not say so */
  readonly event: (event: RecordedEvent, tenant?: string) => Uint8Array;
  /** That there is such an event: what it says stays in the store. */
  readonly placeOnly: (event: RecordedEvent) => Uint8Array;
  readonly state: (action: Action) => Uint8Array;
}

/** An event as an object with `data` and `metadata`, a state as it is folded. */
export const encodersAsJson: Encoders = {
  event: eventAsJson,
  placeOnly: () => Buffer.from('{}'),
  state: (action) => Buffer.from(canonicalJson(action as unknown as JsonObject)),
};

export interface ProjectDeps {
  readonly store: Pick<EventStore, 'readStream'>;
  readonly sha256: Sha256;
  readonly encode: Encoders;
}

/** @param events in the order of positions; in it are the records. @throws StoreFault */
export type Project = (events: readonly RecordedEvent[]) => Promise<readonly NewRecord[]>;

export function createProject(deps: ProjectDeps): Project {
  const states = createStates(deps);
  const tenants = createTenants(deps);
  const valueOf = async (event: RecordedEvent, state: Action | undefined): Promise<Uint8Array> =>
    isOfWork(event.stream)
      ? deps.encode.event(event, await tenants.of(event, state))
      : deps.encode.placeOnly(event);
  return async (events) => {
    const records: NewRecord[] = [];
    const lastOf = lastOfEachStream(events);
    for (const event of events) {
      if (event.stream === seatStream) continue;
      const { position } = event;
      const key = keyOfStream(event.stream);
      const placed = {
        key,
        headers: headersOfEvent(placeOf(event)),
        timestamp: timeOfEvent(event),
      };
      const state = await states.after(event);
      const value = await valueOf(event, state);
      records.push({ ...placed, topic: actionTopics.events, value });
      if (state === undefined || lastOf.get(event.stream) !== position) continue;
      records.push({ ...placed, topic: actionTopics.state, value: deps.encode.state(state) });
    }
    return records;
  };
}

function isOfWork(stream: string): boolean {
  return actionOfStream(stream) !== undefined || workflowOfStream(stream) !== undefined;
}

function placeOf({ id, type, stream, revision, position }: RecordedEvent) {
  return { eventId: id, type, stream, revision, position };
}

function lastOfEachStream(events: readonly RecordedEvent[]): ReadonlyMap<string, number> {
  return new Map(events.map(({ stream, position }) => [stream, position]));
}

interface States {
  /** Undefined where the stream is no action's, or does not hold together: whoever checks the streams says so. */
  readonly after: (event: RecordedEvent) => Promise<Action | undefined>;
}

const statesMax = 20_000;

/** Most actions move several times within seconds: then their state goes on from where it was. */
function createStates({ store, sha256 }: ProjectDeps): States {
  const known = new Map<string, Action>();
  const keep = (actionId: string, action: Action): Action => {
    known.delete(actionId);
    known.set(actionId, action);
    const [oldest] = known.keys();
    if (known.size > statesMax && oldest !== undefined) known.delete(oldest);
    return action;
  };
  return {
    after: async (event) => {
      const actionId = actionOfStream(event.stream);
      if (actionId === undefined) return undefined;
      const before = known.get(actionId);
      if (before?.revision === event.revision) return before;
      const isNext = before?.revision === event.revision - 1;
      const next = isNext ? oneStep(before, event) : await folded(store, sha256, event);
      if (next !== undefined) return keep(actionId, next);
      known.delete(actionId);
      return undefined;
    },
  };
}

function oneStep(before: Action, event: RecordedEvent): Action | undefined {
  try {
    const { event: said, metadata, revision } = unsealActionEvent(event);
    return evolve(before, said, { revision, at: metadata.at });
  } catch (error) {
    if (error instanceof ImpossibleEvent || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Through this event, and undefined where it was given up: a later one brings the state. */
async function folded(
  store: ProjectDeps['store'],
  sha256: Sha256,
  { stream, revision }: RecordedEvent,
): Promise<Action | undefined> {
  try {
    const events = await store.readStream(stream);
    const through = events.filter((each) => each.revision <= revision);
    if (through.length === 0) return undefined;
    const found = foldAction(sha256, stream, through);
    return found.kind === 'folded' ? found.action : undefined;
  } catch (fault) {
    if (fault instanceof StoreFault && fault.code === 'store.corrupt') return undefined;
    throw fault;
  }
}
