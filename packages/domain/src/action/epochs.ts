// Which epoch of an identity a proposal meets, and what follows from it: the table of DESIGN.md
// section 4. A redelivery repeats a call that is known (or has no call id); a new call is another.
import { type CallOrigin } from '../identity/declaration.ts';
import { isSameCall } from './links.ts';
import { type Action, isEnded, isInDoubt } from './state.ts';
import { type ActionGuarantee } from './tool-rules.ts';

export interface MeetingProposal {
  readonly argumentsHash: string;
  /** As an action's own identity version hashes these arguments; without it all hash alike. */
  readonly argumentsHashFor?: (action: Action) => string;
  readonly call?: CallOrigin;
  readonly keyKind: 'derived' | 'caller';
  readonly guarantee: ActionGuarantee;
  /** Of the policy that would decide now: a denial stands until it changes. */
  readonly policyVersion: string;
  /** An action that is undoing the last epoch right now: dispatched or in doubt. */
  readonly pendingUndoer?: string;
  /** When it came to where it waited to be read; missing: now. What is older than the end of an epoch knew nothing of it. */
  readonly saidAt?: number;
}

/** What the callers of an existing epoch get. */
export type EpochAnswer = 'attach' | 'duplicate' | 'reversed' | 'replaced' | 'recorded ending';

export type Meeting =
  | {
      readonly kind: 'answer';
      readonly epoch: number;
      readonly as: EpochAnswer;
      readonly newCall: boolean;
    }
  | { readonly kind: 'open'; readonly epoch: number; readonly after?: string }
  | { readonly kind: 'conflict'; readonly epoch: number }
  | { readonly kind: 'exhausted'; readonly epoch: number };

/** So many epochs in a row without effect; then nothing more is opened but by an operator's repeat. */
export const epochsWithoutEffectMax = 10;

/** `forced`: an operator ended it against a doubt that is kept. */
export type LastEpoch = 'open' | 'succeeded' | 'undone' | 'ended' | 'standing' | 'forced';
type Row = EpochAnswer | 'conflict' | 'open';
interface Cells {
  readonly redelivery: Row;
  readonly newCall: Row;
}

const both = (row: Row): Cells => ({ redelivery: row, newCall: row });

export const epochTable: {
  readonly [KeyKind in 'derived' | 'natural' | 'caller']: {
    readonly [Last in LastEpoch]: { readonly same: Cells; readonly other: Cells };
  };
} = {
  derived: {
    open: { same: both('attach'), other: both('conflict') },
    succeeded: { same: both('duplicate'), other: both('conflict') },
    undone: {
      same: { redelivery: 'reversed', newCall: 'open' },
      other: { redelivery: 'conflict', newCall: 'open' },
    },
    ended: {
      same: { redelivery: 'recorded ending', newCall: 'open' },
      other: { redelivery: 'conflict', newCall: 'open' },
    },
    standing: { same: both('recorded ending'), other: { redelivery: 'conflict', newCall: 'open' } },
    forced: { same: both('recorded ending'), other: both('conflict') },
  },
  natural: {
    open: { same: both('attach'), other: both('open') },
    succeeded: { same: both('duplicate'), other: both('open') },
    undone: {
      same: { redelivery: 'reversed', newCall: 'open' },
      other: { redelivery: 'conflict', newCall: 'open' },
    },
    ended: {
      same: { redelivery: 'recorded ending', newCall: 'open' },
      other: { redelivery: 'conflict', newCall: 'open' },
    },
    standing: { same: both('recorded ending'), other: { redelivery: 'conflict', newCall: 'open' } },
    forced: { same: both('recorded ending'), other: both('open') },
  },
  caller: {
    open: { same: both('attach'), other: both('conflict') },
    succeeded: { same: both('duplicate'), other: both('conflict') },
    undone: { same: both('reversed'), other: both('conflict') },
    ended: { same: both('recorded ending'), other: both('conflict') },
    standing: { same: both('recorded ending'), other: both('conflict') },
    forced: { same: both('recorded ending'), other: both('conflict') },
  },
};

