// The topic of states against the streams. The projector says up to where it has published everything: up to
// there the topic must have every action, at its newest revision, with the state that its stream folds to.
// What lies beyond may be on its way. What is not as it should be is told, and its state is asked for once
// more; the projector writes it.
import {
  type BrokenRecord,
  createStateMends,
  projectedPlace,
  type ProjectedPlace,
  readEvents,
  type RecordStreamDeps,
  type StateMends,
} from '@action-ledger/application';
import { foldAction, stateAsJson } from '@action-ledger/codec';
import { type Action, actionOfStream, parseActionId, streamOfAction } from '@action-ledger/domain';
import { type EventLog } from '@action-ledger/event-log';
import { type EventStore, type RecordedEvent, StoreFault } from '@action-ledger/event-store';
import { type Runtime } from '@action-ledger/runtime';
import {
  everything,
  isIn,
  readToldStates,
  type Slice,
  type StateText,
  type ToldState,
  type ToldStates,
} from './told-states.ts';

export interface CompareStatesDeps extends RecordStreamDeps {
  readonly store: EventStore;
  readonly log: Pick<EventLog, 'consume' | 'lag' | 'newest'>;
  readonly runtime: Runtime;
  readonly textOf: StateText;
  readonly rest: () => Promise<void>;
  readonly isStopped: () => boolean;
  /** Held in memory at once; more are compared in several rounds. Default 250,000. */
  readonly actionsMax?: number;
}

interface Round {
  readonly told: ToldStates;
  /** Before the topic was read. */
  readonly projected: ProjectedPlace;
}

/** Each finding is asked to be mended once it was taken. @throws StoreFault; LogFault */
export async function* compareStates(deps: CompareStatesDeps): AsyncGenerator<BrokenRecord> {
  const mends = createStateMends(deps);
  const slices: Slice[] = [everything];
  const tells = { left: tellsMax };
  for (let slice = slices.pop(); slice !== undefined; slice = slices.pop()) {
    if (deps.isStopped() || deps.store.condition().kind !== 'ready') return;
    const projected = await projectedPlace(deps.store);
    if (projected === undefined) return;
    const told = await readToldStates({ ...deps, digest: deps.sha256 }, slice);
    if (told === undefined) return;
    slices.push(...told.left);
    const round = { told, projected };
    yield* tellAndMend(mends, tells, compareStreams(deps, round));
    yield* tellAndMend(mends, tells, compareOthers(deps, round));
    if (slice !== everything) continue;
    for (const key of told.foreign) yield foreignRecord(key);
    await mends.ask(told.foreign.filter((key) => parseActionId(key) !== undefined));
  }
}

interface Finding {
  readonly action: string;
  /** Undefined where it is what a store that went back in time leaves behind. */
  readonly detail: string | undefined;
}

const mendsAtOnce = 100;
/** In one pass. Where more differ they differ for one reason: all are mended, and the others are not told. */
const tellsMax = 100;

async function* tellAndMend(
  mends: StateMends,
  tells: { left: number },
  findings: AsyncIterable<Finding>,
): AsyncGenerator<BrokenRecord> {
  const asked: string[] = [];
  const ask = (): Promise<void> => mends.ask(asked.splice(0));
  for await (const { action, detail } of findings) {
    if (detail !== undefined && tells.left > 0) {
      tells.left -= 1;
      yield { stream: streamOfAction(action), invariant: 'projection-equals-fold', detail };
    }
    asked.push(action);
    if (asked.length >= mendsAtOnce) await ask();
  }
  if (asked.length > 0) await ask();
}

/** Every action that the store has, by its first event; what was compared is taken out of what was told. */
async function* compareStreams(deps: CompareStatesDeps, round: Round): AsyncGenerator<Finding> {
  const { store, rest } = deps;
  const { told, projected } = round;
  for await (const bite of readEvents(store, { after: 0, through: projected.position })) {
    for (const event of bite.filter(isFirst)) {
      if (deps.isStopped()) return;
      const action = actionOfStream(event.stream);
      if (action === undefined || !isIn(told.slice, action)) continue;
      yield* findingsOf(deps, round, action);
      told.states.delete(action);
      await rest();
    }
    await rest();
  }
}

