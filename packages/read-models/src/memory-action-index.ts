// The index in memory: for one process that starts from an empty store, and for tests.
import { type Action } from '@action-ledger/domain';
import {
  type ActionIndex,
  type ActionRow,
  externalIdText,
  fits,
  isIndexed,
  isUndoable,
  knownAsMax,
  matchText,
  needsAttention,
  providerNamesOf,
  providerNameText,
  rowOf,
} from './action-index.ts';
import { observedAmong } from './observed-calls.ts';
import { createMemoryWorkflowIndex } from './workflow-index.ts';
import { firstUnknowns, isListedUnknown } from './unknowns.ts';

export function createMemoryActionIndex(): ActionIndex {
  const rows = new Map<string, ActionRow>();
  const open = new Set<string>();
  const external = new Map<string, string>();
  const named = new Map<string, Set<string>>();
  const undoable = new Map<string, Set<string>>();
  const plannedAt = (action: string): number => rows.get(action)?.plannedAt ?? 0;
  return {
    note: (action, matches) => {
      if (!isIndexed(action)) return;
      rows.set(action.id, rowOf(action));
      if (needsAttention(action)) open.add(action.id);
      else open.delete(action.id);
      const id = action.outcome?.externalId;
      if (id !== undefined) {
        const key = externalIdText(action.tenant, action.tool, id);
        if (!external.has(key)) external.set(key, action.id);
      }
      for (const name of providerNamesOf(action))
        noteName(named, action.id, providerNameText(name));
      for (const match of matches) noteMatch(undoable, action, matchText(match));
    },
    openActions: () => [...open],
    undoable: (key) =>
      [...(undoable.get(matchText(key)) ?? [])].sort((a, b) => plannedAt(a) - plannedAt(b)),
    ownerOfExternalId: (tenant, tool, externalId) =>
      external.get(externalIdText(tenant, tool, externalId)),
    knownAs: (name) =>
      [...(named.get(providerNameText(name)) ?? [])]
        .sort((a, b) => plannedAt(a) - plannedAt(b))
        .slice(0, knownAsMax),
    list: (filter) =>
      [...rows.values()]
        .reverse()
        .filter((row) => fits(row, filter))
        .sort((a, b) => b.plannedAt - a.plannedAt)
        .slice(0, filter.limit),
    observed: (filter) => observedAmong(rows.values(), filter),
    workflows: createMemoryWorkflowIndex(),
    unknowns: (filter) =>
      firstUnknowns(
        [...rows.values()].filter((row) => isListedUnknown(row, filter)),
        filter.limit,
      ),
    close: async () => undefined,
  };
}

function noteName(named: Map<string, Set<string>>, action: string, name: string): void {
  const ids = named.get(name);
  if (ids === undefined) named.set(name, new Set([action]));
  else ids.add(action);
}

function noteMatch(undoable: Map<string, Set<string>>, action: Action, key: string): void {
  const ids = undoable.get(key) ?? new Set<string>();
  if (isUndoable(action)) ids.add(action.id);
  else ids.delete(action.id);
  if (ids.size === 0) undoable.delete(key);
  else undoable.set(key, ids);
}
