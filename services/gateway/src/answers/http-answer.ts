// What goes out: a status, headers, a body. Problems are RFC 9457 documents with the code of the ledger,
// a sentence for a model, and where an action is concerned the action as it is now.
import { type Answer, answerWords, type AnswerWord } from '@action-ledger/application';
import { type JsonValue } from '@action-ledger/domain';
import { type ActionView } from './action-view.ts';
import { problemType, type ProblemCode, problems } from './problems.ts';

export interface HttpAnswer {
  readonly status: number;
  readonly body: object;
  /** Default: JSON, or a problem document from 400 on. */
  readonly mediaType?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface ProblemMore {
  /** One sentence; default: the title. */
  readonly detail?: string;
  /** For programs: the place in the body, the status and revision of the action. */
  readonly facts?: Readonly<Record<string, JsonValue>>;
  readonly answer?: Answer;
  readonly action?: ActionView;
  readonly headers?: Readonly<Record<string, string>>;
}

export const problemMediaType = 'application/problem+json';

export function problem(code: ProblemCode, more: ProblemMore = {}): HttpAnswer {
  const { status, title, word, retryAfterS, isPrivate } = problems[code];
  const { headers } = more;
  const told = isPrivate === true ? {} : more;
  const { detail = `${title}.`, answer } = told;
  return {
    status,
    headers: {
      ...(retryAfterS === undefined ? {} : { 'retry-after': String(retryAfterS) }),
      ...headers,
    },
    body: {
      type: problemType(code),
      title,
      status,
      code,
      detail,
      word: answer?.word ?? word,
      messageForModel: answer?.messageForModel ?? messageOf(word, detail),
      ...factsOf(told),
    },
  };
}

function factsOf({ facts, answer, action }: ProblemMore): object {
  return {
    ...(facts === undefined ? {} : { facts }),
    ...(answer === undefined ? {} : { answer }),
    ...(action === undefined ? {} : { action }),
  };
}

function messageOf(word: AnswerWord, detail: string): string {
  const sentence = answerWords[word];
  return `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)} (${detail.replace(/\.$/, '')}).`;
}

/** Thrown where a value cannot be handed back: from inside the server's own hooks. */
export class Refused extends Error {
  readonly answer: HttpAnswer;

  constructor(answer: HttpAnswer) {
    super('the gateway refuses this request');
    this.name = 'Refused';
    this.answer = answer;
  }
}
