// How pauses meet the rest of a ledger: what is refused, what a burst brings about, and that what was
// held back goes on when a pause ends.
import { type ActionRefusalCode, canonicalJson, type Refusal } from '@action-ledger/domain';
import { type BurstLimit, createBurstWatch, createSharedBurstWatch } from './burst-watch.ts';
import { checkRequest, pauseShape, resumeShape } from '../core/check-request.ts';
import { type OnFault } from '../core/host-functions.ts';
import { type LedgerClock } from '../core/ledger-clock.ts';
import { type Parts } from '../core/parts.ts';
import {
  type Pause,
  type PauseRefusalCode,
  type PauseRequest,
  type Pauses,
  type ResumeRequest,
  type ToolScope,
} from './pauses.ts';

/** Asked on every call: first what is on record, then the program around the ledger. */
export function anyPause(pauses: Pauses, gate: Parts['whyPaused']): Parts['whyPaused'] {
  return (tenant, tool) => pauses.why(tenant, tool) ?? gate(tenant, tool);
}

export interface BurstOptions {
  /**
   * So many unknown outcomes of a tool within the time pause it for their tenant; for every tenant where no
   * more than half of them (rounded up) are one tenant's. Default: none do.
   */
  readonly pauseOnBurst?: BurstLimit;
}

/** @returns to be told of each unknown outcome of a tool */
export function pauseOnBurst(
  { pauseOnBurst: limit }: BurstOptions,
  clock: Pick<LedgerClock, 'monoMs'>,
  pauses: Pauses,
  onFault: OnFault,
): Parts['sawUnknown'] {
  if (limit === undefined) return () => undefined;
  const isBurst = createBurstWatch(clock, limit);
  const isSharedBurst = createSharedBurstWatch(clock, limit);
  const within = `were not known within ${Math.ceil(limit.withinMs / 1_000)} s`;
  const pause = (scope: ToolScope, reason: string): void => {
    pauses.pause({ ...scope, by: 'ledger', reason }).catch((fault: unknown) => {
      onFault(`pausing ${scope.tool}`, fault);
    });
  };
  return ({ tenant, tool, isShared }) => {
    const isOwn = isBurst(canonicalJson([tenant, tool, isShared]));
    if (isShared && isSharedBurst(tool, tenant))
      pause({ tool }, `${Math.max(2, limit.unknowns)} outcomes of several tenants ${within}`);
    // What one tenant sends can be what its provider stumbles over: it holds up no other.
    else if (isOwn) pause({ tenant, tool }, `${limit.unknowns} outcomes ${within}`);
  };
}

export interface Pausing {
  /**
   * New proposals of the scope are refused and nothing of it is sent; repeats and lookups go on.
   * @throws StoreFault
   */
  pause(request: PauseRequest): Promise<PauseAnswer>;
  resume(request: ResumeRequest): Promise<PauseAnswer>;
  /** Oldest first. */
  pauses(): readonly Pause[];
}

export type PauseAnswer = Pause | Refusal<PauseRefusalCode | ActionRefusalCode>;

export function pausing(pauses: Pauses, goOn: () => void): Pausing {
  return {
    pause: async (request) => checkRequest(request, pauseShape) ?? pauses.pause(request),
    resume: async (request) => {
      const misfit = checkRequest(request, resumeShape);
      if (misfit !== undefined) return misfit;
      const ended = await pauses.resume(request);
      // What waited is looked at now, and not with the next sweep.
      goOn();
      return ended;
    },
    pauses: () => pauses.list(),
  };
}
