// Follows the stream of one action event by event, and keeps no event: the state that it leads to, and
// what is wrong with the order of its attempts. A check of many streams at once keeps a trail of each;
// once an action is settled, its trail can be made short.
import { evolve, ImpossibleEvent } from '../action/evolve.ts';
import {
  type ActionEvent,
  type ArchivedState,
  type EventData,
  type EventPlace,
} from '../action/event.ts';
import { type Action, isInDoubt, isOpen, newAction } from '../action/state.ts';
import { actionOfStream } from '../identity/action-id.ts';
import { type BrokenInvariant, type InvariantName } from './broken.ts';
import { attemptSettledBy } from './settled-attempt.ts';

type Unchecked =
  | 'absentBefore'
  | 'approval'
  | 'archived'
  | 'arguments'
  | 'by'
  | 'calls'
  | 'checks'
  | 'downstreamKey'
  | 'identityVersion'
  | 'plannedAt'
  | 'policyVersion'
  | 'readyAt'
  | 'secret'
  | 'validUntil';

/** What any check of a settled action, or of another one beside it, looks at. */
export type AuditedAction = Omit<Action, Unchecked> &
  /** Of what undoes another one it is kept. */
  Partial<Pick<Action, 'plannedAt'>>;

type Broken = Omit<BrokenInvariant, 'stream'>;

export interface ActionTrail {
  /** As far as the events can be folded, without contents: arguments and results are `{}` and null. */
  action: AuditedAction;
  /** An event could not follow: nothing after it is folded. */
  hasEnded: boolean;
  hasSucceeded: boolean;
  dispatches: number;
  downstreamKey: string | undefined;
  argumentsHash: string | undefined;
  otherHashes: readonly string[];
  broken: readonly Broken[];
}

export function startTrail(stream: string): ActionTrail {
  return {
    action: newAction(actionOfStream(stream) ?? stream),
    hasEnded: false,
    hasSucceeded: false,
    dispatches: 0,
    downstreamKey: undefined,
    argumentsHash: undefined,
    otherHashes: nothing,
    broken: nothing,
  };
}

/** @param event the next one of the stream */
export function followTrail(trail: ActionTrail, event: ActionEvent, place: EventPlace): void {
  if (event.type === 'ActionArchived' && trail.action.revision < 0) beginWith(trail, event.data);
  noteHash(trail, event);
  noteSuccess(trail, event, place);
  noteAttempt(trail, event, place);
  if (!trail.hasEnded) fold(trail, event, place);
}

/** What came before it is in a file: it tells what that led to. */
function beginWith(trail: ActionTrail, { through, state }: EventData['ActionArchived']): void {
  const { attempts = nothing, argumentsHash, downstreamKey, outcome } = state;
  trail.action = { ...trail.action, revision: through };
  trail.dispatches = attempts.length;
  trail.argumentsHash = argumentsHash;
  trail.downstreamKey = downstreamKey;
  trail.hasSucceeded = outcome !== undefined;
}

/** What its events showed to be broken; what its state shows is another check. */
export function brokenOnTrail({ argumentsHash, otherHashes, broken }: ActionTrail) {
  if (argumentsHash === undefined || otherHashes.length === 0) return broken;
  const detail = `it names ${[argumentsHash, ...otherHashes].join(' and ')}`;
  return [{ invariant: 'one-arguments-hash' as const, detail }, ...broken];
}

/**
 * Lets go of what no check asks for, of an action that succeeded and of which there is no more to
 * say. Later events, such as an undo, can still follow.
 */
export function shortenTrail(trail: ActionTrail): void {
  const { action } = trail;
  if (!isWhole(action) || isOpen(action) || !isPlain(action)) return;
  const { id, status, revision, updatedAt, tenant, tool, epoch, guarantee, outcome } = action;
  const { externalId } = outcome ?? unnamed;
  trail.action = {
    id,
    status,
    revision,
    updatedAt,
    tenant,
    tool,
    epoch,
    guarantee,
    // Compared among actions of one caller's key: this one has none.
    argumentsHash: '',
    outcome: externalId === undefined ? unnamed : { ...unnamed, externalId },
    ...noLists,
  };
  trail.argumentsHash = undefined;
  trail.downstreamKey = undefined;
}

function isWhole(action: AuditedAction): action is Action {
  return 'arguments' in action;
}

/** A plain action has none of these; each member that is not always there must be named. */
const unusual: Readonly<
  Record<Exclude<OptionalNames<AuditedAction>, 'outcome' | 'plannedAt' | 'saidAt'>, true>
> = {
  after: true,
  cancelRequested: true,
  claim: true,
  compensatedBy: true,
  compensates: true,
  edited: true,
  editOf: true,
  ending: true,
  key: true,
  observed: true,
  repeatOf: true,
  reportedSuccess: true,
  reservedFor: true,
  supersededBy: true,
  undoneAt: true,
  undoneBy: true,
  unknownSince: true,
  watch: true,
  workflow: true,
  trace: true,
};

