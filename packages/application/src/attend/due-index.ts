// Which open action needs a look, and when. Held in memory, rebuilt from the open actions at start; a
// missed wake-up is harmless, because the sweep looks at everything open again.
import { type Action, type ToolRules } from '@action-ledger/domain';
import { type Timer, type Timers } from '@action-ledger/runtime';
import { type Duties } from '../core/duties.ts';
import { type LedgerClock } from '../core/ledger-clock.ts';

export interface DueIndex {
  /** `undefined`: nothing is due for it any more. */
  set(actionId: string, dueAt: number | undefined): void;
  size(): number;
  /** Everything that is in the index, due or not. */
  all(): readonly string[];
  stop(): void;
}

/** At most so many actions are woken in one turn of the loop. */
const wakesPerTurnMax = 256;

export function createDueIndex(
  clock: LedgerClock,
  timers: Timers,
  onDue: (actionId: string) => void,
): DueIndex {
  const due = new Map<string, number>();
  let timer: Timer | undefined;
  let timerAt = Infinity;
  let stopped = false;

  const arm = (at: number): void => {
    if (stopped || at >= timerAt) return;
    timer?.cancel();
    timerAt = at;
    timer = timers.after(Math.max(0, Math.ceil(at - clock.nowMs())), wake);
  };
  const wake = (): void => {
    timerAt = Infinity;
    const now = clock.nowMs();
    let next = Infinity;
    let woken = 0;
    for (const [actionId, at] of due) {
      if (at > now || woken >= wakesPerTurnMax) {
        next = Math.min(next, at);
        continue;
      }
      woken += 1;
      due.delete(actionId);
      onDue(actionId);
    }
    if (next < Infinity) arm(next);
  };
  return {
    set: (actionId, dueAt) => {
      if (dueAt === undefined) {
        due.delete(actionId);
        return;
      }
      due.set(actionId, dueAt);
      arm(dueAt);
    },
    size: () => due.size,
    all: () => [...due.keys()],
    stop: () => {
      stopped = true;
      timer?.cancel();
    },
  };
}

/** So long its editor has for the second half, before the sweep does it. */
const editLookMs = 1_000;

/**
 * When an action needs a look next, by its own state and the duties held here. Wall-clock ms; undefined
 * when it is at rest, or others look after it.
 * @param rules of its tool; undefined where that is not served here
 */
export function nextLookAt(
  action: Action,
  rules: ToolRules | undefined,
  duties: Duties,
): number | undefined {
  if (action.status === 'compensating')
    return duties.has('compensate')
      ? action.updatedAt + (rules?.checks.intervalMinMs ?? 5_000)
      : undefined;
  const isToSend = action.status === 'planned' || action.status === 'ready';
  if (isToSend && duties.has('send') && rules !== undefined)
    return Math.min(action.after === undefined ? action.readyAt : Infinity, action.validUntil);
  return duties.has('reconcile') ? nextCheckOf(action) : undefined;
}

/** For what is left of it once its time has come, without sending it. */
function nextCheckOf(action: Action): number | undefined {
  switch (action.status) {
    case 'planned':
    case 'ready':
      return action.validUntil;
    case 'awaiting_approval':
      return Math.min(action.approval?.expiresAt ?? action.validUntil, action.validUntil);
    case 'claimed':
    case 'dispatched':
      return action.claim?.leaseUntil ?? action.updatedAt;
    case 'unknown':
      return action.watch?.nextCheckAt ?? action.updatedAt;
    case 'cancelled':
      return action.edited === undefined ? undefined : action.updatedAt + editLookMs;
    case 'compensating':
    case 'new':
    case 'reserved':
    case 'succeeded':
    case 'failed':
    case 'denied':
    case 'rejected':
    case 'expired':
    case 'superseded':
    case 'compensated':
    case 'compensation_failed':
      return undefined;
  }
}