/** Actions that the topic has and the store does not, or had not when its streams were looked through. */
async function* compareOthers(deps: CompareStatesDeps, round: Round): AsyncGenerator<Finding> {
  for (const [action, { digest }] of round.told.states) {
    if (deps.isStopped()) return;
    if (digest === undefined || parseActionId(action) === undefined) continue;
    yield* findingsOf(deps, round, action);
    await deps.rest();
  }
}

async function* findingsOf(
  deps: CompareStatesDeps,
  { told, projected }: Round,
  action: string,
): AsyncGenerator<Finding> {
  const state = told.states.get(action);
  const events = await eventsOf(deps.store, streamOfAction(action));
  // Damaged, which is told by itself.
  if (events === undefined) return;
  const before = (state?.generation ?? projected.generation) - projected.generation;
  // Of the generation to come: not everything of it is published.
  if (before > 0) return;
  if (before < 0 && events.length === 0) {
    yield { action, detail: undefined };
    return;
  }
  const due = events.filter(({ position }) => position <= projected.position).at(-1);
  // A newer state takes the place of what was due, and need not have been read.
  const isReplaced = due !== events.at(-1);
  const late = due && !isReplaced ? lateness(state, due, projected) : undefined;
  const detail = late ?? (state && differs(deps, { state, events, projected, action }));
  if (detail !== undefined) yield { action, detail };
}

function lateness(
  state: ToldState | undefined,
  due: RecordedEvent,
  { generation }: ProjectedPlace,
): string | undefined {
  const revision = `revision ${due.revision} (${due.type})`;
  if (state?.digest === undefined)
    return `action.state has no state of it, and everything up to ${revision} is said to be published`;
  if (state.generation < generation)
    return `action.state has a state of generation ${state.generation}, and generation ${generation} is said to be written up to ${revision}`;
  if (state.revision < due.revision)
    return `action.state has revision ${state.revision}, and everything up to ${revision} is said to be published`;
  return undefined;
}

interface Compared {
  readonly state: ToldState;
  readonly events: readonly RecordedEvent[];
  readonly projected: ProjectedPlace;
  readonly action: string;
}

function differs(
  deps: CompareStatesDeps,
  { state: { digest, revision, generation }, events, projected, action }: Compared,
): string | undefined {
  if (digest === undefined) return undefined;
  const last = events.at(-1);
  if (last === undefined)
    return `action.state has revision ${revision}, and there is no such stream`;
  // To be written anew, in its turn.
  if (generation < projected.generation) return undefined;
  if (last.revision < revision)
    return `action.state has revision ${revision}, and the stream ends at ${last.revision}`;
  const through = events.filter((each) => each.revision <= revision);
  const found = foldAction(deps.sha256, streamOfAction(action), through);
  if (found.kind === 'broken' || through.length === 0) return undefined;
  if (deps.sha256(textOfState(found.action)) === digest) return undefined;
  return `action.state says something else of revision ${revision} than the stream does`;
}

async function eventsOf(
  store: Pick<EventStore, 'readStream'>,
  stream: string,
): Promise<readonly RecordedEvent[] | undefined> {
  try {
    return await store.readStream(stream);
  } catch (fault) {
    if (fault instanceof StoreFault && fault.code === 'store.corrupt') return undefined;
    throw fault;
  }
}

function textOfState(action: Action): string {
  return Buffer.from(stateAsJson(action)).toString();
}

function foreignRecord(key: string): BrokenRecord {
  const detail = `the record under ${JSON.stringify(key)} is none of the projector's: somebody else publishes there`;
  return { stream: 'action.state', invariant: 'projection-equals-fold', detail };
}

/** What an archived stream begins with stands where it ended. */
function isFirst({ revision, type }: RecordedEvent): boolean {
  return revision === 0 || type === 'ActionArchived';
}
