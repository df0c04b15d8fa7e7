// The index in a file of its own, beside the store and rebuilt from it whenever it is missing, old
// or damaged. A note costs an entry in memory; the file is written in the background, in few
// transactions, and by another thread where there is much to write. Answers join both, so they are
// never behind what was noted.
import { type EventStore } from '@action-ledger/event-store';
import {
  type ActionIndex,
  type ActionRow,
  knownAsMax,
  type ListFilter,
  matchText,
  type ProviderName,
  providerNameText,
  type UnknownFilter,
} from './action-index.ts';
import { createFollower, servingPace, type ViewsFollower } from './follow-store.ts';
import { createObservedViews } from './observed-views.ts';
import { createOverlay, listNoted, type Overlay } from './overlay.ts';
import { type NumberedSideEntry, type SideEntry } from './side-entry.ts';
import { openViewsFile, type ViewsFileOptions } from './views-file.ts';
import { type ActionRevision, createViewsReader, type ViewsReader } from './views-reader.ts';
import { type Timers, ViewsWriting } from './views-writing.ts';
import { firstUnknowns, isListedUnknown } from './unknowns.ts';
import { createWorkflowViews } from './workflow-views.ts';

export interface SqliteActionIndexOptions extends ViewsFileOptions {
  readonly store: EventStore;
  readonly runtime: { readonly timers: Timers };
  /**
   * Starts following the store in a thread of its own, on this file; asked once, when there is
   * enough to write. Undefined where that cannot be done: this thread goes on writing.
   */
  readonly startFollower?: () => ViewsFollower | undefined;
  /** Writing failed and is tried again; answers stay right, but memory grows meanwhile. */
  readonly onFault?: (where: string, fault: unknown) => void;
}

export interface SqliteActionIndex extends ActionIndex {
  /** Written with the next batch; of those not written yet as many are held as the file keeps. */
  addSideEntries(entries: readonly SideEntry[]): void;
  /** Newest first. */
  recentSideEntries(limit: number): readonly SideEntry[];
  /** Only those that were in the file when it was opened, newest first. */
  earlierSideEntries(limit: number): readonly SideEntry[];
  /** Writes now what would be written a little later. */
  flush(): Promise<void>;
}

/** @throws StoreFault the store cannot be read; an error of SQLite where no file can be written */
export async function openSqliteActionIndex(
  options: SqliteActionIndexOptions,
): Promise<SqliteActionIndex> {
  const db = await openViewsFile(options);
  const file = createViewsReader(db);
  const observed = createObservedViews(db);
  const nextSide = file.lastSideNumber() + 1;
  const overlay = createOverlay();
  const workflows = createWorkflowViews(db, () => {
    writing.expect();
  });
  const writing = new ViewsWriting({
    notes: [overlay, workflows],
    store: options.store,
    timers: options.runtime.timers,
    here: createFollower({ ...options, db, pace: servingPace }),
    startFollower: options.startFollower ?? (() => undefined),
    onFault: options.onFault ?? (() => undefined),
    nextSide,
  });
  let closed: Promise<void> | undefined;
  return {
    note: (action, matches) => {
      overlay.note(action, matches);
      writing.expect();
    },
    ...answers(file, overlay),
    observed: (filter) => observed(filter, rowsOf(overlay)),
    workflows,
    addSideEntries: (entries) => {
      writing.addSides(entries);
    },
    recentSideEntries: (limit) => recentSides(file, writing.waitingSides(), limit),
    earlierSideEntries: (limit) => file.sideEntries({ before: nextSide, limit }),
    flush: () => writing.flush(),
    close: () => {
      closed ??= writing.close().finally(() => {
        db.close();
      });
      return closed;
    },
  };
}

function* rowsOf(overlay: Overlay): Generator<ActionRow> {
  for (const { row } of overlay.all()) yield row;
}

function answers(
  file: ViewsReader,
  overlay: Overlay,
): Pick<
  ActionIndex,
  'openActions' | 'undoable' | 'ownerOfExternalId' | 'knownAs' | 'list' | 'unknowns'
> {
  const isCurrent = ({ action, revision }: ActionRevision): boolean =>
    (overlay.get(action)?.row.revision ?? -1) < revision;
  return {
    openActions: () => {
      const open = new Set<string>();
      for (const each of file.needingAttention()) if (isCurrent(each)) open.add(each.action);
      for (const { row, needsAttention } of overlay.all()) if (needsAttention) open.add(row.action);
      return [...open];
    },
    undoable: (key) => {
      const match = matchText(key);
      const found = new Map<string, number>();
      for (const each of file.undoable(match))
        if (isCurrent(each)) found.set(each.action, each.plannedAt);
      for (const { action, plannedAt } of overlay.undoable(match)) found.set(action, plannedAt);
      return [...found].sort(([, a], [, b]) => a - b).map(([action]) => action);
    },
    ownerOfExternalId: (...named) =>
      file.ownerOfExternalId(...named) ?? overlay.ownerOfExternalId(...named),
    knownAs: (name) => knownAs(file, overlay, name),
    list: (filter) => list(file, overlay, filter, isCurrent),
    unknowns: (filter) => unknowns(file, overlay, filter, isCurrent),
  };
}

/** A name is never taken back, so that what the file says of it holds. */
function knownAs(file: ViewsReader, overlay: Overlay, name: ProviderName): readonly string[] {
  const found = new Map<string, number>();
  for (const { action, plannedAt } of file.knownAs(name)) found.set(action, plannedAt);
  for (const { action, plannedAt } of overlay.knownAs(providerNameText(name)))
    found.set(action, plannedAt);
  return [...found]
    .sort(([, a], [, b]) => a - b)
    .map(([action]) => action)
    .slice(0, knownAsMax);
}

function list(
  file: ViewsReader,
  overlay: Overlay,
  filter: ListFilter,
  isCurrent: (row: ActionRevision) => boolean,
): readonly ActionRow[] {
  const rows = new Map<string, ActionRow>();
  for (const row of listNoted(overlay, filter)) rows.set(row.action, row);
  let left = filter.limit;
  if (left <= 0) return [];
  for (const row of file.list(filter, isCurrent)) {
    rows.set(row.action, row);
    left -= 1;
    if (left === 0) break;
  }
  return [...rows.values()].sort((a, b) => b.plannedAt - a.plannedAt).slice(0, filter.limit);
}

function unknowns(
  file: ViewsReader,
  overlay: Overlay,
  filter: UnknownFilter,
  isCurrent: (row: ActionRevision) => boolean,
): readonly ActionRow[] {
  const rows: ActionRow[] = [];
  for (const { row } of overlay.all()) if (isListedUnknown(row, filter)) rows.push(row);
  let left = filter.limit;
  if (left <= 0) return [];
  for (const row of file.unknowns(filter, isCurrent)) {
    rows.push(row);
    left -= 1;
    if (left === 0) break;
  }
  return firstUnknowns(rows, filter.limit);
}

function recentSides(
  file: ViewsReader,
  waiting: readonly NumberedSideEntry[],
  limit: number,
): readonly SideEntry[] {
  const latest = waiting.slice(Math.max(0, waiting.length - limit)).reverse();
  const before = waiting[0]?.number ?? Infinity;
  const stored = file.sideEntries({ before, limit: limit - latest.length });
  return [...latest.map(({ entry }) => entry), ...stored];
}
