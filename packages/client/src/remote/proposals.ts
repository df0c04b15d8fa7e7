// What ends in an action: proposals, repeats and edits. The ledger decides which action a call is; nothing of
// that is known here, so the same call gets the same identity whichever way it comes in.
import type { EditRequest, Explanation, RepeatRequest } from '@action-ledger/application';
import {
  type Answer,
  type CallOrigin,
  checkJson,
  refusal,
  type Refusal,
  refusedAnswer,
  traceContextOf,
} from '@action-ledger/domain';
import { type Clock } from '@action-ledger/runtime';
import { type Ask, type Asking, type Told } from './ask.ts';
import { noNames, type WithoutNames } from './names-by-key.ts';
import { answerAbout, answerIn, proposalAnswer, refusalOf, thrownFor } from './read-answer.ts';
import { given } from './shown.ts';

export interface RemoteProposal {
  readonly tool: string;
  /** Plain JSON values; checked, never coerced. */
  readonly arguments: unknown;
  readonly origin?: CallOrigin;
  /** The caller's own idempotency key. */
  readonly key?: string;
  /** W3C trace context; malformed it is ignored. */
  readonly traceparent?: string;
  readonly tracestate?: string;
  /** How long to wait for the outcome, in ms, rounded up to seconds. Default 40 s. */
  readonly waitMs?: number;
  /** Ends the waiting, not the action. */
  readonly signal?: AbortSignal;
}

export type RemoteExplainRequest = Pick<RemoteProposal, 'tool' | 'arguments' | 'origin' | 'key'>;

export interface Proposing {
  propose(proposal: RemoteProposal): Promise<Answer>;
  repeat(request: WithoutNames<RepeatRequest>): Promise<Answer>;
  edit(request: WithoutNames<EditRequest>): Promise<Answer>;
  explain(request: RemoteExplainRequest): Promise<Explanation | Refusal>;
}

/** As long as a tool of the usual times is waited for in its own process. */
const waitMsUsual = 40_000;
/** In one request: below the minute after which many a proxy cuts the line. */
export const waitMsMax = 50_000;

export function proposing(ask: Ask, clock: Clock): Proposing {
  const outcome = (tool: string, asking: Asking): Promise<Answer> =>
    untilRested(ask, clock, tool, asking);
  return {
    propose: async (proposal) => {
      noNames('a proposal', proposal);
      const { tool, waitMs, signal, traceparent, tracestate } = proposal;
      const body = bodyOf(proposal);
      if ('word' in body) return body;
      const headers = given({ ...traceContextOf(traceparent, tracestate) });
      return outcome(tool, {
        method: 'POST',
        path: 'v1/actions',
        body,
        headers,
        ...given({ waitMs, signal }),
      });
    },
    repeat: async (request) => {
      noNames('a repeat', request);
      const { of, reason, revisionSeen, arguments: args, confirmedDouble, waitMs } = request;
      if (typeof of !== 'string') return misfit('', unnamed('of'));
      const plain = args === undefined ? { value: undefined } : checkJson(args);
      if ('code' in plain) return misfit('', plain);
      const body = given({ reason, revisionSeen, arguments: plain.value, confirmedDouble });
      return outcome('', {
        method: 'POST',
        path: pathOf(of, '/repeat'),
        body,
        ...given({ waitMs }),
      });
    },
    edit: async (request) => {
      noNames('an edit', request);
      const { actionId, reason, revisionSeen, arguments: args, tool, waitMs } = request;
      if (typeof actionId !== 'string') return misfit('', unnamed('actionId'));
      const plain = checkJson(args);
      if (plain.kind === 'refusal') return misfit(tool ?? '', plain);
      const body = given({ reason, revisionSeen, arguments: plain.value, tool });
      const path = pathOf(actionId, '/edit');
      return outcome(tool ?? '', { method: 'POST', path, body, ...given({ waitMs }) });
    },
    explain: async (request) => {
      noNames('an explanation', request);
      if (typeof request.tool !== 'string') return noTool(request.tool);
      const plain = checkJson(request.arguments);
      if (plain.kind === 'refusal') return plain;
      const { tool, origin, key } = request;
      const body = { tool, arguments: plain.value, ...originOf(origin), ...given({ key }) };
      const told = await ask({ method: 'POST', path: 'v1/explain', body });
      if (told.kind === 'answer') return told.body as unknown as Explanation;
      if (told.kind === 'fault') throw thrownFor(told);
      return refusalOf({ ...told, inDoubt: false });
    },
  };
}

