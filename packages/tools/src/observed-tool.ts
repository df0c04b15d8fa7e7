// A tool as the ledger carries it out where it only observes: every call goes out at once, once, and
// nothing is sent by the ledger itself. Without gates, and with nothing to ask or to send again.
import { type Tool } from './tool.ts';

const known = new WeakMap<Tool, Tool>();

/** The same one each time. A read has nothing to observe. */
export function observedTool(tool: Tool): Tool {
  if (tool.kind === 'read' || tool.observes !== undefined) return tool;
  const made = known.get(tool) ?? withoutGates(tool);
  known.set(tool, made);
  return made;
}

function withoutGates(tool: Tool): Tool {
  const { rules } = tool;
  return Object.freeze({
    ...tool,
    observes: tool,
    rules: Object.freeze({
      ...rules,
      guarantee: 'observed' as const,
      keyWindowMs: 0,
      undoWindowMs: 0,
      canLookUp: false,
      retry: Object.freeze({ ...rules.retry, attemptsMax: 1 }),
    }),
    approval: undefined,
    policy: undefined,
    load: undefined,
    lookup: undefined,
  });
}
