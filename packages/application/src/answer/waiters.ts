// Callers that wait for an action to come to rest. They are told by the append that brings it there,
// not by asking again.
import { type Timers } from '@action-ledger/runtime';

export interface Waiters {
  /** Everyone who waits for the action looks again: it moved, or its outcome waits to be stored. */
  notify(actionId: string): void;
  has(actionId: string): boolean;
  /** Resolves at the next `notify`, after `waitMs`, or on abort. The caller reads the state again. */
  wait(actionId: string, waitMs: number, signal?: AbortSignal): Promise<void>;
}

export function createWaiters(timers: Timers): Waiters {
  const waiting = new Map<string, Set<() => void>>();
  return {
    notify: (actionId) => {
      const all = waiting.get(actionId);
      if (all === undefined) return;
      waiting.delete(actionId);
      for (const wake of all) wake();
    },
    has: (actionId) => waiting.has(actionId),
    wait: (actionId, waitMs, signal) =>
      new Promise((resolve) => {
        const all = waiting.get(actionId) ?? new Set();
        waiting.set(actionId, all);
        const wake = (): void => {
          all.delete(wake);
          if (all.size === 0 && waiting.get(actionId) === all) waiting.delete(actionId);
          timer.cancel();
          signal?.removeEventListener('abort', wake);
          resolve();
        };
        const timer = timers.after(Math.max(0, waitMs), wake, { keepsAlive: true });
        all.add(wake);
        signal?.addEventListener('abort', wake, { once: true });
      }),
  };
}
