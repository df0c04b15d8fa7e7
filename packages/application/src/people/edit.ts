// A person's edit of an action that has not been sent: it ends in favour of another one with other
// arguments, first by an event that names and keeps that one, then by its creation (DESIGN.md section 8).
import {
  type Action,
  actionIdOf,
  canonicalJson,
  checkJson,
  epochOf,
  keyHashOf,
  meet,
  parseActionId,
  refusal,
  type Refusal,
  staleRevision,
  streamOfAction,
} from '@action-ledger/domain';
import { type Tool } from '@action-ledger/tools';
import { type RefusedCode } from '../answer/answer-codes.ts';
import { type Answer, answerFor, refusedAnswer } from '../answer/answer.ts';
import { checkRequest, editShape } from '../core/check-request.ts';
import { type EpochChains } from '../propose/chain-of-epochs.ts';
import { namesOfEdit } from './complete-edit.ts';
import { isThere, notServed, unknownAction } from '../record/known-action.ts';
import { chainOf } from '../propose/met-chain.ts';
import { restUntil, standIn } from '../answer/follow.ts';
import { argumentsHashFor, type Names, underOlderName } from '../propose/names.ts';
import { notRead, notRecordable } from '../answer/not-recordable.ts';
import { type Parts, toolOf } from '../core/parts.ts';
import { policyFor } from '../propose/policy.ts';
import { withWhatHappened } from '../record/what-happened.ts';

export interface EditRequest {
  readonly actionId: string;
  readonly by: string;
  readonly reason: string;
  /** The revision that its author saw. */
  readonly revisionSeen: number;
  /** The whole of the new arguments. */
  readonly arguments: unknown;
  /** The action's own; named otherwise, the edit is refused. */
  readonly tool?: string;
  readonly waitMs?: number;
}

type No = Refusal<RefusedCode>;

interface Edit {
  readonly request: EditRequest;
  readonly action: Action;
  readonly tool: Tool;
  readonly names: Names;
}

/** Said again, it is answered again. */
export async function editAction(
  parts: Parts,
  chains: EpochChains,
  request: EditRequest,
): Promise<Answer> {
  const misfit = checkRequest(request, editShape);
  if (misfit !== undefined) return answerNo(request, undefined, misfit);
  if (parseActionId(request.actionId) === undefined)
    return answerNo(request, undefined, unknownAction(request.actionId));
  const loaded = await parts.actions.load(request.actionId, { fresh: true });
  if (loaded.kind === 'broken')
    return answerNo(request, undefined, refusal('stream.broken', loaded.reason));
  const { action } = loaded;
  const tool = toolOf(parts, action);
  if (!isThere(action)) return answerNo(request, undefined, unknownAction(request.actionId));
  if (tool === undefined) return answerNo(request, action, notServed(action.tool));
  const proposal = { ...request, tool: tool.name, tenant: action.tenant, origin: {} };
  const closed = notRecordable(parts, proposal);
  if (closed !== undefined) return closed;
  const names = editedNames(parts, tool, action, request);
  if (names.kind === 'refusal') return answerNo(request, action, names);
  try {
    return await carryOut(parts, chains, { request, action, tool, names });
  } catch (fault) {
    return notRead(parts, proposal, fault);
  }
}

async function carryOut(parts: Parts, chains: EpochChains, edit: Edit): Promise<Answer> {
  const { request, action } = edit;
  if (isSaidAgain(edit)) return answerEdit(parts, edit, true);
  const { revisionSeen } = request;
  if (revisionSeen !== action.revision)
    return answerNo(request, action, await told(parts, edit, staleRevision(action, revisionSeen)));
  const refused = await putInPlace(parts, chains, edit);
  return refused === undefined
    ? answerEdit(parts, edit, false)
    : answerNo(request, action, refused);
}

function editedNames(
  parts: Parts,
  tool: Tool,
  action: Action,
  { tool: named = tool.name, arguments: args }: EditRequest,
): Names | No {
  if (named !== tool.name)
    return refusal(
      'edit.other-tool',
      `An edit changes arguments, not the tool: reject this ${tool.name}, and propose the ${named}.`,
    );
  const plain = checkJson(args);
  if (plain.kind === 'refusal') return plain;
  const valid = tool.validate(plain.value);
  if (valid.kind === 'refusal') return valid;
  const names = namesOfEdit(parts, tool, action, valid.args);
  if (names === undefined)
    return refusal('identity.empty', 'The edited arguments do not tell what they are about.');
  return names.argumentsText === canonicalJson(action.arguments)
    ? refusal('edit.unchanged', 'These are the arguments that the action has.')
    : names;
}

function isSaidAgain({ action, names, request }: Edit): boolean {
  const { edited, ending } = action;
  if (edited === undefined || ending?.by !== request.by) return false;
  return canonicalJson(edited) === names.argumentsText;
}

