// The lifecycle as a table: every event in every status. A missing cell does not compile. `evolve`
// refuses whatever the table does not allow, so a stream that breaks it is known to be damaged.
import { archivableStatuses } from './archive.ts';
import { type EventType } from './event.ts';
import { type ActionStatus } from './state.ts';

const columns = [
  'new',
  'reserved',
  'planned',
  'awaiting_approval',
  'ready',
  'claimed',
  'dispatched',
  'unknown',
  'succeeded',
  'failed',
  'denied',
  'rejected',
  'expired',
  'cancelled',
  'superseded',
  'compensating',
  'compensated',
  'compensation_failed',
] as const satisfies readonly ActionStatus[];

const letters = {
  P: 'planned',
  A: 'awaiting_approval',
  R: 'ready',
  C: 'claimed',
  D: 'dispatched',
  U: 'unknown',
  S: 'succeeded',
  F: 'failed',
  X: 'denied',
  J: 'rejected',
  E: 'expired',
  K: 'cancelled',
  Z: 'superseded',
  G: 'compensating',
  O: 'compensated',
  Q: 'compensation_failed',
  V: 'reserved',
} as const satisfies Readonly<Record<string, ActionStatus>>;

type Letter = keyof typeof letters;
/** Refused · stays · goes to any in which an action can be archived · to one of the named statuses. */
type Cell = '.' | '=' | '*' | Letter | `${Letter}${Letter}`;
type RowOf<Columns extends readonly unknown[]> = { readonly [Index in keyof Columns]: Cell };
type Row = RowOf<typeof columns>;

