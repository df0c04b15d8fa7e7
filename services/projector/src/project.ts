// Events of the store as records of the log: each event on `action.events`, and after the last one of an
// action in a batch its state on `action.state`. What is no action's and no workflow's (keys, pauses, notices)
// is told of and stays in the store: who needs it reads it there. States that somebody asks for are written
// once more, as they were when that was asked.
import {
  eventAsJson,
  foldAction,
  keyOfStream,
  stateAsJson,
  timeOfEvent,
  unsealActionEvent,
} from '@action-ledger/codec';
import {
  type Action,
  actionOfStream,
  evolve,
  ImpossibleEvent,
  parseActionId,
  type Sha256,
  streamOfAction,
  workflowOfStream,
} from '@action-ledger/domain';
import { mendsAskedIn, projectorSeatStream, sideBySide } from '@action-ledger/application';
import { actionTopics, headersOfEvent, type NewRecord } from '@action-ledger/event-log';
import { type EventStore, type RecordedEvent, StoreFault } from '@action-ledger/event-store';
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
  state: stateAsJson,
};

export interface ProjectDeps {
  readonly store: Pick<EventStore, 'readStream'>;
  readonly sha256: Sha256;
  readonly encode: Encoders;
  /** Of the topics, as they are written now. */
  readonly generation: number;
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
    // What has to be read for them is read side by side.
    await sideBySide(firstOfEachStream(events), states.after);
    for (const event of events) {
      if (event.stream === projectorSeatStream) continue;
      const { position } = event;
      const key = keyOfStream(event.stream);
      const placed = {
        key,
        headers: headersOfEvent({ ...placeOf(event), generation: deps.generation }),
        timestamp: timeOfEvent(event),
      };
      const state = await states.after(event);
      const value = await valueOf(event, state);
      records.push({ ...placed, topic: actionTopics.events, value });
      for (const actionId of mendsAskedIn(event))
        records.push(...(await mended(deps, event, actionId)));
      if (state === undefined || lastOf.get(event.stream) !== position) continue;
      records.push({ ...placed, topic: actionTopics.state, value: deps.encode.state(state) });
    }
    return records;
  };
}

/** The state of an action when this was asked; none any more where there is no such action. */
async function mended(
  { store, sha256, encode, generation }: ProjectDeps,
  asked: RecordedEvent,
  actionId: string,
): Promise<readonly NewRecord[]> {
  if (parseActionId(actionId) === undefined) return [];
  const stream = streamOfAction(actionId);
  const { position } = asked;
  const found = await foldThrough({ store, sha256 }, stream, (each) => each.position < position);
  if (found === undefined) return [];
  const { last, action } = found;
  const placed = {
    topic: actionTopics.state,
    key: actionId,
    timestamp: timeOfEvent(last ?? asked),
  };
  const headers = headersOfEvent({ ...placeOf(last ?? asked), position, generation });
  return [{ ...placed, headers, value: action && encode.state(action) }];
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

function firstOfEachStream(events: readonly RecordedEvent[]): Iterable<RecordedEvent> {
  return new Map(events.toReversed().map((event) => [event.stream, event])).values();
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
      const next = await stateAfter({ store, sha256 }, before, event);
      if (next !== undefined) return keep(actionId, next);
      known.delete(actionId);
      return undefined;
    },
  };
}

async function stateAfter(
  deps: Pick<ProjectDeps, 'store' | 'sha256'>,
  before: Action | undefined,
  event: RecordedEvent,
): Promise<Action | undefined> {
  if (event.revision === 0) return firstState(deps, event);
  return before?.revision === event.revision - 1 ? oneStep(before, event) : folded(deps, event);
}

/** All there is of it is the event itself. */
function firstState(
  { sha256 }: Pick<ProjectDeps, 'sha256'>,
  event: RecordedEvent,
): Action | undefined {
  const found = foldAction(sha256, event.stream, [event]);
  return found.kind === 'folded' ? found.action : undefined;
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
  deps: Pick<ProjectDeps, 'store' | 'sha256'>,
  { stream, revision }: RecordedEvent,
): Promise<Action | undefined> {
  const isThrough = (each: RecordedEvent): boolean => each.revision <= revision;
  return (await foldThrough(deps, stream, isThrough))?.action;
}

interface FoldedThrough {
  /** Undefined where there is no event. */
  readonly last: RecordedEvent | undefined;
  readonly action: Action | undefined;
}

/** Undefined where the stream does not hold together. */
async function foldThrough(
  { store, sha256 }: Pick<ProjectDeps, 'store' | 'sha256'>,
  stream: string,
  isThrough: (event: RecordedEvent) => boolean,
): Promise<FoldedThrough | undefined> {
  try {
    const through = (await store.readStream(stream)).filter(isThrough);
    const last = through.at(-1);
    if (last === undefined) return { last, action: undefined };
    const found = foldAction(sha256, stream, through);
    return found.kind === 'folded' ? { last, action: found.action } : undefined;
  } catch (fault) {
    if (fault instanceof StoreFault && fault.code === 'store.corrupt') return undefined;
    throw fault;
  }
}