export function pathOf(actionId: string, command = ''): string {
  return `v1/actions/${encodeURIComponent(actionId)}${command}`;
}

function bodyOf(proposal: RemoteProposal): object | Answer {
  const { tool, arguments: args, origin, key, waitMs } = proposal;
  if (typeof tool !== 'string') return misfit('', noTool(tool));
  const plain = checkJson(args);
  if (plain.kind === 'refusal') return misfit(tool, plain);
  if (waitMs !== undefined && !(waitMs >= 0 && waitMs < Infinity))
    return misfit(tool, {
      code: 'action.request-invalid',
      message: 'Nothing was recorded: "waitMs" must be a number of milliseconds from 0.',
    });
  return { tool, arguments: plain.value, ...originOf(origin), ...given({ key }) };
}

function noTool(tool: unknown): Refusal {
  return refusal('tool.unknown', `There is no tool "${String(tool)}".`);
}

export function unnamed(member: string): Refusal<'action.request-invalid'> {
  const message = `Nothing was recorded: "${member}" must be the id of an action.`;
  return refusal('action.request-invalid', message, { member });
}

function originOf({ conversation, run, turn, call }: CallOrigin = {}): object {
  return given({ conversation, run, turn, call });
}

/** Before anything was sent; in the words that the ledger itself would use. */
export function misfit(tool: string, no: Pick<Refusal, 'code' | 'message' | 'detail'>): Answer {
  const { code, message: reason, detail } = no;
  return refusedAnswer({
    tenant: '',
    tool,
    word: 'failed-without-effect',
    code,
    reason,
    ...given({ detail }),
  });
}

/** Held as long as the caller waits, in as many requests as that takes. */
async function untilRested(ask: Ask, clock: Clock, tool: string, asking: Asking): Promise<Answer> {
  const { waitMs = waitMsUsual, signal } = asking;
  const until = clock.monoMs() + waitMs;
  const first = await held(ask, clock, { ...asking, waitMs: Math.min(waitMs, waitMsMax) });
  let answer = proposalAnswer(tool, first.told);
  const { repeat, actionId } = answer;
  let isHeldOnly = first.isHeldOnly && actionId !== undefined;
  while (isHeldOnly && until > clock.monoMs() && signal?.aborted !== true) {
    const left = Math.min(until - clock.monoMs(), waitMsMax);
    const look = { method: 'GET', path: pathOf(actionId ?? ''), waitMs: left } as const;
    const { told, ...more } = await held(ask, clock, { ...look, ...given({ signal }) });
    // What was known before is as true as it was.
    if (told.kind !== 'answer') return answer;
    // Another action has its place: the proposal leads there.
    if (told.body['supersededBy'] !== undefined)
      return proposalAnswer(tool, await ask({ ...asking, waitMs: left }));
    answer = answerAbout(answerIn(told.body), { repeat });
    isHeldOnly = more.isHeldOnly;
  }
  return answer;
}

export interface Held {
  readonly told: Told;
  /** Not finished only because the ledger was asked to hold it no longer: not at rest. */
  readonly isHeldOnly: boolean;
}

const unfinished: ReadonlySet<unknown> = new Set([
  'in-progress',
  'checking',
  'waiting-for-approval',
]);

export async function held(ask: Ask, clock: Clock, asking: Asking): Promise<Held> {
  const askedAt = clock.monoMs();
  const told = await ask(asking);
  if (told.kind !== 'answer' || !unfinished.has(told.body['word']))
    return { told, isHeldOnly: false };
  // The ledger may hold it for less than it was asked to, and says so.
  const applied = /wait=(\d+)/.exec(told.headers.get('preference-applied') ?? '')?.[1];
  const heldMs = applied === undefined ? (asking.waitMs ?? 0) : Number(applied) * 1_000;
  return { told, isHeldOnly: clock.monoMs() - askedAt >= heldMs };
}
