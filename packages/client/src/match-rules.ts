// Which tools have effects that others undo, as a text: what the views file was made by, and what
// the thread that writes it must know of the tools.
import { type Tool } from '@action-ledger/tools';

/** All that `matchesOf` asks of a tool. */
type Undoable = Pick<Tool, 'name'> & { readonly rules: Pick<Tool['rules'], 'undoneBy'> };

/** Of tools that nothing undoes. */
export const noMatchRules = '[]';

export function matchRulesOf(tools: readonly Tool[]): string {
  const undoable = tools
    .filter(({ rules }) => rules.undoneBy.length > 0)
    .map(({ name, rules: { undoneBy } }): Undoable => ({ name, rules: { undoneBy } }));
  return JSON.stringify(undoable.sort((a, b) => (a.name < b.name ? -1 : 1)));
}

/** @param rules as `matchRulesOf` gave them */
export function toolsForMatching(rules: string): (name: string) => Tool | undefined {
  const tools = JSON.parse(rules) as readonly Undoable[];
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  return (name) => byName.get(name) as Tool | undefined;
}