/** `chain`: every epoch of the identity in order, none missing. */
export function meet(chain: readonly Action[], proposal: MeetingProposal): Meeting {
  const last = chain.at(-1);
  if (last === undefined) return { kind: 'open', epoch: 0 };
  const known = knownEpoch(chain, proposal);
  if (known !== undefined) {
    const told = standsFor(chain, known);
    return { kind: 'answer', epoch: told.epoch, as: answerOf(told, chain), newCall: false };
  }
  const newer = newerValue(chain, proposal);
  if (newer !== undefined) return { kind: 'conflict', epoch: newer.epoch };
  const met = lastThatCounts(chain, last, proposal.guarantee);
  if (waitsForUndoer(met, proposal)) {
    return { kind: 'open', epoch: last.epoch + 1, after: proposal.pendingUndoer };
  }
  const row = rowFor(met, proposal);
  if (row === 'conflict') return { kind: 'conflict', epoch: met.epoch };
  if (row === 'open') return open(chain, last);
  return { kind: 'answer', epoch: met.epoch, as: row, newCall: !isRedelivery(met, proposal) };
}

/**
 * The epoch whose outcome an epoch's callers get. One that was cancelled because an earlier one had
 * succeeded after all, or stands undisturbed, counts as that one.
 */
export function standsFor(chain: readonly Action[], action: Action): Action {
  if (action.status !== 'cancelled' || action.supersededBy === undefined) return action;
  const other = chain.find(({ id }) => id === action.supersededBy);
  return other === undefined || other.epoch >= action.epoch ? action : standsFor(chain, other);
}

/**
 * The last epoch; but where it and those before it ended without effect, and the one that they were
 * opened after succeeded late, that one: its effect is there, and a new epoch would make a second.
 */
function lastThatCounts(
  chain: readonly Action[],
  last: Action,
  guarantee: ActionGuarantee,
): Action {
  for (let index = chain.length - 1; guarantee !== 'natural' && index > 0; index -= 1) {
    const [before, action] = [chain[index - 1], chain[index]];
    if (before === undefined || action === undefined || !isEnded(action)) break;
    if (hasEffect(before) && before.outcome.at >= action.plannedAt) return before;
  }
  return standsFor(chain, last);
}

function hasEffect(action: Action): action is Action & { readonly outcome: { at: number } } {
  return action.outcome !== undefined && stateOfLast(action, '') !== 'undone';
}

/** Its effect is being undone, so a new call is planned after that. */
function waitsForUndoer(
  met: Action,
  proposal: MeetingProposal,
): proposal is MeetingProposal & { readonly pendingUndoer: string } {
  const { keyKind, call, policyVersion, pendingUndoer, saidAt } = proposal;
  if (pendingUndoer === undefined || call?.call === undefined || keyKind === 'caller') return false;
  // What was said before now is older than the event that will undo it.
  if (saidAt !== undefined) return false;
  return stateOfLast(met, policyVersion) === 'succeeded';
}

/**
 * The epoch that knows this call; without a call id the newest one with the same arguments. What was said
 * before one of these had ended, whatever its call id, was said when that was the last one.
 */
function knownEpoch(chain: readonly Action[], proposal: MeetingProposal): Action | undefined {
  const { call } = proposal;
  const same = chain.filter((action) => hasArguments(action, proposal));
  if (call?.call === undefined) return same.at(-1);
  const knowing = same.findLast(({ calls }) => calls.some((each) => isSameCall(each, call)));
  return knowing ?? same.find((action) => isOlder(proposal, action));
}

/**
 * Of an absolute write another value that was proposed after this one, and may have its effect: what comes late
 * must not take its place.
 */
function newerValue(
  chain: readonly Action[],
  { guarantee, saidAt }: MeetingProposal,
): Action | undefined {
  if (guarantee !== 'natural' || saidAt === undefined) return undefined;
  return chain.findLast((each) => !isEnded(each) && (each.saidAt ?? each.plannedAt) > saidAt);
}

/** A call without an id, or one that knew nothing of how the action ended. */
function isRedelivery(met: Action, proposal: MeetingProposal): boolean {
  if (proposal.call?.call === undefined) return true;
  // Another value is no repeat of an absolute write, however old it is.
  if (proposal.guarantee === 'natural' && !hasArguments(met, proposal)) return false;
  return isOlder(proposal, met);
}

/** Than the event that settled or undid the action. */
function isOlder({ saidAt }: MeetingProposal, { undoneAt, outcome, ending }: Action): boolean {
  const endedAt = undoneAt ?? outcome?.at ?? ending?.at;
  return saidAt !== undefined && endedAt !== undefined && saidAt <= endedAt;
}

