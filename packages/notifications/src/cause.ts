// Which events people are told of, and whether what an event began still waits for them. Read from the
// stream itself: a log that is replayed, or a place in it that was reset, brings up what was dealt with
// long ago, and that is no news.
import { type EventPlace } from '@action-ledger/event-log';
import { type EventStore, type RecordedEvent } from '@action-ledger/event-store';
import {
  type ActionEvent,
  actionOfStream,
  type Sha256,
  workflowOfStream,
} from '@action-ledger/domain';
import { causeInAction } from './cause-in-action.ts';
import { causeInWorkflow, workflowCauses } from './cause-in-workflow.ts';
import { type Cause, type Notification, type Told } from './notification.ts';
import {
  causeInAudit,
  causeInCallerTools,
  causeInPauses,
  causeInQuarantine,
} from './cause-of-ledger.ts';

export interface CauseDeps {
  readonly store: Pick<EventStore, 'readStream'>;
  readonly sha256: Sha256;
}

/** Events that may hand something over to a person. Most of them do not: their stream says so. */
const actionCauses: ReadonlySet<string> = new Set<ActionEvent['type']>([
  'ApprovalRequested',
  'ClaimEnded',
  'AttemptPresumed',
  'AttemptNotSent',
  'AttemptRefused',
  'ActionOutcomeUnknown',
  'ReconciliationChecked',
  'OwnerAssigned',
  'CompensationFailed',
  'IncidentOpened',
  'DuplicateEffectDetected',
]);

/** Cheap: asked for every event of the ledger. */
export function mayBeCause({ stream, type }: Pick<EventPlace, 'stream' | 'type'>): boolean {
  if (actionOfStream(stream) !== undefined) return actionCauses.has(type);
  if (workflowOfStream(stream) !== undefined) return workflowCauses.has(type);
  if (stream === pauseStream) return type === 'LedgerPaused';
  if (stream === auditStream) return type === 'InvariantBroken';
  if (stream === callerToolStream) return type === 'CallerToolDeclared';
  return stream.startsWith(quarantinePrefix) && type === 'IncidentOpened';
}

const pauseStream = 'pauses';
const auditStream = 'audit';
const callerToolStream = 'caller-tools';
const quarantinePrefix = 'quarantine-';

export function noticeIdOf(eventId: string): string {
  return `ntc_${eventId}`;
}

/**
 * @returns undefined where nobody needs to be told (any more)
 * @throws StoreFault where the stream cannot be read
 */
export async function notificationOf(
  { store, sha256 }: CauseDeps,
  { stream, revision }: Cause,
): Promise<Notification | undefined> {
  const events = await store.readStream(stream);
  const event = events.find((each) => each.revision === revision);
  if (event === undefined || !mayBeCause(event)) return undefined;
  const told = toldBy(sha256, stream, events, event);
  return told === undefined
    ? undefined
    : { ...told, id: noticeIdOf(event.id), cause: { stream, revision } };
}

function toldBy(
  sha256: Sha256,
  stream: string,
  events: readonly RecordedEvent[],
  event: RecordedEvent,
): Told | undefined {
  const action = actionOfStream(stream);
  if (action !== undefined) return causeInAction(action, events, event);
  const workflow = workflowOfStream(stream);
  if (workflow !== undefined) return causeInWorkflow(sha256, workflow, events, event);
  if (stream === pauseStream) return causeInPauses(events, event);
  if (stream === auditStream) return causeInAudit(event);
  if (stream === callerToolStream) return causeInCallerTools(event);
  return causeInQuarantine(stream.slice(quarantinePrefix.length), event);
}
