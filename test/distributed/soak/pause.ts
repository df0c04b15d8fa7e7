import { type Runtime } from '@action-ledger/runtime';

export function pause({ timers }: Pick<Runtime, 'timers'>, ms: number): Promise<void> {
  return new Promise((resolve) => {
    timers.after(ms, resolve, { keepsAlive: true });
  });
}
