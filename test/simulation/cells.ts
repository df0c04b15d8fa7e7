// Which cells of the lifecycle table a simulation has met, of those that it can meet.
import {
  type ActionStatus,
  actionStatuses,
  type EventType,
  eventTypes,
  transitionsFrom,
} from '@action-ledger/domain';

interface OutOfReach {
  readonly types: readonly EventType[];
  readonly from: readonly ActionStatus[];
  readonly why: string;
}

const withoutSuccess: readonly ActionStatus[] = [
  'planned',
  'awaiting_approval',
  'ready',
  'claimed',
  'unknown',
  'failed',
  'denied',
  'rejected',
  'expired',
  'cancelled',
  'superseded',
];

/** Cells that the table allows, for streams of any origin, and that nothing which is simulated brings about. */
const outOfReach: readonly OutOfReach[] = [
  {
    types: ['DuplicateEffectDetected'],
    from: withoutSuccess,
    why: 'a second effect is one beside a success, which is on record before it, or reported while an attempt runs',
  },
  {
    types: ['IncidentClosed'],
    from: withoutSuccess,
    why: 'an incident is opened with a success, or while an attempt runs of which one is reported, and then it succeeds',
  },
  {
    types: ['CallJoined'],
    from: ['planned', 'awaiting_approval', 'claimed', 'dispatched'],
    why: 'calls go on record with the outcome of an attempt, or after the end of an action',
  },
  {
    types: ['CallJoined'],
    from: ['compensating', 'compensated', 'compensation_failed'],
    why: 'only steps of workflows are compensated, and those of the simulated trips no call of an agent can name',
  },
  {
    types: ['OwnerAssigned'],
    from: ['compensating', 'compensation_failed'],
    why: 'only what is unknown is handed from one owner to another; a compensation that failed has its owner from its own event',
  },
  {
    types: ['ClaimExtended'],
    from: ['claimed'],
    why: 'a lease is extended by whoever sends, from the dispatch on',
  },
];

export interface Reached {
  readonly reached: number;
  readonly all: number;
  readonly missing: readonly string[];
}

export function reachedOf(cells: Readonly<Record<string, number>>): Reached {
  const all = actionStatuses.flatMap((from: ActionStatus) =>
    eventTypes
      .filter((type) => transitionsFrom(from, type).length > 0)
      .map((type) => `${from} ${type}`)
      .filter((cell) => !isOutOfReach(cell)),
  );
  const missing = all.filter((cell) => cells[cell] === undefined);
  return { reached: all.length - missing.length, all: all.length, missing };
}

/** @param cell `status event` */
export function isOutOfReach(cell: string): boolean {
  return cellsOutOfReach.has(cell);
}

const cellsOutOfReach: ReadonlySet<string> = new Set(
  outOfReach.flatMap(({ types, from }) =>
    types.flatMap((type) => from.map((status) => `${status} ${type}`)),
  ),
);
