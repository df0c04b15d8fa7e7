// The index in memory: for processes that have no file for it, and for tests. There can be millions of actions, so
// that of each it keeps a row, and of each name one text.
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
  const named: Named = new Map();
  const shared = createShared();
  const undoable = new Map<string, Set<string>>();
  const plannedAt = (action: string): number => rows.get(action)?.plannedAt ?? 0;
  return {
    note: (action, matches) => {
      if (!isIndexed(action)) return;
      rows.set(action.id, shared(rowOf(action)));
      if (needsAttention(action)) open.add(action.id);
      else open.delete(action.id);
      for (const name of providerNamesOf(action)) {
        const text = providerNameText(name);
        noteName(named, action.id, text);
        const isOutcome = name.as === 'external id' && name.value === action.outcome?.externalId;
        if (isOutcome && !external.has(text)) external.set(text, action.id);
      }
      for (const match of matches) noteMatch(undoable, action, matchText(match));
    },
    openActions: () => [...open],
    undoable: (key) =>
      [...(undoable.get(matchText(key)) ?? [])].sort((a, b) => plannedAt(a) - plannedAt(b)),
    ownerOfExternalId: (tenant, tool, externalId) =>
      external.get(externalIdText(tenant, tool, externalId)),
    knownAs: (name) =>
      [...idsOf(named.get(providerNameText(name)))]
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

/** Nearly every name is of one action. */
type Named = Map<string, string | Set<string>>;

function noteName(named: Named, action: string, name: string): void {
  const known = named.get(name);
  if (known === undefined) named.set(name, action);
  else if (typeof known !== 'string') known.add(action);
  else if (known !== action) named.set(name, new Set([known, action]));
}

function idsOf(known: string | Set<string> | undefined): Iterable<string> {
  return typeof known === 'string' ? [known] : (known ?? []);
}

/** Each event has brought texts of its own, of which many say the same. */
function createShared(): (row: ActionRow) => ActionRow {
  const texts = new Map<string, string>();
  const one = (text: string): string => {
    const known = texts.get(text);
    if (known === undefined) texts.set(text, text);
    return known ?? text;
  };
  return (row) => ({
    ...row,
    tenant: one(row.tenant),
    tool: one(row.tool),
    guarantee: one(row.guarantee),
  });
}

function noteMatch(undoable: Map<string, Set<string>>, action: Action, key: string): void {
  const ids = undoable.get(key) ?? new Set<string>();
  if (isUndoable(action)) ids.add(action.id);
  else ids.delete(action.id);
  if (ids.size === 0) undoable.delete(key);
  else undoable.set(key, ids);
}
