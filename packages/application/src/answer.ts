// What a caller is told: the action's state, whether it is a repeat, and one sentence from a fixed
// vocabulary that a model can act on (DESIGN.md section 9).
import {
  type Action,
  actionIdOf,
  type ActionStatus,
  canonicalJson,
  type EpochAnswer,
  type Guarantee,
  type JsonValue,
  keyHashOf,
} from '@action-ledger/domain';
import { type RefusedCode } from './answer-codes.ts';

/** The fixed vocabulary. */
export const answerWords = {
  done: 'done now',
  'already-done': 'already done earlier',
  'done-earlier': 'done earlier, since reversed or replaced',
  'in-progress': 'in progress, do not retry',
  checking: 'outcome still being checked, do not retry',
  'waiting-for-approval': 'waiting for approval',
  'failed-without-effect': 'failed without effect, you may change it and try again',
  'nothing-done': 'cancelled or expired, nothing was done',
  refused: 'refused, do not retry',
  'other-arguments': 'this key was used for different arguments',
} as const;

export type AnswerWord = keyof typeof answerWords;

export type AnswerState = ActionStatus | 'refused' | 'passed-through';

export interface Difference {
  readonly path: string;
  readonly note?: string;
}

export interface Answer {
  readonly word: AnswerWord;
  readonly state: AnswerState;
  /** Nothing ran because of this call: it got what an earlier one had brought about. */
  readonly repeat: boolean;
  readonly tenant: string;
  readonly tool: string;
  readonly actionId?: string;
  readonly epoch?: number;
  /** The epoch before: it was undone, replaced, or ended without effect. */
  readonly previous?: string;
  /** The action that a person edited into this one. */
  readonly editOf?: string;
  readonly revision?: number;
  readonly guarantee?: Guarantee;
  readonly result?: JsonValue;
  readonly externalId?: string;
  /** What could not be kept of the result, and why. */
  readonly notes?: readonly string[];
  /** SHA-256 of the whole result, where `result` holds only a part of it. */
  readonly digest?: string;
  /** When the outcome or ending was recorded, ms since the epoch. */
  readonly settledAt?: number;
  /** For a refusal: a stable code of docs/errors.md. */
  readonly code?: string;
  readonly reason?: string;
  readonly detail?: JsonValue;
  readonly differs?: readonly Difference[];
  readonly owner?: 'reconciler' | 'operator';
  readonly nextCheckAt?: number;
  /** For a model: the word as a sentence, with what it needs to know. */
  readonly messageForModel: string;
}

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
  addLinks(answer, action);
  addOutcome(answer, action);
  if (action.watch !== undefined) Object.assign(answer, action.watch);
  return withMessage(answer);
}

type AnswerBase = Omit<Answer, 'messageForModel'>;
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

export interface RefusedCall {
  readonly tenant: string;
  readonly tool: string;
  readonly word: AnswerWord;
  readonly code: RefusedCode;
  readonly reason: string;
  readonly actionId?: string;
  readonly differs?: readonly Difference[];
  readonly detail?: JsonValue;
}

/** Nothing was recorded and nothing ran. */
export function refusedAnswer(call: RefusedCall): Answer {
  return withMessage({ ...call, state: 'refused', repeat: false });
}

/** The sentence is written when it is read: most callers of a program never look at it. */
function withMessage(base: AnswerBase): Answer {
  return Object.defineProperty(base, 'messageForModel', messageMember) as Answer;
}

/** One getter for all answers, so that they share their shape. */
const messageMember: PropertyDescriptor & ThisType<Answer> = {
  enumerable: true,
  configurable: true,
  get() {
    return sentence(this);
  },
};

/** So much of a result goes into the sentence; the whole is in `result`. */
const resultTextMax = 300;

function sentence(answer: AnswerBase): string {
  const word = answerWords[answer.word];
  const facts = factsFor(answer);
  return `${word.charAt(0).toUpperCase()}${word.slice(1)}${facts === '' ? '' : ` (${facts})`}.`;
}

function factsFor(answer: AnswerBase): string {
  switch (answer.word) {
    case 'done':
      return partsOf(resultText(answer), ...(answer.notes ?? []));
    case 'already-done':
    case 'done-earlier':
      return partsOf(when(answer.settledAt), resultText(answer), ...(answer.notes ?? []));
    case 'failed-without-effect':
    case 'nothing-done':
    case 'refused':
      return answer.reason ?? '';
    case 'other-arguments':
      return partsOf(differing(answer), 'nothing was done by this call');
    case 'checking':
      return answer.owner === 'operator' ? 'a person is looking into it' : '';
    case 'in-progress':
    case 'waiting-for-approval':
      return '';
  }
}

function partsOf(...parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('; ');
}

/** Callers without a key of their own have one all the same: what it is about says more than the word. */
function differing({ differs = [] }: AnswerBase): string {
  if (differs.length === 0) return '';
  const fields = differs.map(({ path, note }) => (note === undefined ? path : `${path} (${note})`));
  return `the action on record has another ${fields.join(', another ')}`;
}

function when(at: number | undefined): string {
  return at === undefined ? '' : `at ${new Date(at).toISOString()}`;
}

function resultText({ result }: AnswerBase): string {
  if (result === undefined || result === null) return '';
  const text = typeof result === 'string' ? result : canonicalJson(result);
  return `result: ${text.length > resultTextMax ? `${text.slice(0, resultTextMax)}…` : text}`;
}
