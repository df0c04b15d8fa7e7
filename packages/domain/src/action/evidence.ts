// Reports from anyone but the claim's holder are evidence. A proven success also makes the action
// succeeded, whatever it had ended as; a refusal settles nothing unless the provider is proven to say
// that it never had an effect for our key, after all that it could have had one by. The same report counts once.
import { canonicalJson } from '../json/canonical-json.ts';
import { type CommandOf } from './command.ts';
import { accept, type Decision, type Instant, refuse, wrongStatus } from './decision.ts';
import { staleRevision } from './cancel.ts';
import { type ActionEvent, type EventData } from './event.ts';
import { duplicateEffect, lateSuccess } from './outcome.ts';
import { absent } from './reconcile.ts';
import { type Action, type Duplicate, type EvidenceItem } from './state.ts';
import { defaultChecks } from './tool-rules.ts';
import { absentAfterMs } from './waits.ts';

type Report = CommandOf<'ReportEvidence'>;

/** Of one action: reports, and UTF-16 units of them together. */
export const evidenceMax = 500;
export const evidenceSizeMax = 1024 * 1024;

export function reportEvidence(action: Action, command: Report, now: Instant): Decision {
  if (action.status === 'new' || action.status === 'reserved')
    return wrongStatus(action, 'record evidence');
  const data = evidenceData(command);
  const known = action.evidence.find((each) => isSameReport(each, data));
  const isKnown = known !== undefined;
  if (!isKnown && !mayBeKept(action, command, data)) return evidenceFull(action);
  const recorded: readonly ActionEvent[] = isKnown ? [] : [{ type: 'EvidenceRecorded', data }];
  if (command.claims === 'success' && command.proven) {
    // What it brought about, it brought about when it was said first.
    return isKnown ? accept() : accept(...recorded, ...provenSuccess(action, command, now));
  }
  // Said too early, it may be said again: absence can be proven by now.
  if (!provesAbsence(action, command, saidFirst(known))) return accept(...recorded);
  const { source, rules } = command;
  const reason = `${source} says that it never had an effect for this key`;
  return accept(
    ...recorded,
    ...absent(action, rules, { verdict: 'absent', by: source, reason }, now).events,
  );
}

function saidFirst(known: EvidenceItem | undefined): number | undefined {
  return known?.saidAt ?? known?.at;
}

/**
 * A refusal settles nothing, unless the provider never had an effect for the key and none can come.
 * @param saidAt when it was said first, where this is a repeat: of what was sent later it says nothing
 */
function provesAbsence(action: Action, command: Report, saidAt?: number): boolean {
  const { claims, proven, neverHadEffect, attempt, watched } = command;
  if (claims !== 'refusal' || !proven || neverHadEffect !== true) return false;
  if (action.status !== 'unknown') return false;
  if ((watched?.doubtMs ?? 0) < absentAfterMs(action, command.rules)) return false;
  // Of the same millisecond, nobody knows which came first.
  return action.attempts
    .filter(({ state }) => state === 'in doubt')
    .every(
      (each) =>
        (attempt === undefined || each.attempt === attempt) &&
        (saidAt === undefined || each.dispatchedAt < saidAt),
    );
}

/** What may settle it is taken beyond the bounds too, up to twice of them: the first of those has settled it. */
function mayBeKept(
  { evidence }: Action,
  { proven, claims, neverHadEffect }: Report,
  data: EventData['EvidenceRecorded'],
): boolean {
  const maySettle = proven && (claims === 'success' || neverHadEffect === true);
  const share = maySettle ? 2 : 1;
  if (evidence.length >= share * evidenceMax) return false;
  const size = [...evidence, data].reduce((sum, each) => sum + JSON.stringify(each).length, 0);
  return size <= share * evidenceSizeMax;
}

function evidenceFull(action: Action): Decision {
  const message = 'Nothing was recorded: so much was said of the action that no more is taken.';
  return refuse('action.evidence-full', message, action);
}

