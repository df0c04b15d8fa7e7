// One dispatch that was handed out: sent once, by the rules of a send in the ledger's own process, its claim
// kept meanwhile, and its outcome told. What is left of its time counts from before the try that brought it;
// where the claim is lost, or may be, nothing more is sent.
import type { HandedOut } from '@action-ledger/application';
import { type Answer, type JsonObject } from '@action-ledger/domain';
import { type Runtime } from '@action-ledger/runtime';
import {
  type AttemptOutcome,
  keepLease,
  type Lease,
  runTool,
  storedOutcome,
  type Tool,
} from '@action-ledger/tools';
import { type Told } from '../ask.ts';
import { thrownFor } from '../read-answer.ts';
import { pathOf } from '../until-rested.ts';
import { type ReportDeps, reportOutcome } from './report-outcome.ts';

export interface CarryDeps extends ReportDeps {
  readonly runtime: Runtime;
  readonly tenant: string;
  /** What is told after its attempt has ended. @param told never rejects */
  readonly late: (told: Promise<unknown>) => void;
}

/** Before the try that brought the dispatch. */
export interface Begun {
  readonly startedMono: number;
  readonly startedAt: number;
}

export interface Carried extends Begun {
  readonly tool: Tool;
  readonly actionId: string;
  readonly worker: string;
  readonly dispatch: HandedOut;
  /** Undefined: its secrets are not held here. */
  readonly args: JsonObject | undefined;
}

/** Never rejects. @param controller aborted where it is to be given up */
export function carryOut(
  deps: CarryDeps,
  carried: Carried,
  controller: AbortController,
): Promise<Answer | undefined> {
  const { tool, actionId, worker, dispatch } = carried;
  const { claim, attempt } = dispatch;
  const fail = (fault: unknown): undefined => {
    deps.onFault(`attempt ${attempt} of ${actionId}`, fault);
    return undefined;
  };
  const report = async (outcome: AttemptOutcome): Promise<Answer | undefined> =>
    reportOutcome(
      deps,
      { actionId, worker, claim, attempt },
      storedOutcome(deps.sha256, tool, outcome),
      tool.keep,
    );
  const onLate = (outcome: AttemptOutcome): void => {
    deps.late(report(outcome).catch(fail));
  };
  return attempted(deps, carried, controller, onLate).then(report).catch(fail);
}

async function attempted(
  deps: CarryDeps,
  carried: Carried,
  controller: AbortController,
  onLate: (outcome: AttemptOutcome) => void,
): Promise<AttemptOutcome> {
  const { tool, actionId, dispatch, args, startedMono, startedAt } = carried;
  const { clock, timers } = deps.runtime;
  const { attempt, timeLeftMs, downstreamKey, attempts, evidence } = dispatch;
  if (args === undefined)
    return { kind: 'not sent', reason: 'its secret arguments were lost with their process' };
  if (controller.signal.aborted) return { kind: 'not sent', reason: 'the program is closing' };
  // The ledger knows the schema without what only code can say.
  const valid = tool.validate(args);
  if (valid.kind === 'refusal') {
    const { code, message: reason } = valid;
    return { kind: 'no effect', reason, code, retryable: false };
  }
  const deadlineMono = startedMono + timeLeftMs;
  const claim = keptClaim(deps, carried, controller);
  const { origin, traceparent, tracestate } = dispatch;
  const context = {
    actionId,
    tenant: deps.tenant,
    tool: tool.name,
    arguments: args,
    downstreamKey,
    attempt,
    attempts,
    evidence,
    ...(origin === undefined ? {} : { origin }),
    ...(traceparent === undefined ? {} : { traceparent }),
    ...(tracestate === undefined ? {} : { tracestate }),
  };
  try {
    return await runTool(tool, context, {
      clock: { nowMs: () => clock.wallMs(), monoMs: () => clock.monoMs() },
      timers,
      deadlineMono,
      deadlineAt: startedAt + timeLeftMs,
      controller,
      isLost: claim.isLost,
      onSending: () => undefined,
      onLate,
    });
  } finally {
    claim.stop();
  }
}

interface KeptClaim {
  readonly isLost: () => boolean;
  readonly stop: () => void;
}

function keptClaim(
  { ask, runtime: { clock, timers } }: CarryDeps,
  { actionId, worker, dispatch, startedMono }: Carried,
  controller: AbortController,
): KeptClaim {
  const { leaseMs, leaseLeftMs, timeLeftMs, claim } = dispatch;
  let isLost = false;
  let keptUntilMono = startedMono + leaseLeftMs;
  const extend: Lease['extend'] = async () => {
    const path = pathOf(actionId, '/claim/extend');
    const told = await ask({ method: 'POST', path, body: { worker, claim } });
    if (told.kind !== 'answer') return lostOrThrow(told);
    const { leaseLeftMs: leftMs } = told.body as { readonly leaseLeftMs?: number };
    // What was granted before still is; what is not said is not taken for granted.
    keptUntilMono = Math.max(keptUntilMono, told.triedMono + (leftMs ?? 0));
    return 'extended';
  };
  const lease = keepLease({
    timers,
    clock,
    leaseMs,
    // When all of it was left.
    startedMono: startedMono + leaseLeftMs - leaseMs,
    deadlineMono: startedMono + timeLeftMs,
    extend,
    onLost: () => {
      isLost = true;
      controller.abort(new Error('the claim is lost'));
    },
  });
  return {
    // Where the ledger could not be asked, others may have been let at it by now.
    isLost: () => isLost || clock.monoMs() >= keptUntilMono,
    stop: lease.stop,
  };
}

/** @throws where it is not known */
function lostOrThrow(told: Exclude<Told, { kind: 'answer' }>): 'lost' {
  if (told.kind === 'problem' && told.problem.code.startsWith('action.')) return 'lost';
  throw thrownFor(told);
}
