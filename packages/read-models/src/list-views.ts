// Which actions a list shows, asked of the views file beside a store instead of folding all of its events:
// for a process that only reads. What was recorded since the file was written is folded from its streams.
import { type Action, actionOfStream } from '@action-ledger/domain';
import { type EventStore } from '@action-ledger/event-store';
import { type DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { foldThrough } from './action-folds.ts';
import { isIndexed, needsAttention } from './action-index.ts';
import { createFacts } from './views-facts.ts';
import { connectToViews, continues } from './views-file.ts';

export interface ViewsListFilter {
  readonly tenant?: string;
  readonly tool?: string;
  readonly status?: string;
  /** Only those that `openActions` names. */
  readonly open?: boolean;
}

export interface ViewsList {
  /** Newest first by when they were planned, at most so many as were asked for. */
  readonly shown: readonly { readonly action: string; readonly revision: number }[];
  /** How many the filter fits. */
  readonly matching: number;
  /** How many there are. */
  readonly all: number;
}

export interface ListViewsOptions {
  readonly viewsPath: string;
  readonly store: EventStore;
  readonly filter: ViewsListFilter;
  readonly limit: number;
}

/** Further behind, folding the store is no worse. */
const behindMax = 2_000;

/**
 * @returns undefined where the file is missing, damaged, of another version or another store, or too far
 *   behind: then the store is to be folded.
 */
export async function listFromViews(options: ListViewsOptions): Promise<ViewsList | undefined> {
  let db: DatabaseSync | undefined;
  try {
    db = connectToViews(options.viewsPath, { readOnly: true });
    // One state of the file throughout, whatever is written meanwhile.
    db.exec('begin');
    if (!(await continues(options.store, db))) return undefined;
    const later = await readLater(options.store, createFacts(db).reached().position);
    return later && listOf(db, later, options);
  } catch {
    return undefined;
  } finally {
    db?.close();
  }
}

/** Actions with events after the position, as they stand now. */
async function readLater(
  store: EventStore,
  position: number,
): Promise<ReadonlyMap<string, Action> | undefined> {
  const head = await store.head();
  if (head - position > behindMax) return undefined;
  const ids = new Set<string>();
  for (let after = position; after < head;) {
    const events = await store.readAll({ after, max: behindMax });
    const last = events.at(-1);
    if (last === undefined) break;
    for (const { stream } of events) {
      const actionId = actionOfStream(stream);
      if (actionId !== undefined) ids.add(actionId);
    }
    after = last.position;
  }
  const later = new Map<string, Action>();
  for (const id of ids) later.set(id, await foldThrough(store, id, head));
  return later;
}

function listOf(
  db: DatabaseSync,
  later: ReadonlyMap<string, Action>,
  { filter, limit }: ListViewsOptions,
): ViewsList {
  const indexed = [...later.values()].filter(isIndexed);
  const fitting = indexed.filter((action) => fits(action, filter));
  const own = conditionOf(filter, [...later.keys()]);
  const any = conditionOf({}, [...later.keys()]);
  const rows = db
    .prepare(
      `select action, revision, planned_at as plannedAt from actions where ${own.sql} order by position desc limit ?`,
    )
    .all(...own.values, limit) as unknown as readonly Planned[];
  const shown = [...fitting.map(plannedOf), ...rows]
    .sort((a, b) => b.plannedAt - a.plannedAt)
    .slice(0, limit);
  return {
    shown: shown.map(({ action, revision }) => ({ action, revision })),
    matching: countOf(db, own) + fitting.length,
    all: countOf(db, any) + indexed.length,
  };
}

interface Planned {
  readonly action: string;
  readonly revision: number;
  readonly plannedAt: number;
}

function plannedOf({ id: action, revision, plannedAt }: Action): Planned {
  return { action, revision, plannedAt };
}

interface Condition {
  readonly sql: string;
  readonly values: readonly SQLInputValue[];
}

/** @param without actions that stand otherwise by now */
function conditionOf(filter: ViewsListFilter, without: readonly string[]): Condition {
  const { tenant, tool, status, open } = filter;
  const terms: [string, string | undefined][] = [
    ['tenant = ?', tenant],
    ['tool = ?', tool],
    ['status = ?', status],
  ];
  const given = terms.filter((term): term is [string, string] => term[1] !== undefined);
  const conditions = ['true', ...given.map(([condition]) => condition)];
  const values: SQLInputValue[] = given.map(([, value]) => value);
  if (open === true) conditions.push('needs_attention = 1');
  // The partial indexes by status hold all but this one.
  if (status !== undefined && status !== 'succeeded') conditions.push(`status <> 'succeeded'`);
  if (without.length > 0) {
    conditions.push('action not in (select value from json_each(?))');
    values.push(JSON.stringify(without));
  }
  return { sql: conditions.join(' and '), values };
}

function countOf(db: DatabaseSync, { sql, values }: Condition): number {
  const row = db.prepare(`select count(*) as number from actions where ${sql}`).get(...values);
  return Number(row?.['number'] ?? 0);
}

function fits(action: Action, { tenant, tool, status, open }: ViewsListFilter): boolean {
  return (
    (tenant === undefined || action.tenant === tenant) &&
    (tool === undefined || action.tool === tool) &&
    (status === undefined || action.status === status) &&
    (open !== true || needsAttention(action))
  );
}
