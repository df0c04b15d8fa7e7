// A caller of the HTTP API, as an agent's platform should be one: a call that got no answer is sent
// again as it was, until the ledger says what became of it.
import { type Runtime } from '@action-ledger/runtime';
import { CliError } from '../cli-error.ts';
import { type Delivered, type Deliverer, type Delivery, restWithinMs } from './delivery.ts';

export interface OverHttpOptions {
  /** `http://host:port` */
  readonly url: string;
  /** The API key of a tenant, or a token. */
  readonly keyOf: (tenant: string) => Promise<string>;
  readonly runtime: Runtime;
  /** Why nobody will answer any more. */
  readonly failure?: () => Error | undefined;
}

/** A server that is started again is there within seconds. */
const giveUpMs = 120_000;
const againMs = 50;
/** Longer than the answer may be held. */
const answerWithinMs = 2 * restWithinMs;

/** @throws CliError `play.server` where there is no answer, or a caller is not let in */
export function createOverHttp(options: OverHttpOptions): Deliverer['deliver'] {
  const { clock } = options.runtime;
  return async (delivery) => {
    const key = await options.keyOf(delivery.tenant);
    const lateAt = clock.monoMs() + giveUpMs;
    for (;;) {
      const heard = await propose(options.url, key, delivery);
      if (typeof heard === 'object') return heard;
      const failure = options.failure?.();
      if (failure !== undefined) throw failure;
      if (clock.monoMs() > lateAt) throw noAnswer(options.url, heard);
      await pause(options.runtime, againMs);
    }
  };
}

/** @returns why there is no answer yet */
async function propose(url: string, key: string, delivery: Delivery): Promise<Delivered | string> {
  const { tool, arguments: args, origin } = delivery;
  try {
    const response = await fetch(new URL('/v1/actions', url), {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${key}`,
        prefer: `wait=${restWithinMs / 1_000}`,
      },
      body: JSON.stringify({ tool, arguments: args, ...origin }),
      signal: AbortSignal.timeout(answerWithinMs),
    });
    const body = (await response.json()) as Body;
    const { status } = response;
    if (status === 401 || status === 403) throw notLetIn(url, body);
    return status === 429 || status >= 500 ? `${status} ${body.code ?? ''}` : deliveredFrom(body);
  } catch (fault) {
    if (fault instanceof CliError) throw fault;
    return fault instanceof Error ? fault.message : String(fault);
  }
}

/** An answer, or a problem document that may hold one. */
interface Body extends Partial<Delivered> {
  readonly detail?: string;
  readonly answer?: Delivered;
}

function deliveredFrom(body: Body): Delivered {
  const { word, state, repeat = false, actionId, code, reason, owner } = body.answer ?? body;
  const why = reason ?? body.detail;
  return {
    word: word ?? 'refused',
    state: state ?? 'refused',
    repeat,
    ...(actionId === undefined ? {} : { actionId }),
    ...(code === undefined ? {} : { code }),
    ...(why === undefined ? {} : { reason: why }),
    ...(owner === undefined ? {} : { owner }),
  };
}

export function pause({ timers }: Runtime, ms: number): Promise<void> {
  return new Promise((resolve) => {
    timers.after(ms, resolve, { keepsAlive: true });
  });
}

function noAnswer(url: string, last: string): CliError {
  return new CliError('play.server', `${url} gives no answer (${last})`, {
    fix: 'is it the address that `action-ledger start --sandbox` has printed, and does it still run?',
  });
}

function notLetIn(url: string, { code, detail }: Body): CliError {
  return new CliError('play.server', `${url} refuses this play: ${detail ?? code ?? ''}`, {
    fix: 'name the file of that very server with --path: its keys are made there.',
  });
}
