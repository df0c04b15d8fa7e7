// Whether the store that a process works over went back in time: that is said once. When a person has confirmed it, what
// the process has read before may be of the lost time.
import { type EventStore } from '@action-ledger/event-store';
import { type Runtime, type Timer } from '@action-ledger/runtime';
import { type ProcessLogger } from './logger.ts';

export interface SeeConditionDeps {
  readonly store: Pick<EventStore, 'condition'>;
  readonly runtime: Pick<Runtime, 'timers'>;
  readonly logger: Pick<ProcessLogger, 'error' | 'warn'>;
}

const seeConditionMs = 500;

/** @param onOutdated called once, where it is to be opened anew */
export function seeCondition(
  { store, runtime, logger }: SeeConditionDeps,
  onOutdated: () => void,
): { readonly cancel: () => void } {
  let timer: Timer | undefined;
  let isTold = false;
  const look = (): void => {
    const now = store.condition();
    if (now.kind === 'ready') isTold = false;
    else if (now.isConfirmed === true) {
      logger.warn({}, 'what the store has lost was confirmed: beginning anew');
      onOutdated();
      return;
    } else if (!isTold) {
      isTold = true;
      logger.error({ reason: now.reason }, 'recovering: nothing new is recorded or sent');
    }
    timer = runtime.timers.after(seeConditionMs, look);
  };
  look();
  return { cancel: () => timer?.cancel() };
}
