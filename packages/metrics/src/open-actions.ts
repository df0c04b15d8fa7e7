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
const owners = ['reconciler', 'operator'];

export function createOpenActions(): OpenActions {
  const open = new Map<string, Open>();
  const count = (holds: (each: Open) => boolean): number => [...open.values()].filter(holds).length;
  let moved: Set<string> | undefined = new Set();
  const keep = ({ id, status, watch, unknownSince, incidents }: Action): void => {
    const isKept = isOpen({ status }) || status === 'compensation_failed' || incidents.length > 0;
    if (!isKept) open.delete(id);
    else {
      const owner = watch?.owner ?? '';
      open.set(id, { status, owner, unknownSince, incidents: incidents.length });
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
    oldestUnknown: (nowMs) => {
      const since = [...open.values()]
        .filter(({ status }) => status === 'unknown')
        .map(({ unknownSince = nowMs }) => unknownSince);
      return since.reduce((oldest, each) => Math.max(oldest, (nowMs - each) / 1_000), 0);
    },
    incidents: () => [...open.values()].reduce((sum, { incidents }) => sum + incidents, 0),
  };
}
