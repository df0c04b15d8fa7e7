// Callers that wait for an action to come to rest. They are told by the append that brings it there,
// not by asking again.
import { type Action } from '@action-ledger/domain';
import { type Timers } from '@action-ledger/runtime';

export interface Waiters {
  notify(action: Action): void;
  /** Everyone who waits for it looks again, without a new state (the outcome waits to be stored). */
  nudge(actionId: string): void;
  /**
   * Resolves when `isOver` holds for a state or nudge that comes later, after `waitMs`, or on abort.
   * The caller reads the state again.
   */
  wait(
    actionId: string,
    isOver: (action: Action | undefined) => boolean,
    waitMs: number,
    signal?: AbortSignal,
  ): Promise<void>;
}

export function createWaiters(timers: Timers): Waiters {
  const waiting = new Map<string, Set<(action: Action | undefined) => void>>();
  const tell = (actionId: string, action: Action | undefined): void => {
    const all = waiting.get(actionId);
    if (all === undefined) return;
    for (const each of [...all]) each(action);
  };
  return {
    notify: (action) => {
      if (waiting.size > 0) tell(action.id, action);
    },
    nudge: (actionId) => {
      tell(actionId, undefined);
    },
    wait: (actionId, isOver, waitMs, signal) =>
      new Promise((resolve) => {
        if (waitMs <= 0 || signal?.aborted === true) {
          resolve();
          return;
        }
        const all = waiting.get(actionId) ?? new Set();
        waiting.set(actionId, all);
        const finish = (): void => {
          all.delete(look);
          if (all.size === 0 && waiting.get(actionId) === all) waiting.delete(actionId);
          timer.cancel();
          signal?.removeEventListener('abort', finish);
          resolve();
        };
        const look = (action: Action | undefined): void => {
          if (isOver(action)) finish();
        };
        const timer = timers.after(waitMs, finish, { keepsAlive: true });
        all.add(look);
        signal?.addEventListener('abort', finish, { once: true });
      }),
  };
}
