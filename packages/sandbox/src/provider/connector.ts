// How a tool speaks to the sandbox provider, as a careful connector speaks to any: one request per
// attempt, no retries of its own, and what is not proven stays in doubt.
import { type JsonObject, type JsonValue } from '@action-ledger/domain';
import {
  inDoubt,
  refused,
  succeeded,
  type AttemptContext,
  type AttemptResult,
  type ExecuteContext,
  type LookupVerdict,
} from '@action-ledger/tools';
import {
  type ProviderPort,
  type ProviderReply,
  type ProviderRequest,
  type RefusedBody,
} from './wire.ts';

export interface ConnectorOptions {
  /** The provider's name of the tool, if it is not the ledger's. */
  readonly tool?: string;
  /**
   * The network's bound: a request that would arrive so long after its dispatch is dropped on the way.
   * Without it the network keeps a request for ever.
   */
  readonly inFlightMs?: number;
}

/** An `execute` that sends one request. A broken connection or an abort is thrown, so it is doubt. */
export function executeAt(
  provider: ProviderPort,
  options: ConnectorOptions = {},
): (context: ExecuteContext<JsonObject>) => Promise<AttemptResult<JsonValue>> {
  return async (context) => {
    const request = requestOf(context, options);
    context.beforeSend();
    return attemptResultOf(await provider.send(request, context.signal), context.downstreamKey);
  };
}

/** A `lookup` by the downstream key. */
export function lookUpAt(
  provider: ProviderPort,
  options: ConnectorOptions = {},
): (context: AttemptContext<JsonObject>) => Promise<LookupVerdict> {
  return async ({ tenant, tool, downstreamKey: key, signal }) => {
    const reply = await provider.lookUp({ tenant, tool: options.tool ?? tool, key }, signal);
    if (!reply.found) return { verdict: 'absent' };
    if (reply.key !== undefined && reply.key !== key) {
      return { verdict: 'ambiguous', reason: `the provider found the effect of ${reply.key}` };
    }
    return { verdict: 'found', externalId: reply.id, result: reply.result };
  };
}

/** Tells success, refusal and doubt apart. @param key the downstream key that was sent */
export function attemptResultOf(reply: ProviderReply, key: string): AttemptResult<JsonValue> {
  const { status, body } = reply;
  const later = reply.retryAfterMs === undefined ? {} : { retryAfterMs: reply.retryAfterMs };
  if (status < 300 && body.ok) return succeeded(body.result, { externalId: body.id });
  if (status >= 500 || body.ok || isAboutTheKey(body)) {
    const said = body.ok ? 'a success under an error status' : body.error;
    return inDoubt(`the provider answered ${status}: ${said}`, { answered: true, ...later });
  }
  if (body.code === 'already_exists' && body.reference === key && body.id !== undefined) {
    return succeeded({ alreadyExisted: true }, { externalId: body.id });
  }
  const { code, neverHadEffect } = body;
  return refused(body.error, { code, neverHadEffect, retryable: status === 429, ...later });
}

/** Another request with our key is or was there, and may have had its effect. */
function isAboutTheKey({ code }: RefusedBody): boolean {
  return code === 'key_in_use' || code === 'key_reused';
}

function requestOf(
  context: ExecuteContext<JsonObject>,
  { tool, inFlightMs }: ConnectorOptions,
): ProviderRequest {
  const dispatchedAt = context.attempts.at(-1)?.dispatchedAt;
  const expires = inFlightMs !== undefined && dispatchedAt !== undefined;
  return {
    tenant: context.tenant,
    tool: tool ?? context.tool,
    arguments: context.arguments,
    key: context.downstreamKey,
    attempt: context.attempt,
    ...(context.origin === undefined ? {} : { origin: context.origin }),
    ...(expires ? { expiresAt: dispatchedAt + inFlightMs } : {}),
  };
}
