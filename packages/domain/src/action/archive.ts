// Archiving: of an action to which nothing is left to happen, the state is kept in one event, and its
// stream can begin with that. The state answers for the action as before: what it was, what came of it,
// and which calls know of it.
import { type CommandOf } from './command.ts';
import { accept, type Decision, type Instant, refuse, wrongStatus } from './decision.ts';
import { type ArchivedState, type EventData, type EventPlace } from './event.ts';
import { type Action, type ActionStatus, isInDoubt, newAction } from './state.ts';

/** Nothing happens to them by themselves any more. */
export const archivableStatuses = [
  'succeeded',
  'failed',
  'denied',
  'rejected',
  'expired',
  'cancelled',
  'superseded',
  'compensated',
] as const satisfies readonly ActionStatus[];

export function archiveAction(
  action: Action,
  command: CommandOf<'ArchiveAction'>,
  now: Instant,
): Decision {
  const { archived, revision } = action;
  if (!isOneOf(archivableStatuses, action.status)) return wrongStatus(action, 'archive');
  // An absolute write that a later one replaced is never looked at again.
  if (isInDoubt(action) && action.status !== 'superseded')
    return refuse('action.in-doubt', 'An attempt of it is in doubt: it is kept whole.', action);
  if (action.incidents.length > 0 || action.watch !== undefined)
    return refuse('action.status', 'A person has yet to look at it: it is kept whole.', action);
  if (archived !== undefined && archived.through + 1 === revision) return accept();
  if (revision !== command.revisionSeen)
    return refuse('action.stale-revision', 'It has moved on since it was read.', action);
  if (action.updatedAt >= command.settledBefore || action.validUntil > now.wallMs)
    return refuse('action.not-due', 'It has not rested long enough to be archived.', action);
  return accept({ type: 'ActionArchived', data: markerOf(action, command) });
}

function isOneOf(list: readonly ActionStatus[], status: ActionStatus): boolean {
  return list.includes(status);
}

function markerOf(
  action: Action,
  command: CommandOf<'ArchiveAction'>,
): EventData['ActionArchived'] {
  const { file, previousHash, position, arguments: args, outcome } = command;
  const before = action.archived?.cut ?? [];
  const cut = (['arguments', 'result'] as const).filter(
    (part) => before.includes(part) || (part === 'result' ? outcome : args) !== undefined,
  );
  const kept = {
    ...action,
    ...(args === undefined ? {} : { arguments: args }),
    ...(outcome === undefined || action.outcome === undefined
      ? {}
      : { outcome: { ...outcome, at: action.outcome.at } }),
    evidence: action.evidence.map(({ data: _data, ...item }) => item),
  };
  return {
    action: action.id,
    file,
    through: action.revision,
    previousHash,
    position,
    state: shortened(kept),
    ...(cut.length === 0 ? {} : { cut }),
  };
}

/** The event tells them itself. */
const toldByTheEvent: ReadonlySet<string> = new Set(['id', 'revision', 'archived']);

function shortened(action: Action): ArchivedState {
  const fresh: Readonly<Record<string, unknown>> = { ...newAction(action.id), status: undefined };
  const members = Object.entries(action).filter(
    ([name, value]) => !toldByTheEvent.has(name) && !isSame(fresh[name], value),
  );
  return Object.fromEntries(members) as unknown as ArchivedState;
}

/** Plain, or an empty list or object. */
function isSame(fresh: unknown, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return fresh === value;
  return typeof fresh === 'object' && Object.keys(value).length === 0;
}

/** The state is what the event says: the same whether or not what came before it is still there. */
export function archived(
  action: Action,
  { file, through, state, cut = [] }: EventData['ActionArchived'],
  { at }: Pick<EventPlace, 'at'>,
): Action {
  return { ...newAction(action.id), ...state, archived: { file, through, at, cut } };
}
