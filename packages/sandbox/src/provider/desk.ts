// What the provider does with a request once it has arrived: recognise its key, work, commit the
// effect or refuse, remember the reply, and report the effect by webhook.
import { type Effect, type EffectBook } from './effect-book.ts';
import { type ProviderOptions, type ToolBehaviour } from './behaviour.ts';
import { lostConnection, pause } from './connection.ts';
import { type Fault, type PlainReply } from './fault.ts';
import { createKeyMemory } from './key-memory.ts';
import {
  type LookupQuery,
  type LookupReply,
  type ProviderReply,
  type ProviderRequest,
} from './wire.ts';

export interface Desk {
  /** @throws ConnectionLost when the network has dropped the request as too old. */
  handle(request: ProviderRequest, fault: Fault): Promise<ProviderReply>;
  lookUp(query: LookupQuery): Promise<LookupReply>;
}

export function createDesk(options: ProviderOptions, book: EffectBook): Desk {
  const { runtime, onArrival, behaviour = offersNothing } = options;
  const keys = createKeyMemory();
  const commit = createCommit(options, book);

  async function work(request: ProviderRequest, fault: Fault): Promise<ProviderReply> {
    await pause(runtime, fault.workMs);
    return fault.instead === undefined
      ? commit(request, behaviour(request.tool), fault)
      : plain(fault.instead);
  }

  async function workUnderKey(
    request: ProviderRequest,
    fault: Fault,
    windowMs: number,
  ): Promise<ProviderReply> {
    const key = JSON.stringify([request.tenant, request.key]);
    const known = keys.take(key, request.arguments, windowMs, runtime.clock.monoMs());
    switch (known.kind) {
      case 'answered':
        return known.reply;
      case 'in use':
        return refusal(409, 'a request with this key is in progress', 'key_in_use');
      case 'other arguments':
        return refusal(422, 'this key was used with other arguments', 'key_reused');
      case 'new': {
        const reply = await work(request, fault);
        if (isForgotten(reply)) keys.release(key);
        else keys.answer(key, fault.reply?.stored === true ? plain(fault.reply) : reply);
        return reply;
      }
    }
  }

  return {
    async handle(request, fault) {
      await pause(runtime, fault.arriveAfterMs);
      if (runtime.clock.wallMs() > (request.expiresAt ?? Infinity)) throw lostConnection();
      book.arrived(request, runtime.clock.monoMs());
      await onArrival?.(request);
      const { keyWindowMs } = behaviour(request.tool);
      const reply =
        keyWindowMs === undefined
          ? await work(request, fault)
          : await workUnderKey(request, fault, keyWindowMs);
      await pause(runtime, fault.replyAfterMs);
      return fault.reply !== undefined && reply.body.ok ? plain(fault.reply) : reply;
    },
    async lookUp(query) {
      const fault = options.lookupFault?.(query) ?? {};
      const other = fault.wrongOwner === true ? another(query, book) : undefined;
      const seen = other ?? own(query, options, book);
      await pause(runtime, fault.afterMs);
      if (fault.outage === true) throw lostConnection();
      return seen;
    },
  };
}

const offersNothing = (): ToolBehaviour => ({});

type Commit = (request: ProviderRequest, tool: ToolBehaviour, fault: Fault) => ProviderReply;

function createCommit(options: ProviderOptions, book: EffectBook): Commit {
  const { runtime, onWebhook, answer = () => accepted } = options;
  const taken = new Map<string, Effect>();

  function echo(effect: Effect, fault: Fault): void {
    const { id: externalId, tenant, tool, key, result } = effect;
    for (const afterMs of fault.echoAfterMs ?? []) {
      runtime.timers.after(afterMs, () => onWebhook?.({ tenant, tool, key, externalId, result }));
    }
  }

  return (request, tool, fault) => {
    const said = answer(request);
    if (said.kind === 'refused') {
      const isWithoutEffect = book.ofKey(request.tenant, request.key).length === 0;
      return refusal(422, said.error, said.code, isWithoutEffect);
    }
    const name = tool.unique?.(request.arguments);
    const place = JSON.stringify([request.tenant, request.tool, name]);
    const first = name === undefined ? undefined : taken.get(place);
    if (first !== undefined) return alreadyExists(first);
    const { expiresAt: _, origin: __, ...rest } = request;
    const effect = book.commit({
      ...rest,
      result: said.result,
      entity: tool.entity?.(request.arguments),
      wallMs: runtime.clock.wallMs(),
      monoMs: runtime.clock.monoMs(),
    });
    if (name !== undefined) taken.set(place, effect);
    echo(effect, fault);
    return { status: 200, body: { ok: true, id: effect.id, result: effect.result } };
  };
}

const accepted = { kind: 'accepted', result: { done: true } } as const;

function own(query: LookupQuery, options: ProviderOptions, book: EffectBook): LookupReply {
  const { lookupLagMs = 0 } = options.behaviour?.(query.tool) ?? {};
  const visibleUntil = options.runtime.clock.monoMs() - lookupLagMs;
  const effect = book
    .ofKey(query.tenant, query.key)
    .find((candidate) => candidate.tool === query.tool && candidate.monoMs <= visibleUntil);
  if (effect === undefined) return { found: false };
  return { found: true, id: effect.id, result: effect.result, key: effect.key };
}

/** Undefined where there is none: it errs about whose an effect is, and denies none. */
function another(query: LookupQuery, book: EffectBook): LookupReply | undefined {
  const effect = book.effects.findLast(
    ({ tenant, tool, key }) => tenant === query.tenant && tool === query.tool && key !== query.key,
  );
  return effect && { found: true, id: effect.id, result: effect.result };
}

/** Said before anything was handled, so the key is as new as before. */
function isForgotten({ status }: ProviderReply): boolean {
  return status === 429 || status >= 500;
}

function plain({ status, error, retryAfterMs }: PlainReply): ProviderReply {
  const reply = refusal(status, error);
  return retryAfterMs === undefined ? reply : { ...reply, retryAfterMs };
}

function refusal(
  status: number,
  error: string,
  code?: string,
  neverHadEffect = false,
): ProviderReply {
  const more = {
    ...(code === undefined ? {} : { code }),
    ...(neverHadEffect ? { neverHadEffect } : {}),
  };
  return { status, body: { ok: false, error, ...more } };
}

function alreadyExists({ id, key }: Effect): ProviderReply {
  const error = 'it exists already';
  return {
    status: 422,
    body: { ok: false, error, code: 'already_exists', id, reference: key },
  };
}
