// Watches what leaves for the provider, by the time of the world and not by any process's clock: that no
// request leaves while one before it may be under way or after the provider may have forgotten the key,
// and that a verdict is of a lookup that was sent late enough and at the revision it settles.
import { type Action, type ActionEvent, defaultTimes, keyHashOf } from '@action-ledger/domain';
import { type ProviderRequest } from '@action-ledger/sandbox';
import { whoDenies } from './bystanders.ts';
import { whoSettles } from './people.ts';
import { inFlightMs, keyWindowOf } from './tools.ts';

export interface Sends {
  /** A request leaves a process for the provider. */
  readonly leaves: (request: ProviderRequest) => void;
  /** Called once, when the next request leaves under this key. */
  readonly onNext: (key: string, run: () => void) => void;
  /** Ms until it can arrive no more, by the in-flight bound of its dispatch. */
  readonly leftMs: (request: ProviderRequest) => number;
  /** Its process has got the reply. */
  readonly answered: (request: ProviderRequest, status: number) => void;
  /** A lookup is about to be sent. */
  readonly looksUp: (key: string) => void;
  /** Its process has got the answer. */
  readonly hasLookedUp: (key: string, found: boolean) => void;
  /** The record goes back in time; what was sent was sent. */
  readonly goBack: () => void;
  /** An event has been appended, by which process. */
  readonly see: (before: Action, event: ActionEvent, writer: string | undefined) => void;
}

export interface SendsOptions {
  /** Ms of the world. */
  readonly now: () => number;
  readonly actionOf: (key: string) => Action | undefined;
  readonly actions: ReadonlyMap<string, Action>;
  readonly isExcused: (key: string) => boolean;
  readonly breach: (what: string) => void;
}

interface Sent {
  /** Undefined of a time whose record is lost. */
  attempt: number | undefined;
  /** When its dispatch was on record. */
  readonly at: number;
  status?: number;
  /** It is proven to have had no effect. */
  isSettled?: true;
}

interface LookedUp {
  readonly at: number;
  readonly revision: number;
  found?: boolean;
}

export function createSends(options: SendsOptions): Sends {
  const { now, actionOf, isExcused, breach } = options;
  const sent = new Map<string, Sent[]>();
  const dispatchedAt = new Map<string, number>();
  const looked = new Map<string, LookedUp>();
  const claimedBy = new Map<string, string | undefined>();
  const waiting = new Map<string, () => void>();
  return {
    leaves: ({ key, tool, attempt }) => {
      const before = sent.get(key) ?? [];
      const at = dispatchedAt.get(`${actionOf(key)?.id ?? ''} ${attempt}`) ?? now();
      if (!isExcused(key)) {
        const why = whyTooEarly(before, attempt, now()) ?? whyTooLate(before, tool, now());
        if (why !== undefined) breach(`${tool} ${key}: attempt ${attempt} leaves ${why}`);
      }
      sent.set(key, [...before, { attempt, at }]);
      const next = waiting.get(key);
      waiting.delete(key);
      next?.();
    },
    onNext: (key, run) => {
      waiting.set(key, run);
    },
    leftMs: ({ key, attempt }) => {
      const at = dispatchedAt.get(`${actionOf(key)?.id ?? ''} ${attempt}`) ?? now();
      return Math.max(0, at + inFlightMs - now() - 1);
    },
    answered: ({ key, attempt }, status) => {
      const found = sent.get(key)?.find((each) => each.attempt === attempt);
      if (found !== undefined) found.status = status;
    },
    looksUp: (key) => {
      const action = actionOf(key);
      if (action !== undefined) looked.set(action.id, { at: now(), revision: action.revision });
    },
    hasLookedUp: (key, found) => {
      const asked = looked.get(actionOf(key)?.id ?? '');
      if (asked !== undefined) asked.found = found;
    },
    goBack: () => {
      for (const list of sent.values()) for (const each of list) each.attempt = undefined;
      looked.clear();
    },
    see: (before, event, writer) => {
      const { id } = before;
      if (event.type === 'ActionClaimed') claimedBy.set(id, writer);
      if (event.type === 'ActionDispatched') {
        dispatchedAt.set(`${id} ${event.data.attempt}`, now());
        if (isOvertaken(options, before)) breach(`${id}: sent after a later value`);
      }
      if (isOfItsHolder(before, event) && claimedBy.get(id) !== writer)
        breach(`${id}: ${event.type} by ${writer ?? 'nobody'}, who does not hold the claim`);
      const lastAt = dispatchedAt.get(`${id} ${before.attempts.length}`) ?? 0;
      const wrong = whyNoVerdict(before, event, { looked: looked.get(id), now: now(), lastAt });
      if (wrong !== undefined) breach(`${id}: a verdict ${wrong}`);
      if (isAbsent(event)) settle(sent.get(before.downstreamKey ?? ''));
    },
  };
}

