// What of an action waits for people: its approval, an unknown that is theirs, an incident. Each is
// begun by one event, and stands until a later one ends it.
import { unsealActionEvent } from '@action-ledger/codec';
import {
  type Action,
  type ActionEvent,
  evolve,
  ImpossibleEvent,
  newAction,
} from '@action-ledger/domain';
import { type RecordedEvent } from '@action-ledger/event-store';
import { plainText, type Told } from './notification.ts';

/** @returns undefined where it does not wait for people, or does no longer */
export function causeInAction(
  actionId: string,
  events: readonly RecordedEvent[],
  cause: RecordedEvent,
): Told | undefined {
  const story = foldStory(actionId, events);
  // A damaged stream is told of by its quarantine.
  if (story === undefined) return undefined;
  const { event, metadata } = unsealActionEvent(cause);
  const said = whatStands(story, event, cause.revision);
  if (said === undefined) return undefined;
  const { tenant, tool, id } = story.action;
  return { at: metadata.at, tenant, tool: plainText(tool), action: id, ...said };
}

interface Story {
  readonly action: Action;
  /** Revisions of the events that began what stands at the end. */
  readonly askedAt: number;
  readonly ownedSince: number;
}

function foldStory(actionId: string, events: readonly RecordedEvent[]): Story | undefined {
  let action = newAction(actionId);
  let [askedAt, ownedSince] = [-1, -1];
  try {
    for (const recorded of events) {
      const { event, metadata, revision } = unsealActionEvent(recorded);
      const wasOwned = isWithPeople(action);
      action = evolve(action, event, { revision, at: metadata.at });
      if (event.type === 'ApprovalRequested') askedAt = revision;
      if (!wasOwned && isWithPeople(action)) ownedSince = revision;
    }
  } catch (error) {
    if (error instanceof ImpossibleEvent || error instanceof SyntaxError) return undefined;
    throw error;
  }
  return { action, askedAt, ownedSince };
}

function isWithPeople({ watch }: Action): boolean {
  return watch?.owner === 'operator';
}

function whatStands(
  { action, askedAt, ownedSince }: Story,
  event: ActionEvent,
  revision: number,
): Pick<Told, 'kind' | 'text' | 'detail'> | undefined {
  if (event.type === 'ApprovalRequested')
    return askedAt === revision && action.status === 'awaiting_approval'
      ? approvalWaits(action, event.data)
      : undefined;
  if (event.type === 'IncidentOpened') return incident(action, event.data.incident);
  if (event.type === 'DuplicateEffectDetected') return incident(action, `duplicate-${revision}`);
  return ownedSince === revision && isWithPeople(action) ? escalated(action, event) : undefined;
}

function approvalWaits(
  { tool, by }: Action,
  asked: Extract<ActionEvent, { type: 'ApprovalRequested' }>['data'],
): Pick<Told, 'kind' | 'text' | 'detail'> {
  const { votes, expiresAt, reason, argumentsHash } = asked;
  const until = new Date(expiresAt).toISOString();
  return {
    kind: 'approval waiting',
    text: plainText(
      `${tool} waits for ${votes === 1 ? 'a vote' : `${votes} votes`}, until ${until}.`,
    ),
    detail: {
      votes,
      expiresAt,
      argumentsHash,
      ...(reason === undefined ? {} : { reason: plainText(reason) }),
      ...(by === undefined ? {} : { by: plainText(by) }),
    },
  };
}

function incident(
  action: Action,
  name: string,
): Pick<Told, 'kind' | 'text' | 'detail'> | undefined {
  const open = action.incidents.find((each) => each.incident === name);
  if (open === undefined) return undefined;
  const reason = plainText(open.reason);
  const isDuplicate = name.startsWith('duplicate-');
  return {
    kind: 'incident',
    text: plainText(
      isDuplicate
        ? `${action.tool} has had more than one effect: ${reason}`
        : `An incident of ${action.tool}: ${reason}`,
    ),
    detail: { incident: name, reason, duplicate: isDuplicate, status: action.status },
  };
}

function escalated(
  { tool, status, guarantee }: Action,
  { data }: ActionEvent,
): Pick<Told, 'kind' | 'text' | 'detail'> {
  const reason = 'reason' in data && typeof data.reason === 'string' ? plainText(data.reason) : '';
  const what =
    status === 'compensation_failed'
      ? 'could not be undone, and a person is needed'
      : 'has an outcome that is not known, and a person is needed';
  return {
    kind: 'unknown escalated',
    text: plainText(`${tool} ${what}${reason === '' ? '.' : `: ${reason}`}`),
    detail: { status, guarantee, reason },
  };
}
