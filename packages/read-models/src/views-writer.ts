// Writes to a views file. What was folded goes into the file together with the position it reaches, so
// that a file holds exactly what the streams held up to there.
import { type DatabaseSync } from 'node:sqlite';
import { type Action, toldObserved } from '@action-ledger/domain';
import { type FoldedAction } from './action-folds.ts';
import {
  isIndexed,
  isUndoable,
  type MatchKey,
  matchText,
  needsAttention,
  reportedIds,
} from './action-index.ts';
import { type NumberedSideEntry, storedSideEntriesMax } from './side-entry.ts';
import { wouldOf } from './observed-calls.ts';
import { createFacts, type Reached } from './views-facts.ts';
import { type FoldedWorkflow } from './workflow-folds.ts';
import { createWorkflowWriter } from './workflow-views.ts';

interface Batch {
  readonly actions: Iterable<FoldedAction>;
  readonly workflows: Iterable<FoldedWorkflow>;
  readonly reached: Reached;
}

export interface ViewsWriter {
  /** Within a transaction of the caller's. */
  write(batch: Batch): void;
  writeSideEntries(entries: readonly NumberedSideEntry[]): void;
}

const upsert = `
  insert into actions (position, action, tenant, tool, run, epoch, guarantee, planned_at, status,
    attempts, updated_at, revision, owner, next_check_at, unknown_since, downstream_key, external_id,
    outcome_at, incidents, needs_attention, observed, would)
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  on conflict (position) do update set status = excluded.status, attempts = excluded.attempts,
    updated_at = excluded.updated_at, revision = excluded.revision, owner = excluded.owner,
    next_check_at = excluded.next_check_at, unknown_since = excluded.unknown_since,
    downstream_key = excluded.downstream_key, external_id = excluded.external_id,
    outcome_at = excluded.outcome_at, incidents = excluded.incidents,
    needs_attention = excluded.needs_attention`;

/** @param matchesOf by which an undoer can find an action */
export function createViewsWriter(
  db: DatabaseSync,
  matchesOf: (action: Action) => readonly MatchKey[],
): ViewsWriter {
  const facts = createFacts(db);
  const put = db.prepare(upsert);
  const writeWorkflow = createWorkflowWriter(db);
  const addUndoable = db.prepare('insert or ignore into undoable (match, position) values (?, ?)');
  const dropUndoable = db.prepare('delete from undoable where match = ? and position = ?');
  const addReportedId = db.prepare(
    'insert or ignore into reported_ids (external_id, position) values (?, ?)',
  );
  const addSide = db.prepare('insert or ignore into side_entries (number, entry) values (?, ?)');
  const trimSides = db.prepare(
    'delete from side_entries where number <= (select max(number) from side_entries) - ?',
  );

  const writeAction = (folded: FoldedAction): void => {
    const { position, action } = folded;
    put.run(...valuesOf(folded));
    for (const id of reportedIds(action)) addReportedId.run(id, position);
    for (const match of matchesOf(action)) {
      const change = isUndoable(action) ? addUndoable : dropUndoable;
      change.run(matchText(match), position);
    }
  };

  return {
    write: ({ actions, workflows, reached }) => {
      for (const each of actions) if (isIndexed(each.action)) passOverDamage(each, writeAction);
      for (const each of workflows) passOverDamage(each, writeWorkflow);
      facts.keepReached(reached);
    },
    writeSideEntries: (entries) => {
      for (const { number, entry } of entries) addSide.run(number, JSON.stringify(entry));
      trimSides.run(storedSideEntriesMax);
    },
  };
}

function valuesOf({ position, action }: FoldedAction): readonly (string | number | null)[] {
  const { outcome } = action;
  return [
    position,
    action.id,
    action.tenant,
    action.tool,
    action.calls[0]?.run ?? null,
    action.epoch,
    action.guarantee,
    action.plannedAt,
    action.status,
    action.attempts.length,
    action.updatedAt,
    action.revision,
    ...watchOf(action),
    action.downstreamKey ?? null,
    outcome?.externalId ?? null,
    outcome?.at ?? null,
    action.incidents.length,
    needsAttention(action) ? 1 : 0,
    action.observed === undefined ? null : JSON.stringify(toldObserved(action.observed)),
    wouldOf(action) ?? null,
  ];
}

function watchOf({ watch, unknownSince }: Action): readonly (string | number | null)[] {
  return [watch?.owner ?? null, watch?.nextCheckAt ?? null, unknownSince ?? null];
}

/** An edited event may put anything in place of a text or a number; it must not stop the others. */
function passOverDamage<Folded>(folded: Folded, write: (folded: Folded) => void): void {
  try {
    write(folded);
  } catch (error) {
    if (!isUnfit(error)) throw error;
  }
}

/** Of a type that SQLite does not take, or that the column does not. */
function isUnfit(error: unknown): boolean {
  if (error instanceof TypeError) return true;
  const { code, errcode } = error as { readonly code?: unknown; readonly errcode?: unknown };
  if (code === 'ERR_INVALID_ARG_TYPE') return true;
  return typeof errcode === 'number' && (errcode & 0xff) === constraintFailed;
}

/** SQLITE_CONSTRAINT (https://sqlite.org/rescode.html). */
const constraintFailed = 19;
