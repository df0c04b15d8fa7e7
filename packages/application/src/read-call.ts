// A read passes through: it has no effect to protect, so nothing is recorded.
import { type JsonObject, traceContextOf } from '@action-ledger/domain';
import { runExecute, type Tool } from '@action-ledger/tools';
import { type Answer, refusedAnswer } from './answer.ts';
import { recordable } from './outcome-text.ts';
import { type Parts } from './parts.ts';
import { type Proposal } from './proposal.ts';

export async function passThrough(
  parts: Parts,
  tool: Tool,
  args: JsonObject,
  proposal: Proposal,
): Promise<Answer> {
  const controller = new AbortController();
  const deadline = parts.runtime.timers.after(tool.rules.timeoutMs, () => {
    controller.abort(new Error('the deadline has passed'));
  });
  const outcome = await runExecute(tool, {
    actionId: '',
    tenant: proposal.tenant,
    tool: tool.name,
    arguments: args,
    downstreamKey: '',
    attempts: [],
    evidence: [],
    attempt: 1,
    signal: controller.signal,
    beforeSend: () => undefined,
    origin: proposal.origin,
    ...traceContextOf(proposal.traceparent, proposal.tracestate),
  });
  deadline.cancel();
  const { tenant } = proposal;
  if (outcome.kind !== 'succeeded') {
    return refusedAnswer({
      tenant,
      tool: tool.name,
      word: 'failed-without-effect',
      code: 'read.failed',
      reason: outcome.reason,
    });
  }
  const { result } = recordable(parts.sha256, outcome.result, []);
  return {
    word: 'done',
    state: 'passed-through',
    repeat: false,
    tenant,
    tool: tool.name,
    result,
    messageForModel: 'Done now.',
  };
}
