// Nothing was sent too early, too late or too often, and what nobody decided ended at its time.
import { type Day } from '../day.ts';
import { type ActionStory, type DayRecord, type Fact, type Story } from '../record.ts';
import { pausedWithin, pausesIn } from './pauses.ts';
import { awayWithin, minute, second } from '../times.ts';
import { waits } from '../tools.ts';
import { retryAfterMs } from '../weather.ts';

/** A sweep later than it could have been. */
const lateMax = 6 * second;
const attemptsMax = 4;
const inFlightMs = minute;
const settleMs = 10 * second;

/** Votes are taken until they are not, and validity ends when it was said to. */
export function expiriesComeInTime(day: Day, { actions }: DayRecord): readonly string[] {
  const now = day.time.clock.monoMs();
  return [...actions.values()].flatMap((story) => {
    const { id, facts, validUntil } = story;
    const asked = facts.find(({ type }) => type === 'ApprovalRequested');
    const closedAt = Number(asked?.data['expiresAt'] ?? Infinity) - day.midnight;
    const end = facts.find(({ type }) => type === 'ActionExpired' || decides.has(type));
    if (end?.type === 'ActionExpired') {
      const due = end.data['reason'] === noVote ? closedAt : validUntil;
      return expiredBadly(end, due).map((how) => `${id} ${how}`);
    }
    if (end !== undefined)
      return end.at > closedAt ? [`${id} was decided after its votes were closed`] : [];
    return now - closedAt - awayWithin(closedAt, now) > lateMax
      ? [`${id} waits for votes that are not taken any more`]
      : [];
  });
}

function expiredBadly({ at, data }: Fact, due: number): readonly string[] {
  const lateMs = at - due - awayWithin(due, at);
  // Known beforehand: the next try would come too late.
  const isRetry = String(data['reason']).startsWith('no retry');
  const isEarly = lateMs < 0 && !isRetry;
  return lateMs > lateMax || isEarly ? [`expired ${lateMs} ms after its time`] : [];
}

const decides: ReadonlySet<string> = new Set([
  'ActionApproved',
  'ActionRejected',
  'ActionCancelled',
]);
const noVote = 'nobody decided before the end of the vote';

/** Nothing leaves after its validity, in its undo window, or after it was cancelled. */
export function sendsAreTimely(_day: Day, { actions }: DayRecord): readonly string[] {
  return [...actions.values()].flatMap((story) => {
    const { id, tool, facts, validUntil } = story;
    const planned = facts[0]?.at ?? 0;
    const undo = { order_goods: waits.orderUndo, send_email: waits.mailUndo }[tool] ?? 0;
    const cancelled = facts.find(({ type }) => type === 'ActionCancelled')?.at ?? Infinity;
    return sendsOf(story).flatMap(({ at }) => [
      ...(at >= validUntil ? [`${id} was sent after its validity`] : []),
      ...(at < planned + undo ? [`${id} was sent within its undo window`] : []),
      ...(at > cancelled ? [`${id} was sent after it was cancelled`] : []),
    ]);
  });
}

/** Retries wait for their backoff, resends in doubt for the in-flight bound, and there are few. */
export function retriesAreSpaced(day: Day, { actions }: DayRecord): readonly string[] {
  return [...actions.values()].flatMap((story) => {
    const { id } = story;
    const sends = sendsOf(story);
    const tooMany = sends.length > attemptsMax ? [`${id} was sent ${sends.length} times`] : [];
    const early = sends.flatMap((send, index) =>
      index === 0 ? [] : tooEarly(day, story, sends[index - 1] as Fact, send),
    );
    return [...tooMany, ...early];
  });
}

function tooEarly(day: Day, story: ActionStory, before: Fact, send: Fact): readonly string[] {
  const between = story.facts.filter(
    ({ revision }) => revision > before.revision && revision < send.revision,
  );
  const doubtAt = between.find(({ type }) => type === 'ActionOutcomeUnknown')?.at ?? 0;
  return between.flatMap((fact) => {
    const from = mayFollowAt(day, fact, { sentAt: before.at, doubtAt });
    return send.at < from.at ? [`${story.id} was sent again ${from.why}`] : [];
  });
}

interface From {
  readonly at: number;
  readonly why: string;
}

/** When the next send may be, by what was said after the one before. */
function mayFollowAt(
  { midnight }: Day,
  { type, at, data }: Fact,
  { sentAt, doubtAt }: { readonly sentAt: number; readonly doubtAt: number },
): From {
  switch (type) {
    case 'RetryPlanned': {
      const asked = String(data['reason']).includes('too many requests') ? retryAfterMs : 0;
      const notBefore = Number(data['notBefore']) - midnight;
      return { at: Math.max(notBefore, at + asked), why: 'before its backoff was over' };
    }
    case 'ActionOutcomeUnknown':
      return {
        at: data['answered'] === true ? at : sentAt + inFlightMs,
        why: 'while the request before it could arrive',
      };
    case 'ActionReconciled':
      return {
        at: data['by'] === 'reconciler' ? doubtAt + inFlightMs + settleMs : at,
        why: 'before "absent" could count',
      };
    default:
      return { at, why: 'before what led to it' };
  }
}

function sendsOf({ facts }: Story): readonly Fact[] {
  return facts.filter(({ type }) => type === 'ActionDispatched');
}

/** What may be sent is sent: nothing is forgotten but in a pause, or while no process is there. */
export function nothingIsForgotten(_day: Day, { actions, others }: DayRecord): readonly string[] {
  const pauses = pausesIn(others);
  return [...actions.values()].flatMap((story) => {
    // An absolute write waits for the epoch before it.
    if (story.tool === 'set_quota') return [];
    return story.facts.flatMap((fact, index) => {
      const dueAt = mayBeSentAt(fact, story);
      const next = story.facts[index + 1];
      if (dueAt === undefined || next === undefined) return [];
      const paused = pausedWithin(pauses, story.tool, dueAt, next.at);
      const lateMs = next.at - dueAt - paused - awayWithin(dueAt, next.at);
      return lateMs > lateMax ? [`${story.id} was sent ${lateMs} ms late`] : [];
    });
  });
}

function mayBeSentAt({ type, at, data }: Fact, { facts }: ActionStory): number | undefined {
  const asks = facts.some((fact) => fact.type === 'ApprovalRequested');
  if (type === 'ActionApproved') return at;
  if (type === 'ActionPlanned' && !asks && data['readyAt'] === undefined) return at;
  return undefined;
}
