// A lookup that was handed out: asked once within its time, and its verdict told. What cannot be told is
// asked for again by the ledger.
import type { Lookup } from '@action-ledger/application';
import { type Answer, type JsonObject } from '@action-ledger/domain';
import {
  type LookupOutcome,
  lookupShape,
  recordable,
  runLookup,
  type Tool,
} from '@action-ledger/tools';
import { answerIn, thrownFor } from '../read-answer.ts';
import { pathOf } from '../until-rested.ts';
import { type CarryDeps } from './carry-out.ts';

export interface Looked {
  readonly tool: Tool;
  readonly actionId: string;
  readonly lookup: Lookup;
  readonly args: JsonObject;
}

/** @returns what is on record then, where that was told. @param controller aborted where it is to be given up */
export async function lookUp(
  deps: CarryDeps,
  looked: Looked,
  controller: AbortController,
): Promise<Answer | undefined> {
  const { tool, actionId, lookup, args } = looked;
  const deadline = deps.runtime.timers.after(lookup.timeoutMs, () => {
    controller.abort(new Error('the lookup took too long'));
  });
  const { downstreamKey, attempts, evidence, origin, traceparent, tracestate } = lookup;
  const outcome = await runLookup(tool, {
    actionId,
    tenant: deps.tenant,
    tool: tool.name,
    arguments: args,
    downstreamKey,
    attempts,
    evidence,
    signal: controller.signal,
    ...(origin === undefined ? {} : { origin }),
    ...(traceparent === undefined ? {} : { traceparent }),
    ...(tracestate === undefined ? {} : { tracestate }),
  });
  deadline.cancel();
  // Its `absent` is judged by when it was handed out.
  const answered = { revision: lookup.revision, lookup: lookup.lookup };
  const body = { ...answered, outcome: toldOf(deps, looked, outcome) };
  const told = await deps.ask({ method: 'POST', path: pathOf(actionId, '/verdict'), body });
  if (told.kind === 'answer') return answerIn(told.body['answer']);
  // The action has moved on meanwhile.
  if (told.kind === 'problem' && told.status === 412) return undefined;
  deps.onFault(`lookup of ${actionId}`, thrownFor(told));
  return undefined;
}

function toldOf(
  { sha256, onFault }: CarryDeps,
  { tool, actionId }: Looked,
  outcome: LookupOutcome,
): object {
  switch (outcome.verdict) {
    case 'absent':
    case 'ambiguous':
      return outcome;
    case 'found':
      return outcome.result === undefined
        ? outcome
        : { ...outcome, result: recordable(sha256, outcome.result, tool.keep).result };
    case 'error': {
      const { came, ...told } = outcome;
      if (came !== undefined) {
        const message = `The lookup of ${tool.name} returned ${came}; it must return ${lookupShape}.`;
        onFault(`lookup of ${actionId}`, new TypeError(message));
      }
      return told;
    }
  }
}
