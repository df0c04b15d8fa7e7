// The answer that a caller gets: the action's state, whether it is a repeat, and one sentence from a fixed
// vocabulary that a model can act on (DESIGN.md section 9). Made where the ledger is, and where a caller in
// another process has to say that it knows no more.
import { type ToldObserved } from '../action/observed.ts';
import { type ActionStatus } from '../action/state.ts';
import { type ActionGuarantee } from '../action/tool-rules.ts';
import { type Difference } from '../identity/what-differs.ts';
import { canonicalJson } from '../json/canonical-json.ts';
import { type JsonValue } from '../json/json-value.ts';

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
  readonly guarantee?: ActionGuarantee;
  /** Where the ledger only observed the call: what it would have done with it. */
  readonly observed?: ToldObserved;
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

export type AnswerBase = Omit<Answer, 'messageForModel'>;

export interface RefusedCall {
  readonly tenant: string;
  readonly tool: string;
  readonly word: AnswerWord;
  readonly code: string;
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
export function withMessage(base: AnswerBase): Answer {
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
  const word = isForgotten(answer) ? forgottenWord : answerWords[answer.word];
  // A reason is a sentence of its own, and ends inside of this one.
  const facts = factsFor(answer).replace(/(?<!\.)\.$/, '');
  return `${word.charAt(0).toUpperCase()}${word.slice(1)}${facts === '' ? '' : ` (${facts})`}.`;
}

/** It went out without a record, so that nobody will ever look at it. */
const forgottenWord = 'outcome not known, do not retry';

function isForgotten({ state, word }: AnswerBase): boolean {
  return state === 'passed-through' && word === 'checking';
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
      if (isForgotten(answer)) return partsOf('nobody checks it', answer.reason ?? '');
      // Of what is on record nobody has to be told why; where nothing could be asked, that is all there is to say.
      if (answer.state === 'refused') return answer.reason ?? '';
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
  // eslint-disable-next-line no-restricted-globals -- writes a time that is given; no clock is read
  return at === undefined ? '' : `at ${new Date(at).toISOString()}`;
}

function resultText({ result }: AnswerBase): string {
  if (result === undefined || result === null) return '';
  const text = typeof result === 'string' ? result : canonicalJson(result);
  return `result: ${text.length > resultTextMax ? `${text.slice(0, resultTextMax)}…` : text}`;
}