function isAbsent(event: ActionEvent): boolean {
  return event.type === 'ActionReconciled' && event.data.verdict === 'absent';
}

function settle(sent: readonly Sent[] | undefined): void {
  for (const each of sent ?? []) each.isSettled = true;
}

/** Only those that got no reply may still be under way. */
function whyTooEarly(before: readonly Sent[], attempt: number, now: number): string | undefined {
  if (before.some((each) => each.attempt === attempt)) return 'twice';
  const last = before.findLast(
    ({ status, isSettled }) => status === undefined && isSettled !== true,
  );
  if (last === undefined || now - last.at >= inFlightMs) return undefined;
  return `${now - last.at} ms after attempt ${last.attempt ?? 'that is lost'}, which may be under way`;
}

function whyTooLate(before: readonly Sent[], tool: string, now: number): string | undefined {
  const windowMs = keyWindowOf(tool);
  const first = before.find(
    ({ status, isSettled }) => status !== 429 && status !== 422 && isSettled !== true,
  );
  if (windowMs === undefined || first === undefined || now - first.at < windowMs) return undefined;
  return `${now - first.at} ms after the first: the provider may have forgotten the key`;
}

/** Of an absolute write: a later epoch has been sent. */
function isOvertaken({ actions }: SendsOptions, { id, guarantee, epoch }: Action): boolean {
  if (guarantee !== 'natural') return false;
  return [...actions.values()].some(
    (other) =>
      other.epoch > epoch &&
      other.attempts.some(({ presumed }) => presumed === undefined) &&
      keyHashOf(other.id) === keyHashOf(id),
  );
}

const ofTheHolder: ReadonlySet<string> = new Set([
  'RetryPlanned',
  'AttemptNotSent',
  'AttemptRefused',
  'ActionFailed',
]);

/** What only the holder of the claim may say. */
function isOfItsHolder({ status, reportedSuccess }: Action, event: ActionEvent): boolean {
  if (status !== 'dispatched') return false;
  // What was proven by others is told by whoever settles the attempt.
  if (event.type === 'ActionSucceeded') return reportedSuccess === undefined;
  if (event.type === 'ActionOutcomeUnknown') return event.data.lost !== true;
  return ofTheHolder.has(event.type);
}

interface Verdict {
  readonly looked: LookedUp | undefined;
  readonly now: number;
  /** When the last dispatch was on record. */
  readonly lastAt: number;
}

function whyNoVerdict(before: Action, event: ActionEvent, asked: Verdict): string | undefined {
  if (event.type === 'ReconciliationChecked')
    return whyNotOfLookup(before, event.data.verdict === 'absent', asked.looked);
  if (event.type !== 'ActionReconciled') return undefined;
  const isAbsent = event.data.verdict === 'absent';
  if (event.data.by === 'reconciler') {
    const why = whyNotOfLookup(before, isAbsent, asked.looked);
    return why ?? (isAbsent ? whyTooSoon((asked.looked?.at ?? 0) - asked.lastAt) : undefined);
  }
  const isSaid = isAbsent && (event.data.by === whoSettles || event.data.by === whoDenies);
  return isSaid ? whyTooSoon(asked.now - asked.lastAt) : undefined;
}

function whyNotOfLookup(
  { revision }: Action,
  isAbsent: boolean,
  looked: LookedUp | undefined,
): string | undefined {
  if (looked === undefined || looked.revision < revision)
    return `at revision ${revision}, asked for at ${looked?.revision ?? 'none'}`;
  return isAbsent && looked.found !== false
    ? '"absent" of a lookup that has not said so'
    : undefined;
}

function whyTooSoon(waitedMs: number): string | undefined {
  if (waitedMs >= inFlightMs + defaultTimes.settleMs) return undefined;
  return `"absent" ${waitedMs} ms after the last dispatch`;
}