type OptionalNames<Type> = keyof {
  readonly [Name in keyof Type as object extends Pick<Type, Name> ? Name : never]: true;
};

const unusualNames = Object.keys(unusual) as readonly (keyof typeof unusual)[];
const nothing: readonly never[] = [];
const noLists = {
  attempts: nothing,
  undoes: nothing,
  evidence: nothing,
  incidents: nothing,
  duplicates: nothing,
};
const unnamed: NonNullable<Action['outcome']> = { result: null, at: 0 };

function isPlain(action: Action): boolean {
  const { status, undoes, evidence, incidents, duplicates } = action;
  return (
    status === 'succeeded' &&
    undoes.length + evidence.length + incidents.length + duplicates.length === 0 &&
    !isInDoubt(action) &&
    unusualNames.every((name) => action[name] === undefined)
  );
}

function fold(trail: ActionTrail, event: ActionEvent, place: EventPlace): void {
  const { action } = trail;
  if (place.revision !== action.revision + 1) {
    end(trail, `revision ${place.revision} follows ${action.revision}`);
    return;
  }
  if (event.type === 'ActionDispatched') noteLease(trail, place);
  try {
    const whole = isWhole(action) ? action : { ...newAction(action.id), ...action };
    trail.action = evolve(whole, withoutContents(event), place);
  } catch (error) {
    if (!(error instanceof ImpossibleEvent)) throw error;
    end(trail, error.message);
  }
}

function end(trail: ActionTrail, detail: string): void {
  report(trail, 'stream-folds', detail);
  trail.hasEnded = true;
}

/** Held by the chain; no check depends on them, and they may be large. */
function withoutContents(event: ActionEvent): ActionEvent {
  if (event.type === 'ActionPlanned')
    return { ...event, data: { ...event.data, arguments: noArguments } };
  if (event.type === 'ActionSucceeded' || event.type === 'ActionReconciled')
    return { ...event, data: { ...event.data, result: null } } as ActionEvent;
  if (event.type === 'EvidenceRecorded') return { ...event, data: { ...event.data, data: null } };
  if (event.type === 'ActionArchived')
    return { ...event, data: { ...event.data, state: stateWithoutContents(event.data.state) } };
  return event;
}

const noArguments = {};

function stateWithoutContents(state: ArchivedState): ArchivedState {
  const { outcome } = state;
  return {
    ...state,
    arguments: noArguments,
    ...(outcome === undefined ? {} : { outcome: { ...outcome, result: null } }),
  };
}

function noteLease(trail: ActionTrail, { revision, at }: EventPlace): void {
  const { claim } = trail.action;
  const name: InvariantName = 'dispatch-under-live-claim';
  if (claim === undefined) report(trail, name, `revision ${revision} dispatches without a claim`);
  else if (at >= claim.leaseUntil) {
    const detail = `revision ${revision} dispatches at ${at}, after its lease (${claim.leaseUntil})`;
    report(trail, name, detail);
  }
}

function noteHash(trail: ActionTrail, event: ActionEvent): void {
  if (event.type !== 'ActionPlanned' && event.type !== 'ApprovalRequested') return;
  const { argumentsHash } = event.data;
  trail.argumentsHash ??= argumentsHash;
  if (argumentsHash !== trail.argumentsHash && !trail.otherHashes.includes(argumentsHash))
    trail.otherHashes = [...trail.otherHashes, argumentsHash];
}

function noteSuccess(trail: ActionTrail, event: ActionEvent, { revision }: EventPlace): void {
  const isSuccess =
    event.type === 'ActionSucceeded' ||
    (event.type === 'ActionReconciled' && event.data.verdict === 'found');
  if (!isSuccess) return;
  if (trail.hasSucceeded)
    report(trail, 'success-never-changes', `revision ${revision} records another success`);
  trail.hasSucceeded = true;
}

/** Attempts are numbered 1, 2, … by their dispatches, share one key, and settle after them. */
function noteAttempt(trail: ActionTrail, event: ActionEvent, { revision }: EventPlace): void {
  const name: InvariantName = 'attempts-follow-dispatches';
  if (event.type === 'ActionDispatched' || event.type === 'AttemptPresumed') {
    trail.dispatches += 1;
    const { attempt, downstreamKey } = event.data;
    if (attempt !== trail.dispatches)
      report(
        trail,
        name,
        `revision ${revision} dispatches attempt ${attempt} as number ${trail.dispatches}`,
      );
    if (trail.downstreamKey !== undefined && trail.downstreamKey !== downstreamKey)
      report(trail, name, `revision ${revision} sends another downstream key`);
    trail.downstreamKey ??= downstreamKey;
    return;
  }
  const attempt = attemptSettledBy(event);
  if (attempt !== undefined && (attempt < 1 || attempt > trail.dispatches))
    report(
      trail,
      name,
      `revision ${revision} settles attempt ${attempt}, which was not dispatched`,
    );
}

function report(trail: ActionTrail, invariant: InvariantName, detail: string): void {
  trail.broken = [...trail.broken, { invariant, detail }];
}
