// Where a call is only observed, nothing that goes wrong in the ledger keeps it in: what cannot be recorded
// goes out without a record. The same request again, to this process, gets what the first one gets.
import {
  actionIdOf,
  type AnswerBase,
  canonicalJson,
  downstreamKeyOf,
  type JsonObject,
  linkKey,
  withMessage,
} from '@action-ledger/domain';
import {
  type AttemptOutcome,
  formatDownstreamKey,
  recordable,
  runUnrecorded,
  type Tool,
} from '@action-ledger/tools';
import { type Answer } from '../answer/answer.ts';
import { type Waiting } from '../answer/follow.ts';
import { waitingFor } from '../propose/answer-met.ts';
import { type Parts } from '../core/parts.ts';
import { type Proposal } from '../propose/proposal.ts';
import { noteObserved } from './beside.ts';

/**
 * @param meet what the ledger does with the call; where that is a refusal, nothing of it has run.
 *   Callers with processes of their own, and steps, need the record: they get the refusal.
 */
export async function letOut(
  parts: Parts,
  tool: Tool,
  args: JsonObject,
  proposal: Proposal,
  meet: () => Promise<Answer>,
): Promise<Answer> {
  if (tool.byCaller === true || proposal.link !== undefined) return meet();
  const { unrecorded } = parts;
  const waiting = waitingFor(parts, tool, proposal);
  const actionId = idOf(parts, tool, args, proposal);
  const inProgress = withMessage({ ...unrecordedBase(tool, proposal), word: 'in-progress' });
  // Each round waits for another try of the same request, until the time to wait is over.
  for (let earlier; (earlier = unrecorded.find(actionId)) !== undefined;) {
    const heard = await heardBy(parts, waiting, earlier, inProgress);
    if (heard !== undefined) return heard;
  }
  const met = meet();
  const wentOut = met.then((told) =>
    told.state === 'refused' ? sendOut(parts, tool, args, proposal, { actionId, told }) : undefined,
  );
  if (proposal.request === undefined) wentOut.catch(() => undefined);
  else unrecorded.keep(actionId, wentOut);
  const told = await met;
  if (told.state !== 'refused') return told;
  return (await heardBy(parts, waiting, wentOut, inProgress)) ?? told;
}

/** The same for the same request, so that a provider that knows keys may know it after a restart, too. */
function idOf(
  { sha256, runtime }: Parts,
  { name, declaration }: Tool,
  args: JsonObject,
  { tenant, request, key, origin }: Proposal,
): string {
  const { conversation = null, run = null, turn = null, call = null } = origin;
  // No hash leaves the process that secrets are in.
  const shown = declaration.secret.length === 0 ? args : null;
  const named = [request ?? null, key ?? null, conversation, run, turn, call, shown];
  const text = request === undefined ? runtime.ids.next() : canonicalJson(named);
  return actionIdOf(linkKey(sha256, tenant, 'unrecorded', name, text), 0);
}

function unrecordedBase(
  { name }: Tool,
  { tenant }: Proposal,
): Pick<AnswerBase, 'state' | 'repeat' | 'tenant' | 'tool' | 'guarantee'> {
  return {
    state: 'passed-through',
    repeat: false,
    tenant,
    tool: name,
    guarantee: 'observed',
  };
}

/** @returns `otherwise` where the time to wait is over before */
function heardBy<Heard>(
  { clock, runtime }: Parts,
  { untilMono, signal }: Waiting,
  heard: Promise<Heard>,
  otherwise: Heard,
): Promise<Heard> {
  return new Promise((resolve, reject) => {
    const leave = (): void => {
      resolve(otherwise);
    };
    const leftMs = Math.max(0, untilMono - clock.monoMs());
    const timer = runtime.timers.after(leftMs, leave, { keepsAlive: true });
    signal?.addEventListener('abort', leave, { once: true });
    if (signal?.aborted === true) leave();
    void heard.then(resolve, reject).finally(() => {
      timer.cancel();
      signal?.removeEventListener('abort', leave);
    });
  });
}

async function sendOut(
  parts: Parts,
  tool: Tool,
  args: JsonObject,
  proposal: Proposal,
  { actionId, told }: { readonly actionId: string; readonly told: Answer },
): Promise<Answer> {
  const { sha256, runtime } = parts;
  const reason = told.reason ?? told.code ?? 'not recorded';
  const observed = { would: 'refused', reason } as const;
  noteObserved(parts, proposal, observed);
  const { tenant, origin, traceparent, tracestate } = proposal;
  const call = { tool, args, tenant, origin, traceparent, tracestate };
  const key = formatDownstreamKey(tool.downstreamKeyFormat, downstreamKeyOf(sha256, actionId));
  const outcome = await runUnrecorded(runtime.timers, call, { actionId, downstreamKey: key });
  return withMessage({
    ...unrecordedBase(tool, proposal),
    observed,
    ...toldOf(parts, tool, outcome),
  });
}

function toldOf(
  { sha256 }: Parts,
  { keep }: Tool,
  outcome: AttemptOutcome,
): Pick<Answer, 'word' | 'result' | 'externalId' | 'reason'> {
  switch (outcome.kind) {
    case 'succeeded': {
      const { externalId } = outcome;
      const result = recordable(sha256, outcome.result, keep);
      return { word: 'done', ...result, ...(externalId === undefined ? {} : { externalId }) };
    }
    case 'no effect':
    case 'not sent':
      return { word: 'failed-without-effect', reason: outcome.reason };
    case 'in doubt':
      return { word: 'checking', reason: outcome.reason };
  }
}
