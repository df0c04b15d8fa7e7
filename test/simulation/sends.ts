// Watches what leaves for the provider, by the time of the world and not by any process's clock: that no
// request leaves while one before it may be under way or after the provider may have forgotten the key,
// and that a verdict is of a lookup that was sent late enough and at the revision it settles.
import { type Action, type ActionEvent, defaultTimes, keyHashOf } from '@action-ledger/domain';
import { type ProviderRequest } from '@action-ledger/sandbox';
import { whoDenies } from './bystanders.ts';
import { whoSettles } from './people.ts';
import { isOfItsHolder } from './holder.ts';
import { createToldByPrograms, type ToldByPrograms, type VerdictEvent } from './programs/told.ts';
import { isOfPrograms } from './programs/tools.ts';
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
  /** A lookup is about to be sent. @returns to be called when its process has got the answer */
  readonly looksUp: (key: string) => (found: boolean) => void;
  /** What programs say that carry actions out themselves. */
  readonly told: ToldByPrograms;
  /** The record goes back in time; what was sent was sent. */
  readonly goBack: () => void;
  /** An event has been appended. */
  readonly see: (before: Action, event: ActionEvent, by: Append) => void;
}

interface Append {
  readonly eventId: string;
  /** The process. */
  readonly writer: string | undefined;
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
  const looked = new Map<string, LookedUp[]>();
  const claimedBy = new Map<string, string | undefined>();
  const waiting = new Map<string, (() => void)[]>();
  const told = createToldByPrograms(now, breach);
  return {
    told,
    leaves: ({ key, tool, attempt }) => {
      const before = sent.get(key) ?? [];
      const at = dispatchedAt.get(`${actionOf(key)?.id ?? ''} ${attempt}`) ?? now();
      if (!isExcused(key)) {
        const why = whyTooEarly(before, attempt, now()) ?? whyTooLate(before, tool, now());
        if (why !== undefined) breach(`${tool} ${key}: attempt ${attempt} leaves ${why}`);
      }
      sent.set(key, [...before, { attempt, at }]);
      const next = waiting.get(key) ?? [];
      waiting.delete(key);
      for (const run of next) run();
    },
    onNext: (key, run) => {
      waiting.set(key, [...(waiting.get(key) ?? []), run]);
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
      const { id, revision } = actionOf(key) ?? { id: '', revision: 0 };
      const asked: LookedUp = { at: now(), revision };
      // Of what is asked at an earlier revision nothing can come any more.
      const others = looked.get(id)?.filter((each) => each.revision === revision) ?? [];
      looked.set(id, [...others, asked]);
      return (found) => {
        asked.found = found;
      };
    },
    goBack: () => {
      for (const list of sent.values()) for (const each of list) each.attempt = undefined;
      looked.clear();
      told.goBack();
    },
    see: (before, event, { eventId, writer }) => {
      const { id } = before;
      told.see(id, event, eventId);
      if (event.type === 'ActionClaimed') claimedBy.set(id, writer);
      if (event.type === 'ActionDispatched') {
        dispatchedAt.set(`${id} ${event.data.attempt}`, now());
        if (isOvertaken(options, before)) breach(`${id}: sent after a later value`);
      }
      const stranger = isHeldByProgram(before)
        ? told.whyNotItsHolder(before, event)
        : whyNotItsHolder(before, event, { holder: claimedBy.get(id), writer });
      if (stranger !== undefined) breach(`${id}: ${stranger}`);
      const lastAt = dispatchedAt.get(`${id} ${lastInDoubt(before)}`) ?? 0;
      const wrong = isToldByProgram(before, event)
        ? told.whyNoVerdict(before, event, lastAt)
        : whyNoVerdict(before, event, { looked: looked.get(id) ?? [], now: now(), lastAt });
      if (wrong !== undefined) breach(`${id}: a verdict ${wrong}`);
      if (isAbsent(event)) settle(sent.get(before.downstreamKey ?? ''));
    },
  };
}

function isHeldByProgram({ claim }: Action): boolean {
  return claim?.caller === true;
}

function lastInDoubt({ attempts }: Action): number {
  return attempts.findLast(({ state }) => state === 'in doubt')?.attempt ?? 0;
}

function whyNotItsHolder(
  before: Action,
  event: ActionEvent,
  { holder, writer }: { readonly holder: string | undefined; readonly writer: string | undefined },
): string | undefined {
  if (!isOfItsHolder(before, event) || holder === writer) return undefined;
  return `${event.type} by ${writer ?? 'nobody'}, who does not hold the claim`;
}

/** Of a lookup that a program was handed. */
function isToldByProgram({ tool }: Action, event: ActionEvent): event is VerdictEvent {
  if (!isOfPrograms(tool)) return false;
  return (
    event.type === 'ReconciliationChecked' ||
    (event.type === 'ActionReconciled' && event.data.by === 'reconciler')
  );
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

interface Verdict {
  /** By whom does not matter: several processes may ask at once. */
  readonly looked: readonly LookedUp[];
  readonly now: number;
  /** When the last dispatch that is in doubt was on record. */
  readonly lastAt: number;
}

function whyNoVerdict(before: Action, event: ActionEvent, asked: Verdict): string | undefined {
  if (event.type === 'ReconciliationChecked')
    return whyNotOfLookup(before, event.data.verdict === 'absent', asked.looked);
  if (event.type !== 'ActionReconciled') return undefined;
  const isAbsent = event.data.verdict === 'absent';
  if (event.data.by === 'reconciler') {
    const why = whyNotOfLookup(before, isAbsent, asked.looked);
    if (why !== undefined || !isAbsent) return why;
    const absentAt = asked.looked.flatMap(({ at, found }) => (found === false ? [at] : []));
    return whyTooSoon(Math.max(...absentAt) - asked.lastAt);
  }
  const isSaid = isAbsent && (event.data.by === whoSettles || event.data.by === whoDenies);
  return isSaid ? whyTooSoon(asked.now - asked.lastAt) : undefined;
}

function whyNotOfLookup(
  { revision }: Action,
  isAbsent: boolean,
  looked: readonly LookedUp[],
): string | undefined {
  const last = looked.at(-1)?.revision ?? -1;
  if (last < revision) return `at revision ${revision}, asked for at ${last < 0 ? 'none' : last}`;
  return isAbsent && looked.every(({ found }) => found !== false)
    ? '"absent" of a lookup that has not said so'
    : undefined;
}

function whyTooSoon(waitedMs: number): string | undefined {
  if (waitedMs >= inFlightMs + defaultTimes.settleMs) return undefined;
  return `"absent" ${waitedMs} ms after the last dispatch`;
}
