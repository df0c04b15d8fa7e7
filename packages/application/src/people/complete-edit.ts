// The second half of an edit: the action that takes the place of the edited one is created, by whoever
// comes first: the editor, a call that meets the edited one, the sweep, or the next process.
import {
  type Action,
  actionIdOf,
  type CommandOf,
  epochOf,
  type JsonObject,
  keyHashOf,
} from '@action-ledger/domain';
import { needsApproval, type Tool } from '@action-ledger/tools';
import { argumentsHashFor, type Names, namesOf, reserveOlderNames } from '../propose/names.ts';
import { type Parts, toolOf } from '../core/parts.ts';
import { policyFor } from '../propose/policy.ts';
import { presumptionFor } from '../attend/presumed.ts';
import { undoneByThis } from '../attempt/undo.ts';

/** The id of the action that an edit has promised. */
export function pendingEdit({ status, supersededBy, edited }: Action): string | undefined {
  return status === 'cancelled' && edited !== undefined ? supersededBy : undefined;
}

/**
 * Saying it again changes nothing.
 * @returns the edit's action; undefined where another call has taken its place with other arguments, or
 *   nothing can be created here
 */
export async function completeEdit(parts: Parts, edited: Action): Promise<Action | undefined> {
  const actionId = pendingEdit(edited);
  const tool = toolOf(parts, edited);
  if (actionId === undefined || tool === undefined || edited.edited === undefined) return undefined;
  const args = parts.secrets.get(actionId) ?? edited.edited;
  const names = namesOfEdit(parts, tool, edited, args);
  if (names === undefined) return undefined;
  const half: Half = { edited, tool, actionId, names };
  const action = (await existing(parts, actionId)) ?? (await createNow(parts, half));
  return action !== undefined && isEdit(action, half) ? action : undefined;
}

interface Half {
  readonly edited: Action;
  readonly tool: Tool;
  readonly actionId: string;
  readonly names: Names;
}

function isEdit(action: Action, { edited, names }: Half): boolean {
  return action.editOf === edited.id || action.argumentsHash === argumentsHashFor(names, action);
}

async function existing(parts: Parts, actionId: string): Promise<Action | undefined> {
  const loaded = await parts.actions.load(actionId);
  return loaded.kind === 'broken' || loaded.action.status === 'new' ? undefined : loaded.action;
}

/** By the edited action's own call. One without a call to name (a repeat) stays in its chain. */
export function namesOfEdit(
  parts: Parts,
  tool: Tool,
  edited: Action,
  args: JsonObject,
): Names | undefined {
  const { tenant, key } = edited;
  const origin = edited.calls[0] ?? {};
  const named = namesOf(
    parts,
    tool,
    { tenant, origin, ...(key === undefined ? {} : { key }) },
    args,
  );
  if (named.kind === 'names' && !isInItsChain(edited)) return named;
  const own = namesOf(parts, tool, { tenant, origin, key: key ?? edited.id }, args);
  return own.kind === 'names' ? { ...own, keyHash: keyHashOf(edited.id), older: [] } : undefined;
}

/** What names it is no call: it was repeated, or a workflow asks for it. */
function isInItsChain({ repeatOf, workflow }: Action): boolean {
  return repeatOf !== undefined || workflow !== undefined;
}

async function createNow(parts: Parts, half: Half): Promise<Action | undefined> {
  if (parts.recovering() !== undefined) return undefined;
  const { edited, tool, actionId, names } = half;
  const isElsewhere = keyHashOf(actionId) !== keyHashOf(edited.id);
  if (isElsewhere && !(await reserveOlderNames(parts, names, actionId))) return undefined;
  const approval = needsApproval(tool, names.args) ? tool.approval?.rules : undefined;
  const by = edited.ending?.by;
  const undoes = undoneByThis(parts, tool, edited.tenant, names.stored);
  const presumed = presumptionFor(parts, tool, { actionId, previous: undefined, undoes });
  await parts.actions.create(
    actionId,
    {
      type: 'PlanAction',
      plan: planOf(parts, half),
      policy: policyFor(tool, edited.tenant, names.args),
      rules: tool.rules,
      ...(approval === undefined ? {} : { approval }),
      ...(presumed === undefined ? {} : { presumed }),
    },
    { argumentsText: names.argumentsText, ...(by === undefined ? {} : { by }) },
  );
  void parts.attend(actionId);
  return existing(parts, actionId);
}

function planOf(parts: Parts, half: Half): CommandOf<'PlanAction'>['plan'] {
  const { edited, tool, actionId, names } = half;
  const { id, tenant, calls, by, key, ending, repeatOf } = edited;
  const call = calls[0];
  const after = undoerBefore(parts, edited, actionId);
  const told = { reason: ending?.reason ?? '', by: ending?.by ?? '' };
  return {
    tenant,
    tool: tool.name,
    epoch: epochOf(actionId),
    identityVersion: tool.declaration.identityVersion,
    arguments: names.stored,
    argumentsHash: names.argumentsHash,
    editOf: { action: id, ...told },
    ...(repeatOf === undefined ? {} : { repeatOf: { action: repeatOf, ...told } }),
    ...workflowLinks(edited),
    ...(call === undefined ? {} : { call }),
    ...(by === undefined ? {} : { by }),
    ...(key === undefined ? {} : { key }),
    ...(after === undefined ? {} : { after }),
    ...(tool.declaration.secret.length === 0 ? {} : { secret: true as const }),
  };
}

function workflowLinks({
  workflow,
  compensates,
}: Action): Pick<Action, 'workflow' | 'compensates'> {
  return {
    ...(workflow === undefined ? {} : { workflow }),
    ...(compensates === undefined ? {} : { compensates }),
  };
}

/** What the edited one waited for; in another chain, what the epoch before is being undone by. */
function undoerBefore(parts: Parts, edited: Action, actionId: string): string | undefined {
  if (keyHashOf(actionId) === keyHashOf(edited.id)) return edited.after;
  const epoch = epochOf(actionId);
  return epoch === 0 ? undefined : parts.undoers.get(actionIdOf(keyHashOf(actionId), epoch - 1));
}
