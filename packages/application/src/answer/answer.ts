// What became of an action, as an answer: its state in one of ten words, and what a caller needs to know.
import {
  type Action,
  actionIdOf,
  type Answer,
  type AnswerBase,
  type AnswerWord,
  type EpochAnswer,
  keyHashOf,
  refusedAnswer as refusedWith,
  type RefusedCall as AnyRefusedCall,
  toldObserved,
  withMessage,
} from '@action-ledger/domain';
import { type RefusedCode } from './answer-codes.ts';

export {
  type Answer,
  type AnswerState,
  type AnswerWord,
  answerWords,
  type Difference,
} from '@action-ledger/domain';

export interface AnswerContext {
  readonly repeat: boolean;
  readonly as?: EpochAnswer;
  /** The outcome is known here but not yet stored. */
  readonly beingRecorded?: boolean;
}

export function answerFor(action: Action, context: AnswerContext): Answer {
  const word = wordFor(action, context);
  const answer: Writable<AnswerBase> = {
    word,
    state: action.status,
    repeat: context.repeat,
    tenant: action.tenant,
    tool: action.tool,
    actionId: action.id,
    epoch: action.epoch,
    revision: action.revision,
    guarantee: action.guarantee,
  };
  if (action.observed !== undefined) answer.observed = toldObserved(action.observed);
  addLinks(answer, action);
  addOutcome(answer, action);
  if (action.watch !== undefined) Object.assign(answer, action.watch);
  return withMessage(answer);
}

type Writable<Type> = { -readonly [Member in keyof Type]: Type[Member] };

function wordFor(action: Action, { repeat, as }: AnswerContext): AnswerWord {
  if (as === 'reversed' || as === 'replaced') return 'done-earlier';
  switch (action.status) {
    case 'succeeded':
    case 'compensation_failed':
    case 'compensating':
      if (action.undoneBy !== undefined) return 'done-earlier';
      return repeat ? 'already-done' : 'done';
    case 'superseded':
    case 'compensated':
      return 'done-earlier';
    case 'planned':
    case 'ready':
    case 'claimed':
    case 'dispatched':
    case 'new':
    case 'reserved':
      return 'in-progress';
    case 'unknown':
      return 'checking';
    case 'awaiting_approval':
      return 'waiting-for-approval';
    case 'failed':
      return action.ending?.stands === true ? 'refused' : 'failed-without-effect';
    case 'denied':
    case 'rejected':
      return 'refused';
    case 'expired':
    case 'cancelled':
      return 'nothing-done';
  }
}

function addLinks(answer: Writable<AnswerBase>, { id, epoch, editOf }: Action): void {
  if (epoch > 0) answer.previous = actionIdOf(keyHashOf(id), epoch - 1);
  if (editOf !== undefined) answer.editOf = editOf;
}

function addOutcome(answer: Writable<AnswerBase>, { outcome, ending }: Action): void {
  if (outcome !== undefined) {
    const { result, externalId, notes, digest, at } = outcome;
    answer.result = result;
    answer.settledAt = at;
    if (externalId !== undefined) answer.externalId = externalId;
    if (notes !== undefined) answer.notes = notes;
    if (digest !== undefined) answer.digest = digest;
  } else if (ending !== undefined) {
    const { reason, code, detail, at } = ending;
    answer.reason = reason;
    answer.settledAt = at;
    if (code !== undefined) answer.code = code;
    if (detail !== undefined) answer.detail = detail;
  }
}

export interface RefusedCall extends AnyRefusedCall {
  readonly code: RefusedCode;
}

/** Nothing was recorded and nothing ran. */
export function refusedAnswer(call: RefusedCall): Answer {
  return refusedWith(call);
}
