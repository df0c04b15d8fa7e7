// Reports from anyone but the claim's holder are evidence. A proven success also makes the action
// succeeded, whatever it had ended as; a refusal settles nothing unless the provider says that it
// never had an effect for our key.
import { type CommandOf } from './command.ts';
import { accept, type Decision, refuse, wrongStatus } from './decision.ts';
import { staleRevision } from './cancel.ts';
import { type Instant } from './decide.ts';
import { type ActionEvent, type EventData } from './event.ts';
import { duplicateEffect } from './outcome.ts';
import { type Action, isEnded } from './state.ts';

type Report = CommandOf<'ReportEvidence'>;

export function reportEvidence(action: Action, command: Report, now: Instant): Decision {
  if (action.status === 'new' || action.status === 'reserved')
    return wrongStatus(action, 'record evidence');
  const recorded: ActionEvent = { type: 'EvidenceRecorded', data: evidenceData(command) };
  if (command.claims === 'success' && command.proven) {
    return accept(recorded, ...provenSuccess(action, command, now));
  }
  if (
    command.claims === 'refusal' &&
    command.neverHadEffect === true &&
    action.status === 'unknown'
  ) {
    const reason = `${command.source} says that it never had an effect for this key`;
    return accept(
      recorded,
      { type: 'ActionReconciled', data: { verdict: 'absent', by: command.source, reason } },
      ...afterAbsent(action),
    );
  }
  return accept(recorded);
}

function evidenceData(command: Report): EventData['EvidenceRecorded'] {
  const { source, claims, attempt, externalId, data } = command;
  return {
    source,
    claims: claims === 'success' && !command.proven ? 'note' : claims,
    ...(attempt === undefined ? {} : { attempt }),
    ...(externalId === undefined ? {} : { externalId }),
    ...(data === undefined ? {} : { data }),
  };
}

function afterAbsent(action: Action): readonly ActionEvent[] {
  const { cancelRequested, guarantee } = action;
  if (cancelRequested !== undefined) return [{ type: 'ActionCancelled', data: cancelRequested }];
  if (guarantee === 'manual')
    return [{ type: 'ActionFailed', data: { reason: 'the provider had no effect for this key' } }];
  return [];
}

function provenSuccess(action: Action, command: Report, now: Instant): readonly ActionEvent[] {
  const other = secondEffect(action, command, now);
  switch (action.status) {
    case 'dispatched':
    case 'succeeded':
    case 'compensating':
    case 'compensated':
    case 'compensation_failed':
      return other;
    case 'new':
    case 'reserved':
    case 'planned':
    case 'awaiting_approval':
    case 'ready':
    case 'claimed':
    case 'unknown':
    case 'failed':
    case 'denied':
    case 'rejected':
    case 'expired':
    case 'cancelled':
    case 'superseded':
      return [
        { type: 'ActionSucceeded', data: successData(command) },
        ...other,
        ...incident(action, command, now),
      ];
  }
}

function successData(command: Report): EventData['ActionSucceeded'] {
  const { source, attempt, externalId, data } = command;
  return {
    result: data ?? null,
    source,
    ...(attempt === undefined ? {} : { attempt }),
    ...(externalId === undefined ? {} : { externalId }),
  };
}

/** A success out of an ending, or against a verdict `absent`, is never passed over in silence. */
function incident(action: Action, command: Report, now: Instant): readonly ActionEvent[] {
  if (!isEnded(action) && action.status !== 'superseded' && !action.absentBefore) return [];
  const reason = `${command.source} proves a success although the action was ${action.status}`;
  const nextCheckAt = now.wallMs + command.rules.checks.escalateAfterMs;
  const data = {
    incident: `late-success-${action.revision + 1}`,
    reason,
    owner: 'operator' as const,
    nextCheckAt,
  };
  return [{ type: 'IncidentOpened', data }];
}

/** Another external id than the one we know is another effect of the same action. */
function secondEffect(action: Action, command: Report, now: Instant): readonly ActionEvent[] {
  const { externalId } = command;
  if (externalId === undefined) return [];
  const known = [
    action.outcome?.externalId,
    ...action.evidence.filter(({ claims }) => claims === 'success').map((each) => each.externalId),
  ].filter((id) => id !== undefined);
  if (known.length === 0 || known.includes(externalId)) return [];
  return [duplicateEffect([...new Set([...known, externalId])], command.rules, now)];
}

export function detectDuplicate(
  action: Action,
  command: CommandOf<'DetectDuplicate'>,
  now: Instant,
): Decision {
  if (action.status === 'new' || action.status === 'reserved')
    return wrongStatus(action, 'record a duplicate effect');
  const { externalIds, other, proposal } = command;
  const data = {
    externalIds,
    proposal,
    owner: 'operator' as const,
    nextCheckAt: now.wallMs + operatorLooksAfterMs,
  };
  return accept({
    type: 'DuplicateEffectDetected',
    data: other === undefined ? data : { ...data, other },
  });
}

const operatorLooksAfterMs = 24 * 3_600_000;

export function closeIncident(action: Action, command: CommandOf<'CloseIncident'>): Decision {
  const { incident: name, by, reason, revisionSeen } = command;
  if (revisionSeen !== action.revision) return staleRevision(action, revisionSeen);
  if (!action.incidents.some((each) => each.incident === name)) {
    return refuse('action.incident-unknown', `The action has no open incident ${name}.`, action);
  }
  return accept({ type: 'IncidentClosed', data: { incident: name, by, reason } });
}
