// A read passes through: it has no effect to protect, so nothing is recorded. Writes of which nothing can be
// recorded, and that are only observed, run the same way, under names of their own.
import {
  type Answer,
  type CallOrigin,
  type JsonObject,
  refusedAnswer,
  type Sha256,
  traceContextOf,
} from '@action-ledger/domain';
import { type AttemptOutcome } from '../attempt-outcome.ts';
import { runExecute } from '../run-execute.ts';
import { type Tool } from '../tool.ts';
import { recordable } from './recorded-outcome.ts';
import { type Timers } from './timers.ts';

export interface Read {
  readonly tool: Tool;
  /** Validated. */
  readonly args: JsonObject;
  readonly tenant: string;
  readonly origin: CallOrigin;
  readonly traceparent?: string | undefined;
  readonly tracestate?: string | undefined;
}

interface PassThroughDeps {
  readonly timers: Timers;
  readonly sha256: Sha256;
}

/** Never rejects. */
export async function passThrough(
  { timers, sha256 }: PassThroughDeps,
  read: Read,
): Promise<Answer> {
  const outcome = await runUnrecorded(timers, read, { actionId: '', downstreamKey: '' });
  const { tenant, tool } = read;
  if (outcome.kind !== 'succeeded') {
    return refusedAnswer({
      tenant,
      tool: tool.name,
      word: 'failed-without-effect',
      code: 'read.failed',
      reason: outcome.reason,
    });
  }
  const { result } = recordable(sha256, outcome.result, []);
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

/** Once, until the deadline of the tool. Never rejects. */
export async function runUnrecorded(
  timers: Timers,
  { tool, args, tenant, origin, traceparent, tracestate }: Read,
  { actionId, downstreamKey }: { readonly actionId: string; readonly downstreamKey: string },
): Promise<AttemptOutcome> {
  const controller = new AbortController();
  const deadline = timers.after(tool.rules.timeoutMs, () => {
    controller.abort(new Error('the deadline has passed'));
  });
  const outcome = await runExecute(tool, {
    actionId,
    tenant,
    tool: tool.name,
    arguments: args,
    downstreamKey,
    attempts: [],
    evidence: [],
    attempt: 1,
    signal: controller.signal,
    beforeSend: () => undefined,
    origin,
    ...traceContextOf(traceparent, tracestate),
  });
  deadline.cancel();
  return outcome;
}
