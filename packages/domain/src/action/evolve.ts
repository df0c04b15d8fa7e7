// Folds events into the state of an action. Pure; here and in the evolve-* files beside it events get
// their meaning, and nowhere else.
import { type CallOrigin } from '../identity/declaration.ts';
import { type ActionEvent, type ActionPlanned, type EventData, type EventPlace } from './event.ts';
import { archived } from './archive.ts';
import { approval, claim } from './evolve-claim.ts';
import { ending, watchOf } from './evolve-ending.ts';
import { incidents, links } from './evolve-links.ts';
import { evidence, outcome, reconciled } from './evolve-outcome.ts';
import { ImpossibleEvent } from './impossible-event.ts';
import { type Action } from './state.ts';
import { isEventType, transitionsFrom } from './transitions.ts';

export { ImpossibleEvent } from './impossible-event.ts';

/** @throws ImpossibleEvent where the lifecycle table does not allow the event. */
export function evolve(action: Action, event: ActionEvent, place: EventPlace): Action {
  if (!isEventType(event.type)) throw new ImpossibleEvent(action, event);
  const allowed = transitionsFrom(action.status, event.type);
  if (allowed.length === 0) throw new ImpossibleEvent(action, event);
  if (event.type === 'ActionArchived' && !isOwnMarker(action, event.data, place))
    throw new ImpossibleEvent(action, event);
  const next = apply(action, event, place);
  if (!allowed.includes(next.status)) throw new ImpossibleEvent(action, event);
  // Nothing happens to an action when it is archived.
  const updatedAt = event.type === 'ActionArchived' ? next.updatedAt : place.at;
  return { ...next, revision: place.revision, updatedAt };
}

/** Of this action, and in the place that it names. */
function isOwnMarker(
  { id, status }: Action,
  { action, through, state }: EventData['ActionArchived'],
  { revision }: EventPlace,
): boolean {
  return action === id && through === revision - 1 && (status === 'new' || status === state.status);
}

function apply(action: Action, event: ActionEvent, { revision, at }: EventPlace): Action {
  switch (event.type) {
    case 'ActionPlanned':
      return planned(action, event.data, at);
    case 'NameReserved':
      return { ...action, status: 'reserved', reservedFor: event.data.action };
    case 'ActionDenied':
    case 'ActionExpired':
    case 'ActionRejected':
    case 'ActionCancelled':
      return ending(action, event, at);
    case 'ApprovalRequested':
    case 'ApprovalVoted':
    case 'ActionApproved':
      return approval(action, event, at);
    case 'ActionClaimed':
    case 'ClaimExtended':
    case 'ClaimEnded':
    case 'ActionDispatched':
    case 'AttemptPresumed':
      return claim(action, event, { revision, at });
    case 'RetryPlanned':
    case 'AttemptNotSent':
    case 'AttemptRefused':
    case 'ActionSucceeded':
    case 'ActionFailed':
    case 'ActionOutcomeUnknown':
      return outcome(action, event, at);
    case 'ReconciliationChecked':
      return { ...action, checks: event.data.check, watch: watchOf(event.data) };
    case 'ActionReconciled':
      return reconciled(action, event.data, at);
    case 'OwnerAssigned':
      return { ...action, watch: watchOf(event.data) };
    case 'EvidenceRecorded':
      return evidence(action, event.data, at);
    case 'CallJoined':
      return { ...action, calls: [...action.calls, event.data.call] };
    case 'CancelRequested':
      return { ...action, cancelRequested: event.data };
    case 'DuplicateEffectDetected':
    case 'IncidentOpened':
    case 'IncidentClosed':
      return incidents(action, event, revision);
    case 'ActionArchived':
      return archived(action, event.data, { at });
    case 'ActionUndone':
    case 'ActionSuperseded':
    case 'CompensationPlanned':
    case 'ActionCompensated':
    case 'CompensationFailed':
      return links(action, event, at);
  }
}

function planned(action: Action, data: ActionPlanned, at: number): Action {
  const waits = data.readyAt !== undefined || data.after !== undefined;
  return {
    ...action,
    status: waits ? 'planned' : 'ready',
    tenant: data.tenant,
    tool: data.tool,
    epoch: data.epoch,
    identityVersion: data.identityVersion,
    arguments: data.arguments,
    argumentsHash: data.argumentsHash,
    guarantee: data.guarantee,
    plannedAt: at,
    validUntil: data.validUntil,
    ...(data.saidAt === undefined ? {} : { saidAt: data.saidAt }),
    readyAt: data.readyAt ?? at,
    secret: data.secret === true,
    calls: data.call === undefined ? noCalls : [data.call],
    ...(data.key === undefined ? none : { key: data.key }),
    ...(data.by === undefined ? none : { by: data.by }),
    ...(data.after === undefined ? none : { after: data.after }),
    ...(data.policy === undefined ? none : { policyVersion: data.policy.version }),
    ...origins(data),
  };
}

/** The actions and workflows that brought it about. */
function origins({
  repeatOf,
  editOf,
  compensates,
  workflow,
  trace,
  observed,
}: ActionPlanned): Partial<Action> {
  return {
    ...(repeatOf === undefined ? none : { repeatOf: repeatOf.action }),
    ...(editOf === undefined ? none : { editOf: editOf.action }),
    ...(compensates === undefined ? none : { compensates }),
    ...(workflow === undefined ? none : { workflow }),
    ...(trace === undefined ? none : { trace }),
    ...(observed === undefined ? none : { observed }),
  };
}

const none = {};
const noCalls: readonly CallOrigin[] = [];
