// How a sender sees its connection to the provider: waits that it can give up, and breaks. Giving up
// never stops the provider's own work.
import { type Runtime } from '@action-ledger/runtime';
import { ConnectionLost } from './wire.ts';

export function pause(runtime: Runtime, ms: number | undefined): Promise<void> {
  if (ms === undefined || ms <= 0) return Promise.resolve();
  return new Promise((resolve) => {
    runtime.timers.after(ms, resolve);
  });
}

/** No reply comes. @throws the signal's reason, or ConnectionLost after `ms`. */
export async function silence(
  runtime: Runtime,
  ms: number,
  signal: AbortSignal | undefined,
): Promise<never> {
  await orAborted(pause(runtime, ms), signal);
  throw lostConnection();
}

/** The work's end, or the signal's reason as soon as its sender gives up. */
export function orAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    const giveUp = (): void => {
      reject(asError(signal.reason));
    };
    if (signal.aborted) giveUp();
    signal.addEventListener('abort', giveUp, { once: true });
    work.then(resolve, reject).finally(() => {
      signal.removeEventListener('abort', giveUp);
    });
  });
}

/** Goes on without anybody waiting: a broken connection is nobody's news, a bug still is. */
export function detach(work: Promise<unknown>): void {
  work.catch((error: unknown) => {
    if (!(error instanceof ConnectionLost)) throw error;
  });
}

export function lostConnection(): ConnectionLost {
  return new ConnectionLost('the connection to the provider ended without a reply');
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}
