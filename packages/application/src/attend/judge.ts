// The judge watches doubt by this process's monotonic clock: how long ago it first saw the last
// dispatch in doubt, and the first dispatch. A restart begins every wait again (DESIGN.md section 5).
import { type Action, type Watched } from '@action-ledger/domain';
import { type LedgerClock } from '../core/ledger-clock.ts';

export interface Judge {
  /** Told of every state of an action that this process sees. */
  see(action: Action): void;
  /** `atMono`: for a lookup, when it was sent. */
  watched(action: Action, atMono?: number): Watched;
  /**
   * Ms until a planned action may be sent: its undo window, or the pause before a retry. By both
   * clocks from the first look on, so that a jump of the wall clock cuts nothing short.
   */
  readyInMs(action: Action): number;
  /** The action is at rest: nothing is waited for before a send. */
  forget(actionId: string): void;
}

interface Sight {
  readonly lastDoubt: number;
  readonly doubtSince: number;
  readonly firstDispatchSince: number;
}

interface Wait {
  readonly readyAt: number;
  readonly untilMono: number;
}

export function createJudge(clock: LedgerClock): Judge {
  const sights = new Map<string, Sight>();
  const waits = new Map<string, Wait>();
  const opened = clock.monoMs();
  const see = (action: Action): Sight | undefined => {
    if (!action.attempts.some(({ state }) => state === 'in doubt' || state === 'running')) {
      sights.delete(action.id);
      return undefined;
    }
    const known = sights.get(action.id);
    const last = action.attempts.findLast(({ state }) => state === 'in doubt');
    const lastDoubt = last?.attempt ?? 0;
    if (known?.lastDoubt === lastDoubt) return known;
    // What is presumed was sent by a process that is gone, before this one began.
    const since = last?.presumed === undefined ? clock.monoMs() : opened;
    const sight = {
      lastDoubt,
      doubtSince: since,
      firstDispatchSince: known?.firstDispatchSince ?? since,
    };
    sights.set(action.id, sight);
    return sight;
  };
  return {
    see: (action) => {
      if (action.attempts.length > 0) see(action);
    },
    watched: (action, atMono = clock.monoMs()) => {
      const sight = see(action);
      if (sight === undefined) return { doubtMs: 0, firstDispatchMs: 0 };
      return {
        doubtMs: atMono - sight.doubtSince,
        firstDispatchMs: atMono - sight.firstDispatchSince,
      };
    },
    readyInMs: ({ id, readyAt }) => {
      const known = waits.get(id);
      const byWall = readyAt - clock.nowMs();
      const byMono = known?.readyAt === readyAt ? known.untilMono - clock.monoMs() : byWall;
      const left = Math.max(0, Math.ceil(Math.max(byWall, byMono)));
      if (left === 0) waits.delete(id);
      else if (known?.readyAt !== readyAt)
        waits.set(id, { readyAt, untilMono: clock.monoMs() + left });
      return left;
    },
    forget: (actionId) => {
      waits.delete(actionId);
    },
  };
}