// prettier-ignore
const table: { readonly [Type in EventType]: Row } = {
  //                        new  resv plan wait redy clmd disp unkn succ fail deny rjct expd cncl supr cpsg cpsd cpsf
  ActionPlanned:           ['PR', '.', '.', '.', '.', '.', '.', '.', '.', '.', '.', '.', '.', '.', '.', '.', '.', '.'],
  ActionDenied:            ['.', '.', 'X', '.', 'X', '.', '.', '.', '.', '.', '.', '.', '.', '.', '.', '.', '.', '.'],
  ApprovalRequested:       ['.', '.', 'A', '.', 'A', '.', '.', '.', '.', '.', '.', '.', '.', '.', '.', '.', '.', '.'],
  ApprovalVoted:           ['.', '.', '.', '=', '.', '.', '.', '.', '.', '.', '.', '.', '.', '.', '.', '.', '.', '.'],
  ActionApproved:          ['.', '.', '.', 'PR', '.', '.', '.', '.', '.', '.', '.', '.', '.', '.', '.', '.', '.', '.'],
  ActionRejected:          ['.', '.', '.', 'J', '.', '.', '.', '.', '.', '.', '.', '.', '.', '.', '.', '.', '.', '.'],
  ActionExpired:           ['.', '.', 'E', 'E', 'E', '.', '.', '.', '.', '.', '.', '.', '.', '.', '.', '.', '.', '.'],
  ActionCancelled:         ['.', '.', 'K', 'K', 'K', 'K', '.', '.', '.', '.', '.', '.', '.', '.', '.', '.', '.', '.'],
  ActionClaimed:           ['.', '.', 'C', '.', 'C', '.', '.', 'C', '.', '.', '.', '.', '.', '.', '.', '.', '.', '.'],
  ClaimExtended:           ['.', '.', '.', '.', '.', '=', '=', '.', '.', '.', '.', '.', '.', '.', '.', '.', '.', '.'],
  ClaimEnded:              ['.', '.', '.', '.', '.', 'RU', '.', '.', '.', '.', '.', '.', '.', '.', '.', '.', '.', '.'],
  ActionDispatched:        ['.', '.', '.', '.', '.', 'D', '.', '.', '.', '.', '.', '.', '.', '.', '.', '.', '.', '.'],
  AttemptPresumed:         ['.', '.', 'U', 'U', 'U', 'U', '.', '=', '.', '.', '.', '.', '.', '.', '.', '.', '.', '.'],
  RetryPlanned:            ['.', '.', '.', '.', '.', '.', 'R', '.', '.', '.', '.', '.', '.', '.', '.', '.', '.', '.'],
  AttemptNotSent:          ['.', '.', '.', '.', '.', '.', 'RU', '.', '.', '.', '.', '.', '.', '.', '.', '.', '.', '.'],
  AttemptRefused:          ['.', '.', '.', '.', '.', '.', 'U', '.', '.', '.', '.', '.', '.', '.', '.', '.', '.', '.'],
  ActionSucceeded:         ['.', '.', 'S', 'S', 'S', 'S', 'S', 'S', '.', 'S', 'S', 'S', 'S', 'S', 'S', '.', '.', '.'],
  ActionFailed:            ['.', '.', '.', '.', 'F', '.', 'F', 'F', '.', '.', '.', '.', '.', '.', '.', '.', '.', '.'],
  ActionOutcomeUnknown:    ['.', '.', '.', '.', '.', '.', 'U', '.', '.', '.', '.', '.', '.', '.', '.', '.', '.', '.'],
  ReconciliationChecked:   ['.', '.', '.', '.', '.', '.', '.', '=', '.', '.', '.', '.', '.', '.', '.', '.', '.', '.'],
  ActionReconciled:        ['.', '.', '.', '.', '.', '.', '.', 'SR', '.', '.', '.', '.', '.', '.', '.', '.', '.', '.'],
  OwnerAssigned:           ['.', '.', '.', '.', '.', '.', '.', '=', '.', '.', '.', '.', '.', '.', '.', '=', '.', '='],
  EvidenceRecorded:        ['.', '.', '=', '=', '=', '=', '=', '=', '=', '=', '=', '=', '=', '=', '=', '=', '=', '='],
  DuplicateEffectDetected: ['.', '.', '=', '=', '=', '=', '=', '=', '=', '=', '=', '=', '=', '=', '=', '=', '=', '='],
  CallJoined:              ['.', '.', '=', '=', '=', '=', '=', '=', '=', '=', '=', '=', '=', '=', '=', '=', '=', '='],
  ActionUndone:            ['.', '.', '.', '.', '.', '.', '.', '.', '=', '.', '.', '.', '.', '.', '.', '.', '.', '='],
  CompensationPlanned:     ['.', '.', '.', '.', '.', '.', '.', '.', 'G', '.', '.', '.', '.', '.', '.', '.', '.', 'G'],
  ActionCompensated:       ['.', '.', '.', '.', '.', '.', '.', '.', '.', '.', '.', '.', '.', '.', '.', 'O', '.', 'O'],
  CompensationFailed:      ['.', '.', '.', '.', '.', '.', '.', '.', '.', '.', '.', '.', '.', '.', '.', 'Q', '.', '.'],
  CancelRequested:         ['.', '.', '.', '.', '.', '=', '=', '=', '.', '.', '.', '.', '.', '.', '.', '.', '.', '.'],
  ActionSuperseded:        ['.', '.', '.', '.', '.', '.', '.', 'Z', '.', '.', '.', '.', '.', '.', '.', '.', '.', '.'],
  IncidentOpened:          ['.', '.', '.', '.', '.', '.', '=', '.', '=', '.', '.', '.', '.', '.', '.', '.', '.', '.'],
  IncidentClosed:          ['.', '.', '=', '=', '=', '=', '=', '=', '=', '=', '=', '=', '=', '=', '=', '=', '=', '='],
  ActionArchived:          ['*', '.', '.', '.', '.', '.', '.', '.', '=', '=', '=', '=', '=', '=', '=', '.', '=', '.'],
  NameReserved:            ['V', '.', '.', '.', '.', '.', '.', '.', '.', '.', '.', '.', '.', '.', '.', '.', '.', '.'],
};

/** Where `type` may lead from `from`; empty where it is refused. */
export function transitionsFrom(from: ActionStatus, type: EventType): readonly ActionStatus[] {
  return expanded[type][from];
}

/** Not so for an event that a newer version wrote, or that was tampered with. */
export function isEventType(type: string): type is EventType {
  return Object.hasOwn(table, type);
}

const expanded = expandTable();

function expandTable(): Readonly<Record<EventType, Record<ActionStatus, readonly ActionStatus[]>>> {
  const rows = Object.entries(table).map(([type, row]) => [
    type,
    Object.fromEntries(columns.map((from, column) => [from, targets(from, row[column] ?? '.')])),
  ]);
  return Object.fromEntries(rows) as Record<
    EventType,
    Record<ActionStatus, readonly ActionStatus[]>
  >;
}

function targets(from: ActionStatus, cell: Cell): readonly ActionStatus[] {
  if (cell === '.') return [];
  if (cell === '=') return [from];
  if (cell === '*') return archivableStatuses;
  return Array.from(cell, (letter) => letters[letter as Letter]);
}

export const actionStatuses: readonly ActionStatus[] = columns;
export const eventTypes = Object.keys(table) as readonly EventType[];
