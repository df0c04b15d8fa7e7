// What this process has noted and the views file may not hold yet. Notes are sealed before a
// write to the file begins and dropped when it has gone through; later ones gather meanwhile.
import { type Action } from '@action-ledger/domain';
import {
  type ActionRow,
  externalIdText,
  fits,
  isIndexed,
  isUndoable,
  type ListFilter,
  type MatchKey,
  matchText,
  needsAttention,
  providerNamesOf,
  providerNameText,
  rowOf,
} from './action-index.ts';

interface Noted {
  readonly row: ActionRow;
  readonly needsAttention: boolean;
}

export interface Overlay {
  note(action: Action, matches: readonly MatchKey[]): void;
  /** Actions noted since the last seal. */
  size(): number;
  /** What is noted from now on is kept apart. Sealing again before `dropSealed` changes nothing. */
  seal(): void;
  dropSealed(): void;
  get(action: string): Noted | undefined;
  /** Each action once, in the order of its first note. */
  all(): Iterable<Noted>;
  /** Rows that can be undone by this key, in the order of their first note. */
  undoable(match: string): readonly ActionRow[];
  ownerOfExternalId(tenant: string, tool: string, externalId: string): string | undefined;
  /** By the text of a provider's name, in the order of their first note. */
  knownAs(name: string): readonly ActionRow[];
}

interface Notes {
  readonly actions: Map<string, Noted>;
  readonly external: Map<string, string>;
  /** The text of a provider's name to actions. */
  readonly named: Map<string, Set<string>>;
  /** Match to actions; those that can no longer be undone are held here too. */
  readonly undoable: Map<string, Map<string, boolean>>;
}

export function createOverlay(): Overlay {
  let sealed: Notes | undefined;
  let current = noNotes();
  const both = (): readonly Notes[] => (sealed === undefined ? [current] : [sealed, current]);
  const get = (action: string): Noted | undefined =>
    current.actions.get(action) ?? sealed?.actions.get(action);
  return {
    note: (action, matches) => {
      if (isIndexed(action)) note(current, action, matches);
    },
    size: () => current.actions.size,
    seal: () => {
      if (sealed !== undefined) return;
      sealed = current;
      current = noNotes();
    },
    dropSealed: () => {
      sealed = undefined;
    },
    get,
    all: function* () {
      if (sealed === undefined) {
        yield* current.actions.values();
        return;
      }
      for (const [action, noted] of sealed.actions) yield current.actions.get(action) ?? noted;
      for (const [action, noted] of current.actions) if (!sealed.actions.has(action)) yield noted;
    },
    undoable: (match) => {
      const found = new Map<string, boolean>();
      for (const { undoable } of both())
        for (const [action, isStill] of undoable.get(match) ?? []) found.set(action, isStill);
      return [...found].flatMap(([action, isStill]) => {
        const row = isStill ? get(action)?.row : undefined;
        return row === undefined ? [] : [row];
      });
    },
    ownerOfExternalId: (tenant, tool, externalId) => {
      const key = externalIdText(tenant, tool, externalId);
      return sealed?.external.get(key) ?? current.external.get(key);
    },
    knownAs: (name) => {
      const found = new Set(both().flatMap(({ named }) => [...(named.get(name) ?? [])]));
      return [...found].flatMap((action) => get(action)?.row ?? []);
    },
  };
}

function noNotes(): Notes {
  return { actions: new Map(), external: new Map(), named: new Map(), undoable: new Map() };
}

function note(notes: Notes, action: Action, matches: readonly MatchKey[]): void {
  notes.actions.set(action.id, { row: rowOf(action), needsAttention: needsAttention(action) });
  const externalId = action.outcome?.externalId;
  if (externalId !== undefined) {
    const key = externalIdText(action.tenant, action.tool, externalId);
    if (!notes.external.has(key)) notes.external.set(key, action.id);
  }
  for (const name of providerNamesOf(action)) {
    const text = providerNameText(name);
    const actions = notes.named.get(text);
    if (actions === undefined) notes.named.set(text, new Set([action.id]));
    else actions.add(action.id);
  }
  for (const match of matches) {
    const key = matchText(match);
    const actions = notes.undoable.get(key) ?? new Map<string, boolean>();
    actions.set(action.id, isUndoable(action));
    notes.undoable.set(key, actions);
  }
}

/** Rows of the overlay that fit, latest note first. */
export function listNoted(overlay: Overlay, filter: ListFilter): readonly ActionRow[] {
  const rows: ActionRow[] = [];
  for (const { row } of overlay.all()) if (fits(row, filter)) rows.push(row);
  return rows.reverse();
}
