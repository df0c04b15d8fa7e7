// The sandbox provider: the outside world for plays, demos and tests, in memory and on a clock that is
// passed in. It counts the effects that really happened, offers what real providers offer (key memory,
// lookups, absolute writes, webhooks) and goes wrong in the ways it is told to.
import { type ProviderOptions } from './behaviour.ts';
import { detach, lostConnection, orAborted, silence } from './connection.ts';
import { createDesk } from './desk.ts';
import { createEffectBook, type Effect, type EffectBook } from './effect-book.ts';
import { type ProviderPort } from './wire.ts';

export interface SandboxProvider
  extends ProviderPort, Pick<EffectBook, 'arrivals' | 'endState' | 'ofKey' | 'tally' | 'tallyOf'> {
  /** In the order they were committed. */
  effects(of?: { readonly tenant?: string; readonly tool?: string }): readonly Effect[];
}

const defaults = { silenceMs: 600_000, arrivalsMax: 100_000 };

export function createProvider(options: ProviderOptions): SandboxProvider {
  const { runtime, silenceMs = defaults.silenceMs } = options;
  const book = createEffectBook(options.arrivalsMax ?? defaults.arrivalsMax);
  const desk = createDesk(options, book);
  return {
    arrivals: book.arrivals,
    endState: book.endState,
    ofKey: book.ofKey,
    tally: book.tally,
    tallyOf: book.tallyOf,
    effects: ({ tenant, tool } = {}) =>
      book.effects.filter(
        (effect) =>
          (tenant === undefined || effect.tenant === tenant) &&
          (tool === undefined || effect.tool === tool),
      ),
    async send(request, signal) {
      const fault = options.fault?.(request) ?? {};
      const reply = fault.requestLost === true ? neverArriving() : desk.handle(request, fault);
      if (fault.connection !== undefined) detach(reply);
      if (fault.connection === 'silent') return silence(runtime, silenceMs, signal);
      const breaksAtOnce = fault.requestLost === true || fault.arriveAfterMs !== undefined;
      if (fault.connection === 'dropped' && breaksAtOnce) throw lostConnection();
      const received = await orAborted(reply, signal);
      if (fault.connection === 'dropped') throw lostConnection();
      return received;
    },
    lookUp: (query, signal) => orAborted(desk.lookUp(query), signal),
  };
}

function neverArriving(): Promise<never> {
  return new Promise(() => undefined);
}