function evidenceData(command: Report): EventData['EvidenceRecorded'] {
  const { source, claims, id, attempt, externalId, saidAt, data, digest, notes } = command;
  return {
    source,
    claims: claims === 'success' && !command.proven ? 'note' : claims,
    ...(saidAt === undefined ? {} : { saidAt }),
    ...(id === undefined ? {} : { id }),
    ...(attempt === undefined ? {} : { attempt }),
    ...(externalId === undefined ? {} : { externalId }),
    ...(data === undefined ? {} : { data }),
    ...(digest === undefined ? {} : { digest }),
    ...(notes === undefined ? {} : { notes }),
  };
}

/** A webhook that is delivered twice: by its own id, or word for word. */
export function isSameReport(
  known: Omit<EvidenceItem, 'at'>,
  said: EventData['EvidenceRecorded'],
): boolean {
  if (known.source !== said.source || known.claims !== said.claims) return false;
  if (known.id !== undefined || said.id !== undefined) return known.id === said.id;
  return (
    known.attempt === said.attempt &&
    known.externalId === said.externalId &&
    canonicalJson(known.data ?? null) === canonicalJson(said.data ?? null)
  );
}

function provenSuccess(action: Action, command: Report, now: Instant): readonly ActionEvent[] {
  const other = secondEffect(action, command, now);
  switch (action.status) {
    case 'dispatched':
      return contradicts(action, command) ? [...other, incident(action, command, now)] : other;
    case 'succeeded':
    case 'compensating':
    case 'compensated':
    case 'compensation_failed':
      return other;
    case 'failed':
    case 'denied':
    case 'rejected':
    case 'expired':
    case 'cancelled':
    case 'superseded':
      return [succeeded(action, command), ...other, incident(action, command, now)];
    case 'new':
    case 'reserved':
    case 'planned':
    case 'awaiting_approval':
    case 'ready':
    case 'claimed':
    case 'unknown':
      return action.absentBefore || contradicts(action, command)
        ? [succeeded(action, command), ...other, incident(action, command, now)]
        : [succeeded(action, command), ...other];
  }
}

/** The attempt that it names is on record as having had no effect. */
function contradicts(action: Action, { attempt }: Report): boolean {
  return action.attempts.some((each) => each.attempt === attempt && each.state === 'no effect');
}

function incident(action: Action, { source, rules }: Report, now: Instant): ActionEvent {
  return lateSuccess(action, source, rules, now);
}

function succeeded(action: Action, command: Report): ActionEvent {
  const { source, attempt, externalId, data, digest, notes } = command;
  const known = action.attempts.some((each) => each.attempt === attempt);
  return {
    type: 'ActionSucceeded',
    data: {
      result: data ?? null,
      source,
      ...(attempt === undefined || !known ? {} : { attempt }),
      ...(externalId === undefined ? {} : { externalId }),
      ...(digest === undefined ? {} : { digest }),
      ...(notes === undefined ? {} : { notes }),
    },
  };
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
  if (action.duplicates.some((known) => covers(known, externalIds, other))) return accept();
  const data = {
    externalIds,
    proposal,
    owner: 'operator' as const,
    nextCheckAt: now.wallMs + defaultChecks.escalateAfterMs,
  };
  return accept({
    type: 'DuplicateEffectDetected',
    data: other === undefined ? data : { ...data, other },
  });
}

function covers(known: Duplicate, externalIds: readonly string[], other?: string): boolean {
  return known.other === other && externalIds.every((id) => known.externalIds.includes(id));
}

export function closeIncident(action: Action, command: CommandOf<'CloseIncident'>): Decision {
  const { incident: name, by, reason, revisionSeen } = command;
  if (revisionSeen !== action.revision) return staleRevision(action, revisionSeen);
  if (!action.incidents.some((each) => each.incident === name)) {
    return refuse('action.incident-unknown', `The action has no open incident ${name}.`, action);
  }
  return accept({ type: 'IncidentClosed', data: { incident: name, by, reason } });
}
