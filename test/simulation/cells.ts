// Which cells of the lifecycle table a simulation has met, of those that it can meet.
import {
  type ActionStatus,
  actionStatuses,
  eventTypes,
  transitionsFrom,
} from '@action-ledger/domain';
import { type Counts } from './totals.ts';

/** Cells that no run can meet, each with the reason. */
export const outOfReach: Readonly<Record<string, string>> = {};

export interface Reached {
  readonly reached: number;
  readonly all: number;
  readonly missing: readonly string[];
}

export function reachedOf(cells: Counts): Reached {
  const all = actionStatuses.flatMap((status: ActionStatus) =>
    eventTypes
      .filter((type) => transitionsFrom(status, type).length > 0)
      .map((type) => `${status} ${type}`)
      .filter((cell) => outOfReach[cell] === undefined),
  );
  const missing = all.filter((cell) => cells[cell] === undefined);
  return { reached: all.length - missing.length, all: all.length, missing };
}
