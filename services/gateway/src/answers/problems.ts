// Every problem that the gateway answers with, in one table: its status, its title, and the word that a
// model is told. A code that the ledger can refuse with and that has no row here does not compile. Each
// stands in docs/errors.md and docs/http-api.md, which a test compares.
import { type KeyRefusalCode } from '@action-ledger/access';
import {
  type AnswerWord,
  type CallerToolRefusalCode,
  type PauseRefusalCode,
  type RefusedCode,
  type ReportRefusalCode,
} from '@action-ledger/application';
import { type WorkflowRefusalCode } from '@action-ledger/domain';
import { type StoreFaultCode } from '@action-ledger/event-store';

/** What the gateway itself says no to. */
export const gatewayCodes = [
  'access.forbidden',
  'access.unauthenticated',
  'access.unavailable',
  'action.denied',
  'action.rejected',
  'gateway.bug',
  'gateway.busy',
  'gateway.closing',
  'request.cursor',
  'request.headers-too-large',
  'request.invalid',
  'request.malformed',
  'request.media-type',
  'request.method',
  'request.rate',
  'request.revision-mismatch',
  'request.revision-needed',
  'request.streams-full',
  'request.tenant-busy',
  'request.timeout',
  'request.too-large',
  'route.unknown',
] as const;

export type GatewayCode = (typeof gatewayCodes)[number];

export type ProblemCode =
  | RefusedCode
  | CallerToolRefusalCode
  | StoreFaultCode
  | GatewayCode
  | KeyRefusalCode
  | PauseRefusalCode
  | ReportRefusalCode
  | WorkflowRefusalCode
  | 'ledger.closed';

export interface ProblemRow {
  readonly status: number;
  readonly title: string;
  readonly word: AnswerWord;
  /** When it makes sense to ask again, in seconds. */
  readonly retryAfterS?: number;
  /** What it says may concern others or the machine: the caller gets the title alone. */
  readonly isPrivate?: true;
}

type Rows = Readonly<Record<ProblemCode, ProblemRow>>;

const wrong = (title: string, status = 400): ProblemRow => ({
  status,
  title,
  word: 'failed-without-effect',
});
const no = (status: number, title: string): ProblemRow => ({ status, title, word: 'refused' });
const busy = (status: number, title: string, retryAfterS: number): ProblemRow => ({
  status,
  title,
  word: 'refused',
  retryAfterS,
});
/** What was done before is not known by this answer: the word must not invite another try. */
const away = (title: string, retryAfterS: number): ProblemRow => ({
  status: 503,
  title,
  word: 'checking',
  retryAfterS,
  isPrivate: true,
});

const storeAway = away('The store cannot be used; nothing was recorded by this request', 5);
const storeBroken = away('The store needs its operator; nothing was recorded by this request', 60);
const outOfPlace = (title: string): ProblemRow => no(409, title);

