// Undoing: which effects an undoer undoes is settled at its dispatch; when it succeeds, those actions
// are marked before its caller is answered (DESIGN.md section 4, `undoneBy`).
import {
  type Action,
  type ActionStatus,
  canonicalJson,
  epochOf,
  type JsonObject,
  type JsonValue,
  keyHashOf,
} from '@action-ledger/domain';
import { type Tool, type Undoing } from '@action-ledger/tools';
import { isUndoable, type MatchKey } from '../record/action-index.ts';
import { type Parts } from '../core/parts.ts';

/** The keys by which undoers can find a succeeded action. */
export function matchesOf(action: Action, tool: Tool | undefined): readonly MatchKey[] {
  if (tool === undefined || tool.rules.undoneBy.length === 0 || action.outcome === undefined)
    return [];
  const { tenant, arguments: args, outcome } = action;
  return tool.rules.undoneBy.flatMap(({ match }) => {
    const sides = { arguments: args, outcome: outcome.result };
    const key = matchKey(tenant, tool.name, Object.values(match), sides);
    return key === undefined ? [] : [key];
  });
}

/** The latest epoch of each identity that this undoer's arguments match. */
export function undoneByThis(
  parts: Parts,
  tool: Tool,
  tenant: string,
  args: JsonObject,
): readonly string[] {
  const latest = new Map<string, string>();
  for (const undoing of parts.tools.undoneByTool(tool.name)) {
    for (const actionId of undoableBy(parts, undoing, tenant, args)) {
      const known = latest.get(keyHashOf(actionId));
      if (known === undefined || epochOf(known) < epochOf(actionId))
        latest.set(keyHashOf(actionId), actionId);
    }
  }
  return [...latest.values()];
}

function undoableBy(
  parts: Parts,
  { undone, match }: Undoing,
  tenant: string,
  args: JsonObject,
): readonly string[] {
  const values = Object.keys(match).map((path) => valueAt({ arguments: args }, path));
  if (values.some((value) => value === undefined || value === null)) return [];
  const path = JSON.stringify(Object.values(match));
  return parts.index.undoable({
    tenant,
    tool: undone.name,
    path,
    value: canonicalJson(values as JsonValue),
  });
}

function matchKey(
  tenant: string,
  tool: string,
  paths: readonly string[],
  sides: JsonObject,
): MatchKey | undefined {
  const values = paths.map((path) => valueAt(sides, path));
  if (values.some((value) => value === undefined || value === null)) return undefined;
  return { tenant, tool, path: JSON.stringify(paths), value: canonicalJson(values as JsonValue) };
}

function valueAt(root: JsonObject, path: string): JsonValue | undefined {
  let value: JsonValue | undefined = root;
  for (const member of path.split('.')) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    value = (value as JsonObject)[member];
  }
  return value;
}

/** Marks what a succeeded undoer undid; saying it again changes nothing. */
export async function completeUndo(parts: Parts, undoer: Action): Promise<void> {
  if (undoer.status !== 'succeeded') return;
  for (const target of undoer.undoes) {
    await parts.actions.perform(target, (action) =>
      isUndoable(action) ? { type: 'MarkUndone', by: undoer.id } : undefined,
    );
    if (parts.undoers.get(target) === undoer.id) parts.undoers.delete(target);
    await parts.passed('undo recorded', undoer.id);
  }
}

/**
 * Completes the mark on an action whose undoer has succeeded without it.
 * @returns whether there was one to complete
 */
export async function completeUndoOf(parts: Parts, target: string): Promise<boolean> {
  const undoer = parts.undoers.get(target);
  const loaded = undoer === undefined ? undefined : await parts.actions.load(undoer);
  if (loaded?.kind !== 'action' || loaded.action.status !== 'succeeded') return false;
  await completeUndo(parts, loaded.action);
  return true;
}

/** The sweep of marks that are missing, because the store did not take them when they were due. */
export function completeUndos(parts: Parts): void {
  for (const target of parts.undoers.keys()) {
    completeUndoOf(parts, target).catch((fault: unknown) => {
      parts.onFault(`mark of ${target} as undone`, fault);
    });
  }
}

/**
 * Keeps track of undoers that are dispatched or in doubt, or have succeeded and not marked their
 * targets yet, for the calls that meet these.
 */
export function trackUndoer(
  parts: Pick<Parts, 'undoers'>,
  action: Action,
  before?: ActionStatus,
): void {
  const { status } = action;
  const acting = status === 'dispatched' || status === 'unknown' || status === 'claimed';
  const marking = status === 'succeeded';
  for (const target of action.undoes) {
    if (acting || (marking && before !== 'succeeded')) parts.undoers.set(target, action.id);
    else if (!marking && parts.undoers.get(target) === action.id) parts.undoers.delete(target);
  }
}
