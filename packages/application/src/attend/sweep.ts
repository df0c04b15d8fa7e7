// A look at everything open, now and then, so that a wake-up that was missed does no harm: neither one of
// this core's own, nor one by what others have appended.
import { type Timer } from '@action-ledger/runtime';
import { nextLookAt } from './due-index.ts';
import { type Parts, toolOf } from '../core/parts.ts';
import { type Pauses } from '../people/pauses.ts';
import { retryReports } from '../reports/report-door.ts';
import { completeUndos } from '../attempt/undo.ts';
import { type CompensatorDeps } from '../workflow/compensator-deps.ts';
import { sweepWorkflows } from '../workflow/open-workflows.ts';

export interface Sweep {
  readonly now: () => void;
  /** From now on every so often; once is enough. */
  readonly start: () => void;
  readonly stop: () => void;
}

export interface SweepOptions {
  readonly pauses: Pauses;
  readonly everyMs: number;
  /** Reads what others have appended. */
  readonly catchUp: () => Promise<void>;
}

export function createSweep(deps: CompensatorDeps, options: SweepOptions): Sweep {
  const { parts } = deps;
  let timer: Timer | undefined;
  let isStopped = false;
  const unlessClosing =
    (where: string) =>
    (fault: unknown): void => {
      if (!parts.isClosing()) parts.onFault(where, fault);
    };
  const lookAtOpen = (): void => {
    if (parts.duties.has('reconcile')) completeUndos(parts);
    if (parts.duties.has('compensate')) sweepWorkflows(deps);
    if (parts.duties.any()) wakeForgotten(parts);
    retryReports(parts);
  };
  const now = (): void => {
    options.pauses.refresh().catch(unlessClosing('reading the pauses'));
    if (parts.crew.isShared())
      void options.catchUp().catch(unlessClosing('reading what others appended')).then(lookAtOpen);
    else lookAtOpen();
  };
  const next = (): void => {
    timer = parts.runtime.timers.after(options.everyMs, () => {
      now();
      if (!isStopped) next();
    });
  };
  return {
    now,
    start: () => {
      if (timer === undefined && !isStopped) next();
    },
    stop: () => {
      isStopped = true;
      timer?.cancel();
    },
  };
}

function wakeForgotten(parts: Parts): void {
  const scheduled = new Set(parts.due.all());
  for (const actionId of parts.index.openActions()) {
    if (scheduled.has(actionId) || parts.runs.has(actionId) || isOfOthers(parts, actionId))
      continue;
    parts.due.set(actionId, parts.clock.nowMs());
  }
}

/** Nothing that is known of it is a duty held here. */
function isOfOthers(parts: Parts, actionId: string): boolean {
  const known = parts.actions.peek(actionId);
  if (known === undefined) return false;
  return nextLookAt(known, toolOf(parts, known)?.rules, parts.duties) === undefined;
}