function hasArguments(
  action: Action,
  { argumentsHash, argumentsHashFor = () => argumentsHash }: MeetingProposal,
): boolean {
  return action.argumentsHash === argumentsHashFor(action);
}

function rowFor(last: Action, proposal: MeetingProposal): Row {
  const { keyKind, guarantee } = proposal;
  const table = keyKind === 'caller' ? 'caller' : guarantee === 'natural' ? 'natural' : 'derived';
  const cells = epochTable[table][stateOfLast(last, proposal.policyVersion)];
  const column = hasArguments(last, proposal) ? cells.same : cells.other;
  return isRedelivery(last, proposal) ? column.redelivery : column.newCall;
}

export function stateOfLast(last: Action, policyVersion: string): LastEpoch {
  switch (last.status) {
    case 'new':
    case 'reserved':
    case 'planned':
    case 'awaiting_approval':
    case 'ready':
    case 'claimed':
    case 'dispatched':
    case 'unknown':
    case 'compensating':
      return 'open';
    case 'succeeded':
    case 'compensation_failed':
    case 'superseded':
      return last.undoneBy === undefined ? 'succeeded' : 'undone';
    case 'compensated':
      return 'undone';
    case 'denied':
      return last.ending?.policyVersion === policyVersion ? 'standing' : 'ended';
    case 'failed':
    case 'rejected':
    case 'expired':
    case 'cancelled':
      if (isInDoubt(last)) return 'forced';
      return last.ending?.stands === true ? 'standing' : 'ended';
  }
}

function open(chain: readonly Action[], last: Action): Meeting {
  return endedInARow(chain) >= epochsWithoutEffectMax
    ? { kind: 'exhausted', epoch: last.epoch }
    : { kind: 'open', epoch: last.epoch + 1 };
}

/** An operator's repeat neither uses up the limit in a row nor renews it. */
function endedInARow(chain: readonly Action[]): number {
  const start = 1 + chain.findLastIndex((each) => !isEnded(standsFor(chain, each)));
  return chain.slice(start).filter(({ repeatOf }) => repeatOf === undefined).length;
}

/** What a repeat of this epoch's call is told. */
export function answerOf(action: Action, chain: readonly Action[]): EpochAnswer {
  switch (stateOfLast(action, action.ending?.policyVersion ?? '')) {
    case 'open':
      return 'attach';
    case 'undone':
      return 'reversed';
    case 'ended':
    case 'standing':
    case 'forced':
      return 'recorded ending';
    case 'succeeded':
      if (action.status === 'superseded') return 'replaced';
      return action.guarantee === 'natural' &&
        chain.some((later) => later.epoch > action.epoch && hasActed(later))
        ? 'replaced'
        : 'duplicate';
  }
}

function hasActed({ status, outcome }: Action): boolean {
  return status === 'superseded' || outcome !== undefined;
}

/** `natural`: every attempt has answered or passed its in-flight bound, so a later value may be sent. */
export function mayBeOvertaken(action: Action, doubtWatchedMs: number): boolean {
  if (action.status === 'dispatched' || action.status === 'claimed') return false;
  return action.attempts.every(
    ({ state, answered, inFlightMs }) =>
      state !== 'in doubt' || answered || doubtWatchedMs >= inFlightMs,
  );
}

export type RepeatRefusal = 'in doubt' | 'not settled';

/** An operator or caller may open the epoch after `of` only once nothing about `of` is in doubt. */
export function repeatHindrance(
  of: Action,
  watched: { readonly doubtMs: number },
  confirmed: boolean,
): RepeatRefusal | undefined {
  const doubts = of.attempts.filter(({ state }) => state === 'in doubt' || state === 'running');
  if (doubts.length === 0) return isSettled(of) ? undefined : 'not settled';
  const forced = of.status === 'failed' && confirmed;
  const passed = doubts.every(({ inFlightMs }) => watched.doubtMs >= inFlightMs);
  return forced && passed ? undefined : 'in doubt';
}

function isSettled(action: Action): boolean {
  return (
    isEnded(action) ||
    action.status === 'succeeded' ||
    action.status === 'compensated' ||
    action.status === 'superseded' ||
    action.status === 'compensation_failed'
  );
}
