// The tools of one process by name. Names are unique (two tools of one name would share keys, F217), and
// what tools say of one another (undoneBy, compensate) must hold.
import { type Tool } from './tool.ts';
import { ToolDeclarationError, failFor } from './tool-declaration-error.ts';

/** A tool whose actions another tool undoes. */
export interface Undoing {
  /** The tool whose action is undone. */
  readonly undone: Tool;
  /** `arguments.x` of the undoer to `arguments.x` or `outcome.x` of the undone action. */
  readonly match: Readonly<Record<string, string>>;
}

export interface ToolSet {
  readonly get: (name: string) => Tool | undefined;
  /** In the order given. */
  readonly all: readonly Tool[];
  /** What the tool of this name undoes; empty for most. */
  readonly undoneByTool: (name: string) => readonly Undoing[];
}

/** @throws ToolDeclarationError */
export function createToolSet(tools: readonly Tool[]): ToolSet {
  const byName = new Map<string, Tool>();
  for (const tool of tools) {
    if (byName.has(tool.name))
      throw new ToolDeclarationError(
        'tool.duplicate-name',
        tool.name,
        'two tools bear this name, so their actions would share keys; rename one.',
      );
    byName.set(tool.name, tool);
  }
  const undoings = new Map<string, Undoing[]>();
  for (const tool of tools) {
    checkCompensation(tool, byName);
    for (const { tool: undoerName, match } of tool.rules.undoneBy) {
      checkUndoer(tool, undoerName, match, byName);
      undoings.set(undoerName, [...(undoings.get(undoerName) ?? []), { undone: tool, match }]);
    }
  }
  return Object.freeze({
    get: (name: string) => byName.get(name),
    all: Object.freeze([...tools]),
    undoneByTool: (name: string) => undoings.get(name) ?? [],
  });
}

/**
 * The undoer's fields need no `keep`: its arguments are always stored whole. Its outcome cannot be
 * matched: which action it will undo is settled at its dispatch, before there is an outcome.
 */
function checkUndoer(
  tool: Tool,
  undoerName: string,
  match: Readonly<Record<string, string>>,
  byName: ReadonlyMap<string, Tool>,
): void {
  const fail = failFor(tool.name);
  const undoer = byName.get(undoerName);
  if (undoer === undefined)
    return fail(
      'tool.unknown-tool',
      `undoneBy names "${undoerName}", which is not among the tools; add it or correct the name.`,
    );
  if (undoer.kind === 'read')
    fail('tool.undone-by', `undoneBy names "${undoerName}", but a read undoes nothing.`);
  for (const path of Object.keys(match)) {
    if (!path.startsWith('arguments.'))
      fail(
        'tool.undone-by',
        `undoneBy matches "${path}" of "${undoerName}"; what it undoes is settled before it has an outcome: use "arguments.<field>".`,
      );
    const field = path.slice('arguments.'.length);
    if (!(field in undoer.fields))
      fail(
        'tool.unknown-field',
        `undoneBy matches "${path}", which the arguments of "${undoerName}" do not have.`,
      );
    if (
      undoer.declaration.secret.some((secret) => field === secret || field.startsWith(`${secret}.`))
    )
      fail(
        'tool.fields-overlap',
        `undoneBy matches "${path}" of "${undoerName}", which is secret and never stored.`,
      );
  }
}

function checkCompensation(tool: Tool, byName: ReadonlyMap<string, Tool>): void {
  const compensating = tool.compensate?.tool;
  if (compensating === undefined) return;
  const fail = failFor(tool.name);
  const found = byName.get(compensating);
  if (found === undefined)
    fail(
      'tool.unknown-tool',
      `compensate names "${compensating}", which is not among the tools; add it or correct the name.`,
    );
  if (found?.kind === 'read')
    fail('tool.compensate', `compensate names "${compensating}", but a read undoes nothing.`);
}
