// A service over a core of this process: opened over the store, told of what others append, and closed after
// the service.
import {
  type Core,
  openServiceCore,
  type Service,
  type ServiceCore,
  type ServiceHealth,
} from '@action-ledger/application';
import { ownCoreOf, type ProcessParts, type Running } from './process-parts.ts';
import { stopTimes } from './stopping.ts';

/** @param open called when the core is caught up; what it gives is started then */
export function overOwnCore(
  parts: ProcessParts,
  open: (core: Core, follower: Service) => Running,
): Running {
  const stopping = new AbortController();
  let opened: ServiceCore | undefined;
  let inner: Running | undefined;
  const letGo = async (): Promise<void> => {
    const [started, core] = [inner, opened];
    inner = undefined;
    opened = undefined;
    try {
      await started?.stop();
    } finally {
      await core?.close();
    }
  };
  return {
    start: async () => {
      const { log, onFault } = parts;
      const { stopWithinMs } = stopTimes;
      const source = { own: ownCoreOf(parts) };
      opened = await openServiceCore(source, log, { onFault, stopWithinMs }, stopping.signal);
      const { core, follower } = opened;
      if (stopping.signal.aborted || follower === undefined) return;
      inner = open(core, follower);
      try {
        await inner.start();
      } catch (error) {
        // It may be started again.
        await letGo();
        throw error;
      }
    },
    stop: async () => {
      stopping.abort();
      await letGo();
    },
    health: () => inner?.health() ?? beforeIt(stopping.signal.aborted ? 'stopped' : 'starting'),
    urls: () => inner?.urls?.() ?? {},
  };
}

function beforeIt(condition: ServiceHealth['condition']): ServiceHealth {
  return { condition, stalledMs: 0, lag: undefined, handled: 0, deadLetters: 0 };
}
