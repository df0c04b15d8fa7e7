// What has to be found without knowing an action's id: open actions, external ids, effects that an
// undoer can undo, lists. Rebuildable from the streams; `note` is told every append of this process
// before anyone is answered, so what it says is never behind.
import { type Action, type ActionStatus, isOpen } from '@action-ledger/domain';

export interface ActionRow {
  readonly action: string;
  readonly tenant: string;
  readonly tool: string;
  readonly run?: string;
  readonly epoch: number;
  readonly status: ActionStatus;
  readonly guarantee: string;
  readonly attempts: number;
  readonly plannedAt: number;
  readonly updatedAt: number;
  readonly revision: number;
  readonly owner?: 'reconciler' | 'operator';
  readonly nextCheckAt?: number;
  readonly externalId?: string;
  readonly incidents: number;
}

export interface ListFilter {
  readonly tenant?: string;
  readonly tool?: string;
  readonly status?: ActionStatus;
  readonly run?: string;
  /** Newest first. */
  readonly limit: number;
}

/** A field of an undoable effect, by which its undoer names it. */
export interface MatchKey {
  readonly tenant: string;
  readonly tool: string;
  /** `arguments.x` or `outcome.x`. */
  readonly path: string;
  /** Canonical text of the value. */
  readonly value: string;
}

export interface ActionIndex {
  note(action: Action, matches: readonly MatchKey[]): void;
  openActions(): readonly string[];
  /** Succeeded actions that declared the match and are not undone, oldest first. */
  undoable(key: MatchKey): readonly string[];
  ownerOfExternalId(tenant: string, tool: string, externalId: string): string | undefined;
  list(filter: ListFilter): readonly ActionRow[];
  close(): void;
}

/** The index in memory: for one process that starts from an empty store, and for tests. */
export function createMemoryActionIndex(): ActionIndex {
  const rows = new Map<string, ActionRow>();
  const open = new Set<string>();
  const external = new Map<string, string>();
  const undoable = new Map<string, Set<string>>();
  return {
    note: (action, matches) => {
      rows.set(action.id, rowOf(action));
      if (isOpen(action) || action.incidents.length > 0) open.add(action.id);
      else open.delete(action.id);
      const id = action.outcome?.externalId;
      if (id !== undefined) {
        const key = JSON.stringify([action.tenant, action.tool, id]);
        if (!external.has(key)) external.set(key, action.id);
      }
      for (const match of matches) noteMatch(undoable, action, matchText(match));
    },
    openActions: () => [...open],
    undoable: (key) => [...(undoable.get(matchText(key)) ?? [])],
    ownerOfExternalId: (tenant, tool, externalId) =>
      external.get(JSON.stringify([tenant, tool, externalId])),
    list: (filter) => listRows(rows, filter),
    close: () => undefined,
  };
}

function noteMatch(undoable: Map<string, Set<string>>, action: Action, key: string): void {
  const ids = undoable.get(key) ?? new Set<string>();
  if (action.status === 'succeeded' && action.undoneBy === undefined) ids.add(action.id);
  else ids.delete(action.id);
  if (ids.size === 0) undoable.delete(key);
  else undoable.set(key, ids);
}

function matchText({ tenant, tool, path, value }: MatchKey): string {
  return JSON.stringify([tenant, tool, path, value]);
}

export function rowOf(action: Action): ActionRow {
  const run = action.calls[0]?.run;
  const externalId = action.outcome?.externalId;
  return {
    action: action.id,
    tenant: action.tenant,
    tool: action.tool,
    epoch: action.epoch,
    status: action.status,
    guarantee: action.guarantee,
    attempts: action.attempts.length,
    plannedAt: action.plannedAt,
    updatedAt: action.updatedAt,
    revision: action.revision,
    incidents: action.incidents.length,
    ...(run === undefined ? {} : { run }),
    ...(action.watch === undefined ? {} : action.watch),
    ...(externalId === undefined ? {} : { externalId }),
  };
}

function listRows(rows: ReadonlyMap<string, ActionRow>, filter: ListFilter): readonly ActionRow[] {
  const matching = [...rows.values()].filter(
    (row) =>
      (filter.tenant === undefined || row.tenant === filter.tenant) &&
      (filter.tool === undefined || row.tool === filter.tool) &&
      (filter.status === undefined || row.status === filter.status) &&
      (filter.run === undefined || row.run === filter.run),
  );
  return matching.sort((a, b) => b.plannedAt - a.plannedAt).slice(0, filter.limit);
}
