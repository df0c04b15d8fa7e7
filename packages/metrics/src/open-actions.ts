// What is open now, by status and owner: kept from each move of an action, so that a scrape reads no
// stream. Holds the open ones alone.
import { type Action, type ActionStatus, isOpen } from '@action-ledger/domain';
import { type Sample } from './exposition.ts';

interface Open {
  readonly status: ActionStatus;
  readonly owner: string;
  /** Wall-clock ms since the epoch. */
  readonly unknownSince: number | undefined;
  readonly incidents: number;
  /** Wall-clock ms since the epoch. */
  readonly plannedAt: number;
}

export interface OpenActions {
  readonly note: (action: Action) => void;
  /** What was open before: as it was read, unless it has moved since. */
  readonly seed: (action: Action) => void;
  readonly seeded: () => void;
  readonly byStatus: () => readonly Sample[];
  readonly unknownByOwner: () => readonly Sample[];
  /** Seconds; 0 where none is unknown. */
  readonly oldestUnknown: (nowMs: number) => number;
  /** Seconds since the oldest action that waits for votes was proposed; 0 where none waits. */
  readonly oldestApproval: (nowMs: number) => number;
  readonly incidents: () => number;
}

export const openStatuses: readonly ActionStatus[] = [
  'planned',
  'awaiting_approval',
  'ready',
  'claimed',
  'dispatched',
  'unknown',
  'compensating',
  'compensation_failed',
];
/** `nobody`: that must not be. */
const owners = ['reconciler', 'operator', 'nobody'];

export function createOpenActions(): OpenActions {
  const open = new Map<string, Open>();
  const count = (holds: (each: Open) => boolean): number => [...open.values()].filter(holds).length;
  let moved: Set<string> | undefined = new Set();
  const keep = ({ id, status, watch, unknownSince, incidents, plannedAt }: Action): void => {
    const isKept = isOpen({ status }) || status === 'compensation_failed' || incidents.length > 0;
    if (!isKept) open.delete(id);
    else {
      const owner = watch?.owner ?? 'nobody';
      open.set(id, { status, owner, unknownSince, incidents: incidents.length, plannedAt });
    }
  };
  return {
    note: (action) => {
      moved?.add(action.id);
      keep(action);
    },
    seed: (action) => {
      if (moved?.has(action.id) === false) keep(action);
    },
    seeded: () => {
      moved = undefined;
    },
    byStatus: () =>
      openStatuses.map((status) => ({
        labels: { status },
        value: count((each) => each.status === status),
      })),
    unknownByOwner: () =>
      owners.map((owner) => ({
        labels: { owner },
        value: count((each) => each.status === 'unknown' && each.owner === owner),
      })),
    oldestUnknown: (nowMs) =>
      oldest(open.values(), nowMs, ({ status, unknownSince }) =>
        status === 'unknown' ? unknownSince : undefined,
      ),
    oldestApproval: (nowMs) =>
      oldest(open.values(), nowMs, ({ status, plannedAt }) =>
        status === 'awaiting_approval' ? plannedAt : undefined,
      ),
    incidents: () => [...open.values()].reduce((sum, { incidents }) => sum + incidents, 0),
  };
}

/** @param sinceOf undefined where it does not count */
function oldest(
  open: Iterable<Open>,
  nowMs: number,
  sinceOf: (each: Open) => number | undefined,
): number {
  let seconds = 0;
  for (const each of open) seconds = Math.max(seconds, (nowMs - (sinceOf(each) ?? nowMs)) / 1_000);
  return seconds;
}
