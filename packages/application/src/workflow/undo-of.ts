// What would undo a step, computed once, when its outcome is known, and recorded with it: from then on a
// compensation needs nothing but the stream.
import {
  type Action,
  checkJson,
  type JsonObject,
  resolveUndoArguments,
  type StepSettled,
  type Undo,
  type WorkflowStep,
} from '@action-ledger/domain';
import { type Known, declaredTool } from '../core/parts.ts';

type Undoing = Pick<StepSettled, 'undo' | 'undoFault'>;

export function undoOf(
  parts: Known,
  step: Pick<WorkflowStep, 'tool' | 'compensation'>,
  action: Pick<Action, 'tenant' | 'arguments' | 'outcome' | 'archived'>,
): Undoing {
  const { compensation } = step;
  switch (compensation.kind) {
    case 'not needed':
    case 'impossible':
      return {};
    case 'tool': {
      if (isCut(action)) return { undoFault: onlyAPart };
      const resolved = resolveUndoArguments(compensation.arguments, resultOf(action));
      return resolved.kind === 'missing'
        ? { undoFault: `"${resolved.path}" is not in what the step brought about` }
        : checked(parts, action.tenant, { tool: compensation.tool, arguments: resolved.arguments });
    }
    case 'declared':
      return isCut(action) ? { undoFault: onlyAPart } : declared(parts, step.tool, action);
  }
}

/** What is computed from a part would undo something else. */
const onlyAPart =
  'it was archived, and only a part of it is kept here: undo it by its archive file';

function isCut({ archived }: Pick<Action, 'archived'>): boolean {
  return (archived?.cut.length ?? 0) > 0;
}

function resultOf({ arguments: args, outcome }: Pick<Action, 'arguments' | 'outcome'>) {
  const externalId = outcome?.externalId;
  return {
    arguments: args,
    result: outcome?.result ?? null,
    ...(externalId === undefined ? {} : { externalId }),
  };
}

/** The rule is a function of the tool's author: whatever it does, the step has succeeded. */
function declared(
  parts: Known,
  toolName: string,
  action: Pick<Action, 'tenant' | 'arguments' | 'outcome'>,
): Undoing {
  const rule = declaredTool(parts, action.tenant, toolName)?.compensate;
  if (rule === undefined) return { undoFault: `${toolName} declares no compensation any more` };
  try {
    const plain = checkJson(rule.arguments(resultOf(action)));
    if (plain.kind === 'refusal') return { undoFault: plain.message };
    return checked(parts, action.tenant, { tool: rule.tool, arguments: plain.value as JsonObject });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { undoFault: `the compensation that ${toolName} declares failed: ${why.slice(0, 500)}` };
  }
}

function checked(parts: Known, tenant: string, undo: Undo): Undoing {
  const tool = declaredTool(parts, tenant, undo.tool);
  if (tool === undefined) return { undoFault: `there is no tool "${undo.tool}"` };
  const valid = tool.validate(undo.arguments);
  return valid.kind === 'refusal' ? { undoFault: valid.message } : { undo };
}