export const problems: Rows = {
  'access.forbidden': no(403, 'None of your roles allows this'),
  'access.key-malformed': wrong('This cannot be a key'),
  'access.key-unknown': no(404, 'There is no such key'),
  'access.keys-too-many': outOfPlace('No more keys are taken'),
  'access.unauthenticated': no(
    401,
    'No valid key or token was sent: X-Api-Key, or Authorization: Bearer',
  ),
  'access.unavailable': away('It cannot be checked now who is asking', 5),
  // The losing vote is told who decided, and when: its author did nothing wrong.
  'action.approval-decided': no(200, 'The approval was decided before'),
  'action.approval-other-arguments': outOfPlace('The vote is for other arguments'),
  'action.approval-own-vote': no(403, 'Nobody votes on an action proposed in their own name'),
  'action.approval-voted': outOfPlace('This person has voted the other way'),
  'action.claim-lost': outOfPlace('The claim is lost'),
  'action.denied': no(403, 'The policy denies this action'),
  'action.evidence-full': outOfPlace('No more is taken about this action'),
  'action.exists': outOfPlace('The action exists already'),
  'action.expired': outOfPlace('It is too late for this'),
  'action.in-doubt': outOfPlace('An attempt is in doubt'),
  'action.incident-unknown': no(404, 'There is no open incident of this name'),
  'action.joins-full': outOfPlace('Too many calls have joined this action'),
  'action.key-window-over': outOfPlace('The provider may have forgotten our key'),
  'action.not-due': outOfPlace('It is too early for this'),
  'action.nothing-to-ask': outOfPlace('There is nothing to ask about it'),
  'action.rejected': no(403, 'People rejected this action'),
  'action.request-invalid': wrong('A member of the request does not fit'),
  'action.stale-revision': no(412, 'The action has moved on since you looked'),
  'action.status': outOfPlace('The command does not fit the status of the action'),
  'action.too-early': outOfPlace('A request may still be under way'),
  'action.unknown': no(404, 'There is no such action'),
  'arguments.invalid': wrong('The arguments do not fit the tool'),
  'edit.denied': no(403, 'The policy denies the edited arguments'),
  'edit.other-tool': outOfPlace('An edit cannot change the tool'),
  'edit.overtaken': outOfPlace('Another action has the place of the edited one'),
  'edit.unchanged': outOfPlace('These are the arguments that the action has'),
  'epochs.exhausted': outOfPlace('Too many epochs in a row ended without effect'),
  'evidence.other-action': outOfPlace('What the report names belongs to more than one action'),
  'evidence.too-large': no(413, 'The report is too large to wait for its action'),
  'evidence.too-many': busy(429, 'Too many reports wait for their actions', 600),
  'gateway.bug': {
    status: 500,
    title: 'Something unexpected happened in the gateway',
    word: 'checking',
    isPrivate: true,
  },
  'gateway.busy': away('Too many requests are under way; nothing was recorded by this one', 1),
  'gateway.closing': away('The gateway is closing; nothing was recorded by this request', 5),
  'identity.empty': wrong('The arguments do not tell what the action is about'),
  'identity.scope-missing': wrong("The call does not name what the tool's scope needs"),
  'identity.secret-undigested': away('Secret fields cannot be digested here', 60),
  'json.cycle': wrong('The value contains itself'),
  'json.duplicate-member': wrong('An object has the same member twice'),
  'json.forbidden-member': wrong('A member is called __proto__'),
  'json.integer-unsafe': wrong('A whole number is beyond 2^53-1'),
  'json.lone-surrogate': wrong('A text holds half of a surrogate pair'),
  'json.malformed': wrong('The body is no JSON'),
  'json.number-not-finite': wrong('A number is not finite'),
  'json.sparse-array': wrong('An array has holes'),
  'json.too-deep': wrong('Too many objects and arrays lie inside one another'),
  'json.too-large': wrong('The arguments are too large', 413),
  'json.truncated': wrong('The body ends too early'),
  'json.unreadable': wrong('A member cannot be read'),
  'json.unsupported-member': wrong('A member is not plain data'),
  'json.unsupported-type': wrong('A value is not plain data'),
  'key.invalid': wrong('The idempotency key does not fit'),
  'key.mismatch': wrong('Header and body give different idempotency keys'),
  'key.other-arguments': {
    status: 422,
    title: 'This key was used for different arguments',
    word: 'other-arguments',
  },
  'ledger.closed': away('The ledger is closed; nothing was recorded by this request', 30),
  'ledger.closing': away('The ledger is closing; nothing was recorded by this request', 10),
  'ledger.paused': busy(429, 'This tool, tenant or everything is paused', 60),
  'ledger.recovering': away('The ledger is recovering; nothing was recorded', 60),
  'ledger.store-unavailable': storeAway,
  'ledger.store-uncertain': {
    status: 202,
    title: 'It is still being recorded',
    word: 'checking',
    retryAfterS: 5,
  },
  'pause.none': no(404, 'Nothing of this scope is paused'),
  'pause.stale': no(412, 'It was paused again since you looked'),
  'pause.too-many': outOfPlace('No more pauses are taken'),
  'read.failed': {
    status: 503,
    title: 'A tool that only reads has failed',
    word: 'failed-without-effect',
    retryAfterS: 5,
  },
  'repeat.arguments-needed': wrong('The arguments are not stored whole: give them again'),
  'repeat.too-early': outOfPlace('Only a settled action without doubt can be repeated'),
  'request.cursor': wrong('The cursor is not one that was given out'),
  'request.headers-too-large': wrong('The headers are too large', 431),
  'request.invalid': wrong('A member of the request does not fit'),
  'request.malformed': wrong('This is not a request that HTTP knows'),
  'request.media-type': wrong('Bodies must be application/json in UTF-8, without encoding', 415),
  'request.method': no(405, 'This address has other methods'),
  'request.rate': busy(429, 'Too many requests', 1),
  'request.revision-mismatch': wrong('If-Match and the body name different revisions'),
  'request.revision-needed': wrong('The revision that was seen must be named'),
  'request.streams-full': busy(429, 'Too many event streams are open', 30),
  'request.tenant-busy': busy(429, 'Too many requests of this tenant are under way', 1),
  'request.timeout': wrong('The request took too long to arrive', 408),
  'request.too-large': wrong('The body is too large', 413),
  'route.unknown': no(404, 'There is nothing at this address; /docs says what there is'),
  'store.busy': storeAway,
  'store.closed': storeAway,
  'store.corrupt': storeBroken,
  'store.disk-full': storeBroken,
  'store.format': storeBroken,
  'store.held': storeAway,
  'store.invalid-append': storeBroken,
  'store.io': storeAway,
  'store.not-found': storeBroken,
  'store.read-only': storeBroken,
  'store.too-large': no(413, 'An event would be larger than the store takes'),
  'store.unavailable': storeAway,
  'stream.broken': {
    status: 503,
    title: 'The record of this action is damaged; a person is looking into it',
    word: 'checking',
    retryAfterS: 300,
  },
  'tool.declaration': wrong('A declaration does not fit'),
  'tool.identity-changed': outOfPlace('What decides identity changed, and its version did not'),
  'tool.identity-version-lowered': outOfPlace('A newer declaration is on record'),
  'tool.rules-loosened': no(403, 'Only an operator loosens the rules of a tool'),
  'tool.only-reads': outOfPlace('A tool that only reads is not proposed by a log'),
  'tool.served-here': outOfPlace('The ledger itself carries out this tool'),
  'tool.takes-secrets': outOfPlace('Secret arguments cannot get there'),
  'tool.too-many': outOfPlace('No more tools are taken'),
  'tool.too-often': busy(429, 'A tool was declared otherwise too often', 3_600),
  'tool.unknown': no(404, 'There is no such tool'),
  'workflow.compensation-invalid': wrong('What is to undo a step cannot be carried out'),
  'workflow.compensation-missing': wrong('A step does not say how it is undone'),
  'workflow.differs': {
    status: 422,
    title: 'The record of this workflow is another one',
    word: 'other-arguments',
  },
  'workflow.stale-revision': no(412, 'The workflow has moved on since you looked'),
  'workflow.status': outOfPlace('The command does not fit the status of the workflow'),
  'workflow.step-twice': outOfPlace('Two steps have one name'),
  'workflow.step-unknown': no(404, 'There is no such step'),
  'workflow.step-unsettled': outOfPlace('The outcome of a step is not known yet'),
  'workflow.steps-too-many': outOfPlace('No more steps are taken'),
  'workflow.unknown': no(404, 'There is no such workflow'),
};

/** Stable, and resolved by nobody: what the code means stands in docs/errors.md. */
export function problemType(code: ProblemCode): string {
  return `urn:action-ledger:problem:${code}`;
}

export function isProblemCode(code: unknown): code is ProblemCode {
  return typeof code === 'string' && Object.hasOwn(problems, code);
}
