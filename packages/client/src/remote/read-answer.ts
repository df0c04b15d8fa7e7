// Answers of the HTTP API as the values that the embedded ledger gives: the same words, codes and errors.
import {
  type Answer,
  type AnswerBase,
  answerWords,
  type AnswerWord,
  type JsonValue,
  refusal,
  type Refusal,
  refusedAnswer,
  withMessage,
} from '@action-ledger/domain';
import { StoreFault, type StoreFaultCode, storeFaultCodes } from '@action-ledger/event-store';
import { LedgerError } from '../ledger-error.ts';
import { faultOf, type Told } from './ask.ts';
import { RemoteFault } from './remote-fault.ts';
import { type Problem } from './try-once.ts';

export type ToldProblem = Extract<Told, { kind: 'problem' }>;

/** @throws RemoteFault */
export function answerIn(body: unknown): Answer {
  const { word, state, messageForModel } = (body ?? {}) as Partial<Answer>;
  if (isWord(word) && typeof state === 'string' && typeof messageForModel === 'string')
    return body as Answer;
  throw unreadable();
}

export function unreadable(): RemoteFault {
  return new RemoteFault(
    'remote.not-a-ledger',
    'unsafe',
    'What answered speaks another language than this client: is it the address of a ledger, and as new as this program?',
  );
}

/** Every member of an answer, so that what an action shows beside it can be left out. */
const members: Readonly<Record<keyof AnswerBase, true>> = {
  word: true,
  state: true,
  repeat: true,
  tenant: true,
  tool: true,
  actionId: true,
  epoch: true,
  previous: true,
  editOf: true,
  revision: true,
  guarantee: true,
  observed: true,
  result: true,
  externalId: true,
  notes: true,
  digest: true,
  settledAt: true,
  code: true,
  reason: true,
  detail: true,
  differs: true,
  owner: true,
  nextCheckAt: true,
};

/** Of an action as it is shown now, to the caller that has brought it about or met it. */
export function answerAbout(shown: Answer, { repeat }: { readonly repeat: boolean }): Answer {
  const base = Object.fromEntries(
    Object.entries(shown).filter(([name]) => Object.hasOwn(members, name)),
  );
  const word = !repeat && shown.word === 'already-done' ? 'done' : shown.word;
  return withMessage({ ...(base as unknown as AnswerBase), word, repeat });
}

/**
 * What a proposal, a repeat or an edit is told.
 * @throws RemoteFault, where it says nothing about what was asked
 */
export function proposalAnswer(tool: string, told: Told): Answer {
  switch (told.kind) {
    case 'answer':
      return answerIn(told.body);
    case 'fault':
      return unanswered(tool, told.fault);
    case 'problem':
      return answerOfProblem(tool, told);
  }
}

/** Statuses that the very same request gets every time. */
const sameEveryTime: ReadonlySet<number> = new Set([400, 413, 415, 422]);

function answerOfProblem(tool: string, told: ToldProblem): Answer {
  const { problem, status, inDoubt } = told;
  const answer = problem['answer'] as Answer | undefined;
  if (inDoubt && answer?.actionId === undefined && !sameEveryTime.has(status))
    return lost(tool, told);
  if (answer !== undefined) return answerIn(answer);
  if (ofTheProgram.has(problem.code)) throw faultOf(told);
  return refusedAnswer({
    tenant: '',
    tool,
    word: isWord(problem['word']) ? problem['word'] : 'checking',
    code: codeOf(problem),
    reason: detailOf(problem),
    ...(problem['facts'] === undefined ? {} : { detail: problem['facts'] as JsonValue }),
  });
}

/** An earlier try may have been recorded, and what was answered to a later one does not say. */
function lost(tool: string, told: ToldProblem): Answer {
  const reason = `The reply to an earlier try was lost, and it may have been recorded; then: ${detailOf(told.problem)}`;
  return checking(tool, 'remote.no-answer', reason);
}

/** @throws RemoteFault, where the program around it has to be mended */
function unanswered(tool: string, fault: RemoteFault): Answer {
  if (fault.code === 'remote.no-answer') return checking(tool, fault.code, fault.message);
  if (fault.code !== 'remote.unreachable') throw fault;
  const reason = `${fault.message} Nothing was recorded by this call; whether it was done before is not known. The very same call may be said again later, and nothing in its place.`;
  return checking(tool, fault.code, reason);
}

function checking(tool: string, code: string, reason: string): Answer {
  return refusedAnswer({ tenant: '', tool, word: 'checking', code, reason });
}

/** A refusal, as the domain would have said it. @throws RemoteFault, StoreFault, LedgerError */
export function refusalOf<Code extends string>(told: ToldProblem): Refusal<Code> {
  const { problem } = told;
  if (isNoAnswer(problem.code)) throw thrownFor(told);
  const said = refusal(codeOf(problem) as Code, detailOf(problem), factsOf(problem));
  if (told.inDoubt) throw maybeDone(said);
  return said;
}

/** Nothing is known to be wrong, and nothing to be done. */
function maybeDone({ code, message, detail }: Refusal): RemoteFault {
  const says = `The reply to an earlier try was lost, and it may have been carried out; said again, it was refused: ${message}`;
  return new RemoteFault('remote.no-answer', 'unsafe', says, { detail: { ...detail, code } });
}

/** @throws what the embedded ledger throws, or a RemoteFault */
export function thrownFor(told: Exclude<Told, { kind: 'answer' }>): Error {
  if (told.kind === 'fault') return told.fault;
  const { problem, inDoubt } = told;
  const { code } = problem;
  if (isStoreCode(code))
    return new StoreFault(code, inDoubt ? 'unsafe' : 'safe', detailOf(problem));
  return code === 'ledger.closed' && !inDoubt
    ? new LedgerError(code, detailOf(problem))
    : faultOf(told);
}

/** Who asks, where and how: to be mended in the program, and nothing to tell a model. */
const ofTheProgram: ReadonlySet<string> = new Set([
  'access.forbidden',
  'access.unauthenticated',
  'request.headers-too-large',
  'request.malformed',
  'request.media-type',
  'route.unknown',
]);

const notAboutWhatWasAsked = /^(access|gateway|ledger|request|route|store)\./;

function isNoAnswer(code: string): boolean {
  return !isMisfit(code) && notAboutWhatWasAsked.test(code);
}

/** The gateway looks at the form of a request before the ledger does. */
function isMisfit(code: string): boolean {
  return code === 'request.invalid' || code.startsWith('request.revision-');
}

function codeOf({ code }: Problem): string {
  return isMisfit(code) ? 'action.request-invalid' : code;
}

function detailOf({ detail, title }: Problem): string {
  return detail ?? title;
}

function factsOf(problem: Problem): Refusal['detail'] {
  return problem['facts'] as Refusal['detail'];
}

function isStoreCode(code: string): code is StoreFaultCode {
  return storeFaultCodes.some((each) => each === code);
}

function isWord(word: unknown): word is AnswerWord {
  return typeof word === 'string' && Object.hasOwn(answerWords, word);
}
