// What ends in an action: proposals, repeats and edits. The ledger decides which action a call is; nothing of
// that is known here, so the same call gets the same identity whichever way it comes in.
import type { EditRequest, Explanation, RepeatRequest } from '@action-ledger/application';
import {
  type Answer,
  type CallOrigin,
  checkJson,
  type JsonValue,
  refusal,
  type Refusal,
  refusedAnswer,
  traceContextOf,
} from '@action-ledger/domain';
import { type Runtime } from '@action-ledger/runtime';
import { type Ask, type Asking } from './ask.ts';
import { noNames, type WithoutNames } from './names-by-key.ts';
import { type OwnTools, type ShownArguments } from './own-tools.ts';
import { refusalOf, thrownFor } from './read-answer.ts';
import { given } from './shown.ts';
import { pathOf, type RestDeps, untilRested } from './until-rested.ts';

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

/** @param own what this program carries out itself */
export function proposing(ask: Ask, runtime: Runtime, own?: OwnTools): Proposing {
  const deps: ProposeDeps = { ask, runtime, own };
  return {
    propose: async (proposal) => {
      noNames('a proposal', proposal);
      return proposed(deps, proposal);
    },
    repeat: async (request) => {
      noNames('a repeat', request);
      const { of, reason, revisionSeen, arguments: args, confirmedDouble, waitMs } = request;
      if (typeof of !== 'string') return misfit('', unnamed('of'));
      const plain = args === undefined ? undefined : checkJson(args);
      if (plain?.kind === 'refusal') return misfit('', plain);
      const shown = plain && ((await own?.shownOf(of, plain.value)) ?? shownWhole(plain.value));
      if (shown !== undefined && 'word' in shown) return shown;
      const body = given({ reason, revisionSeen, arguments: shown?.arguments, confirmedDouble });
      const path = pathOf(of, '/repeat');
      return untilRested(deps, '', { method: 'POST', path, body, ...given({ waitMs }) }, shown);
    },
    edit: async (request) => {
      noNames('an edit', request);
      const { actionId, reason, revisionSeen, arguments: args, tool, waitMs } = request;
      if (typeof actionId !== 'string') return misfit('', unnamed('actionId'));
      const plain = checkJson(args);
      if (plain.kind === 'refusal') return misfit(tool ?? '', plain);
      const shown = (await own?.shownOf(actionId, plain.value)) ?? shownWhole(plain.value);
      if ('word' in shown) return shown;
      const body = given({ reason, revisionSeen, arguments: shown.arguments, tool });
      const path = pathOf(actionId, '/edit');
      const asking: Asking = { method: 'POST', path, body, ...given({ waitMs }) };
      return untilRested(deps, tool ?? '', asking, shown);
    },
    explain: async (request) => {
      noNames('an explanation', request);
      if (typeof request.tool !== 'string') return noTool(request.tool);
      const plain = checkJson(request.arguments);
      if (plain.kind === 'refusal') return plain;
      const { tool, origin, key } = request;
      const shown = own?.shown(tool, plain.value) ?? shownWhole(plain.value);
      if (shown.kind === 'refusal') return shown;
      const body = { tool, arguments: shown.arguments, ...originOf(origin), ...given({ key }) };
      const told = await ask({ method: 'POST', path: 'v1/explain', body });
      if (told.kind === 'answer') return told.body as unknown as Explanation;
      if (told.kind === 'fault') throw thrownFor(told);
      return refusalOf({ ...told, inDoubt: false });
    },
  };
}

interface ProposeDeps extends RestDeps {
  readonly own: OwnTools | undefined;
}

async function proposed(deps: ProposeDeps, proposal: RemoteProposal): Promise<Answer> {
  const { tool, origin = {}, waitMs, signal, traceparent, tracestate } = proposal;
  const body = bodyOf(proposal);
  if ('word' in body) return body;
  const headers = given({ ...traceContextOf(traceparent, tracestate) });
  const asking: Asking = {
    method: 'POST',
    path: 'v1/actions',
    // By which a try that is made again is known, where calls are only observed.
    body: { ...body, request: deps.runtime.ids.next() },
    headers,
    ...given({ waitMs, signal }),
  };
  const { arguments: args } = body;
  const call = { tool, arguments: args, origin, traceparent, tracestate };
  const { own } = deps;
  for (let tries = 1; ; tries += 1) {
    const prepared = await own?.prepare(call);
    if (prepared === undefined) return untilRested(deps, tool, asking);
    if ('word' in prepared) return prepared;
    const { worker, arguments: shown } = prepared;
    const toCarry = { ...body, arguments: shown, execute: 'caller', worker };
    const answer = await untilRested(deps, tool, { ...asking, body: toCarry }, prepared);
    // A ledger that was put back to an earlier time may have lost what was declared.
    if (answer.code !== 'tool.unknown' || tries > 1) return answer;
    await own?.declare();
  }
}

function shownWhole(args: JsonValue): ShownArguments {
  return { kind: 'shown', arguments: args };
}

interface ProposalBody {
  readonly tool: string;
  readonly arguments: JsonValue;
}

function bodyOf(proposal: RemoteProposal): ProposalBody | Answer {
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
export function misfit(
  tool: string,
  no: Pick<Refusal, 'code' | 'message' | 'detail'>,
  tenant = '',
): Answer {
  const { code, message: reason, detail } = no;
  return refusedAnswer({
    tenant,
    tool,
    word: 'failed-without-effect',
    code,
    reason,
    ...given({ detail }),
  });
}
