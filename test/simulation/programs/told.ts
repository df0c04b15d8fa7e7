// What programs were handed and what they have said, by the time of the world: by it is judged what a ledger
// takes on record for them. Only the holder of a claim says what became of its attempt, and a verdict is of a
// lookup that was handed out at the revision it settles, and was sent late enough.
import { type Action, type ActionEvent, defaultTimes } from '@action-ledger/domain';
import { isOfItsHolder } from '../holder.ts';
import { inFlightMs } from '../tools.ts';

export interface OutcomeSaid {
  readonly actionId: string;
  readonly worker: string;
  readonly claim: number;
  readonly attempt: number;
  readonly kind: string;
}

export interface VerdictSaid {
  readonly actionId: string;
  readonly revision: number;
  /** The one that was handed out. */
  readonly lookup: string;
  readonly verdict: string;
}

export interface ToldByPrograms {
  /** A lookup leaves a program for the provider. @returns to be called when it has got the answer */
  readonly looksUp: (lookup: string) => (found: boolean) => void;
  /** It has arrived at a ledger. */
  readonly outcome: (said: OutcomeSaid) => void;
  readonly verdict: (said: VerdictSaid) => void;
  /** A dispatch is in the answer to what arrived at that time. */
  readonly handedOut: (actionId: string, askedAt: number) => void;
  /** The record goes back in time; what was said was said. */
  readonly goBack: () => void;
  /** An event of it has been appended. @param eventId its own */
  readonly see: (id: string, event: ActionEvent, eventId: string) => void;
  /** The process that has appended it has heard so. */
  readonly confirmed: (eventId: string) => void;
  /** Why nobody can have said so who may, of what the holder of a claim says. */
  readonly whyNotItsHolder: (before: Action, event: ActionEvent) => string | undefined;
  /** Why it is no verdict. @param lastAt of the last dispatch that is in doubt */
  readonly whyNoVerdict: (
    before: Action,
    event: VerdictEvent,
    lastAt: number,
  ) => string | undefined;
}

export type VerdictEvent = Extract<
  ActionEvent,
  { type: 'ReconciliationChecked' | 'ActionReconciled' }
>;

interface LookedUp {
  readonly at: number;
  found?: boolean;
}

export function createToldByPrograms(
  now: () => number,
  breach: (what: string) => void,
): ToldByPrograms {
  const outcomes = new Map<string, OutcomeSaid[]>();
  const verdicts = new Map<string, VerdictSaid[]>();
  const looked = new Map<string, LookedUp>();
  const cancelledAt = new Map<string, number>();
  /** Actions by the events that cancel them, which nobody has heard of yet. */
  const cancelling = new Map<string, string>();
  return {
    looksUp: (lookup) => {
      const asked: LookedUp = { at: now() };
      looked.set(lookup, asked);
      return (found) => {
        asked.found = found;
      };
    },
    outcome: (said) => {
      outcomes.set(said.actionId, [...(outcomes.get(said.actionId) ?? []), said]);
    },
    verdict: (said) => {
      verdicts.set(said.actionId, [...(verdicts.get(said.actionId) ?? []), said]);
    },
    handedOut: (actionId, askedAt) => {
      if ((cancelledAt.get(actionId) ?? Infinity) < askedAt)
        breach(`${actionId}: handed out after it was cancelled`);
    },
    goBack: () => {
      cancelledAt.clear();
    },
    see: (id, { type }, eventId) => {
      if (type === 'CancelRequested') cancelling.set(eventId, id);
    },
    confirmed: (eventId) => {
      const id = cancelling.get(eventId);
      if (id !== undefined) cancelledAt.set(id, now());
      cancelling.delete(eventId);
    },
    whyNotItsHolder: (before, event) => {
      if (!isOfItsHolder(before, event)) return undefined;
      const { id, claim, attempts } = before;
      // Before it is handed out, the ledger may still find that an epoch before it has succeeded.
      if (event.type === 'AttemptNotSent' && /epoch/.test(event.data.reason)) return undefined;
      const isSaid = (outcomes.get(id) ?? []).some(
        (said) =>
          said.claim === claim?.revision &&
          said.worker === claim.worker &&
          said.attempt === attempts.length &&
          kindsOf[event.type]?.includes(said.kind) === true,
      );
      return isSaid ? undefined : `${event.type}, which no holder of its claim has said`;
    },
    whyNoVerdict: ({ id, revision }, { type, data: { verdict } }, lastAt) => {
      const said = (verdicts.get(id) ?? []).filter(
        (each) => each.revision === revision && mayBecome(each.verdict, verdict),
      );
      if (said.length === 0)
        return `"${verdict}" at revision ${revision}, which no program has said`;
      if (type !== 'ActionReconciled' || verdict !== 'absent') return undefined;
      const waits = said.flatMap(({ lookup }) => {
        const { at, found } = looked.get(lookup) ?? {};
        return at === undefined || found !== false ? [] : [at - lastAt];
      });
      const waitedMs = Math.max(-Infinity, ...waits);
      if (waitedMs >= inFlightMs + defaultTimes.settleMs) return undefined;
      return `"absent" of a lookup that was sent ${waitedMs} ms after the last dispatch`;
    },
  };
}

const kindsOf: Readonly<Partial<Record<ActionEvent['type'], readonly string[]>>> = {
  ActionSucceeded: ['succeeded'],
  RetryPlanned: ['no effect'],
  AttemptRefused: ['no effect'],
  ActionFailed: ['no effect'],
  AttemptNotSent: ['not sent'],
  ActionOutcomeUnknown: ['in doubt'],
};

/** Whose effect it is that was found, the ledger knows better. */
function mayBecome(said: string, recorded: string): boolean {
  return said === recorded || (said === 'found' && recorded === 'ambiguous');
}