async function putInPlace(parts: Parts, chains: EpochChains, edit: Edit): Promise<No | undefined> {
  const { request, action, tool, names } = edit;
  const place = await placeFor(parts, chains, edit);
  if (place.kind === 'refusal') return place;
  const { by, reason, revisionSeen } = request;
  const { actionId: supersededBy, isNew } = place;
  if (tool.declaration.secret.length > 0) parts.secrets.set(supersededBy, names.args);
  const performed = await parts.actions.perform(
    action.id,
    () => ({
      type: 'Cancel',
      by,
      person: true,
      reason,
      revisionSeen,
      supersededBy,
      ...(isNew ? { edited: names.stored } : {}),
    }),
    { by },
  );
  if (performed.kind === 'done') return undefined;
  parts.secrets.delete(supersededBy);
  return performed.kind === 'refusal'
    ? told(parts, edit, performed)
    : refusal('stream.broken', performed.reason);
}

function told({ store }: Parts, { request, action }: Edit, no: No): Promise<No> {
  return withWhatHappened(store, streamOfAction(action.id), request.revisionSeen, no);
}

interface Place {
  readonly kind: 'place';
  readonly actionId: string;
  /** Nothing is there yet. Otherwise the arguments are those of an action that exists. */
  readonly isNew: boolean;
}

async function placeFor(parts: Parts, chains: EpochChains, edit: Edit): Promise<Place | No> {
  const { action, tool, names } = edit;
  const policy = policyFor(tool, action.tenant, names.args);
  if (policy.effect === 'deny')
    return refusal('edit.denied', policy.reason ?? 'The policy denies the edited arguments.');
  if (!isSameIdentity(parts, edit)) return placeElsewhere(parts, chains, edit, policy.version);
  const actionId = actionIdOf(keyHashOf(action.id), epochOf(action.id) + 1);
  const next = await parts.actions.load(actionId, { fresh: true });
  return next.kind === 'action' && next.action.status === 'new'
    ? { kind: 'place', actionId, isNew: true }
    : refusal('edit.overtaken', 'A later action of this identity exists already.');
}

function isSameIdentity(parts: Parts, { action, tool, names }: Edit): boolean {
  const own = keyHashOf(action.id);
  if (names.keyHash === own || names.older.some(({ keyHash }) => keyHash === own)) return true;
  return namesOfEdit(parts, tool, action, action.arguments)?.keyHash === names.keyHash;
}

/** In the chain that the new arguments name: as a new call would be put there. */
async function placeElsewhere(
  parts: Parts,
  chains: EpochChains,
  { action, tool, names }: Edit,
  policyVersion: string,
): Promise<Place | No> {
  const met = await chainOf(chains, await underOlderName(parts, names));
  if (met.epochs.kind === 'broken') return refusal('stream.broken', met.epochs.reason);
  const { actions } = met.epochs;
  const pendingUndoer = parts.undoers.get(actions.at(-1)?.id ?? '');
  const meeting = meet(actions, {
    argumentsHash: names.argumentsHash,
    argumentsHashFor: (other) => argumentsHashFor(names, other),
    call: { ...action.calls[0], call: `edit of ${action.id}` },
    keyKind: names.keyKind,
    guarantee: tool.rules.guarantee,
    policyVersion,
    ...(pendingUndoer === undefined ? {} : { pendingUndoer }),
  });
  const actionId = actionIdOf(met.names.keyHash, meeting.epoch);
  if (meeting.kind === 'open') return { kind: 'place', actionId, isNew: true };
  const joins =
    meeting.kind === 'answer' && (meeting.as === 'attach' || meeting.as === 'duplicate');
  if (joins) return { kind: 'place', actionId, isNew: false };
  const status = actions[meeting.epoch]?.status ?? 'there';
  return refusal('edit.overtaken', `Another action with this identity is ${status}: ${actionId}.`);
}

async function answerEdit(
  parts: Parts,
  { request, action, tool }: Edit,
  repeat: boolean,
): Promise<Answer> {
  const untilMono = parts.clock.monoMs() + (request.waitMs ?? tool.rules.leaseMs);
  const loaded = await parts.actions.load(action.id);
  const other = loaded.kind === 'action' ? await standIn(parts, loaded.action) : undefined;
  if (other === undefined) {
    const message = 'Another call has taken the place of the edit: propose it again.';
    return answerNo(request, action, refusal('edit.overtaken', message));
  }
  const rested = await restUntil(parts, other.id, { untilMono });
  return answerFor(rested ?? other, { repeat: repeat || other.editOf !== action.id });
}

function answerNo(
  { actionId }: EditRequest,
  action: Action | undefined,
  { code, message, detail }: No,
): Answer {
  return refusedAnswer({
    tenant: action?.tenant ?? '',
    tool: action?.tool ?? '',
    word: 'refused',
    code,
    reason: message,
    actionId,
    ...(detail === undefined ? {} : { detail }),
  });
}
