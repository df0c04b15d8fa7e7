// A deliberate second time: the epoch after a settled action is opened because a person says so, and
// says why (DESIGN.md section 4, `repeat`).
import {
  type Action,
  actionIdOf,
  type ActionRefusalCode,
  checkJson,
  epochOf,
  keyHashOf,
  parseActionId,
  type PlanAction,
  refusal,
  type Refusal,
  repeatHindrance,
  staleRevision,
  streamOfAction,
} from '@action-ledger/domain';
import { needsApproval, type Tool } from '@action-ledger/tools';
import { type Answer, answerFor, refusedAnswer } from '../answer/answer.ts';
import { type AnswerCode, type RefusedCode } from '../answer/answer-codes.ts';
import { runAttempt } from '../attempt/attempt.ts';
import { awaitRest } from '../answer/await-rest.ts';
import { checkRequest, repeatShape } from '../core/check-request.ts';
import { notServed, unknownAction } from '../record/known-action.ts';
import { argumentsHashFor, type Names, namesOf } from '../propose/names.ts';
import { notRecordable, notStored } from '../answer/not-recordable.ts';
import { type Parts, toolNamed } from '../core/parts.ts';
import { policyFor } from '../propose/policy.ts';
import { type Proposal } from '../propose/proposal.ts';
import { isOfLostTime, presumptionFor } from '../attend/presumed.ts';
import { downstreamKeyFor } from '../attempt/send.ts';
import { createInSlot, isDispatchedBy } from '../attempt/slots.ts';
import { undoneByThis } from '../attempt/undo.ts';
import { withWhatHappened } from '../record/what-happened.ts';

export interface RepeatRequest {
  /** The settled action that is to be done once more. */
  readonly of: string;
  readonly by: string;
  readonly reason: string;
  readonly tenant: string;
  /** The revision of `of` that its author saw. */
  readonly revisionSeen: number;
  /** Other arguments than the action's; default: the same. */
  readonly arguments?: unknown;
  /** The author knows that a forced ending may have had its effect. */
  readonly confirmedDouble?: boolean;
  readonly waitMs?: number;
}

/** Opens the epoch after `of`, deliberately. Said again, it is a duplicate of itself. */
export async function repeatAction(parts: Parts, request: RepeatRequest): Promise<Answer> {
  const repeat = await checkedRepeat(parts, request);
  return 'word' in repeat ? repeat : openRepeat(parts, repeat);
}

async function checkedRepeat(parts: Parts, request: RepeatRequest): Promise<Repeat | Answer> {
  const misfit = checkRequest(request, repeatShape);
  if (misfit !== undefined) return no(request, '', misfit);
  const of = await ownAction(parts, request);
  if (of === undefined) return no(request, '', unknownAction(request.of));
  const tool = toolNamed(parts, of.tenant, of.tool);
  if (tool === undefined) return no(request, of.tool, notServed(of.tool));
  const stale = await staleRepeat(parts, request, of);
  if (stale !== undefined) return no(request, of.tool, stale);
  const refused = refusedRepeat(parts, request, of);
  if (refused !== undefined) return no(request, of.tool, refused);
  const closed = notRecordable(parts, proposalOf(request, of));
  if (closed !== undefined) return closed;
  const valid = argumentsOf(request, of, tool);
  if (valid.kind === 'refusal') return no(request, of.tool, valid);
  // The chain is given by `of`: the key of the new arguments plays no part, only their hash does.
  const named = namesOf(
    parts,
    tool,
    { tenant: of.tenant, origin: {}, key: of.key ?? of.id },
    valid.args,
  );
  if (named.kind === 'refusal') return no(request, of.tool, named);
  const actionId = actionIdOf(keyHashOf(of.id), epochOf(of.id) + 1);
  return { request, of, tool, actionId, named };
}

/** As they are stored, those of the repeated action hold no secrets. */
function argumentsOf(
  { arguments: given }: RepeatRequest,
  of: Action,
  { name, declaration, validate }: Tool,
): ReturnType<Tool['validate']> | Refusal<RefusedCode> {
  if (given === undefined && declaration.secret.length > 0)
    return refusal(
      'repeat.arguments-needed',
      `The secret arguments of ${name} are not stored: give the whole arguments again.`,
    );
  if (given === undefined && of.archived?.cut.includes('arguments') === true)
    return refusal(
      'repeat.arguments-needed',
      `The arguments of ${of.id} are archived in ${of.archived.file}, and kept in part only: give the whole arguments again.`,
    );
  const plain = checkJson(given ?? of.arguments);
  return plain.kind === 'refusal' ? plain : validate(plain.value);
}

function proposalOf(
  { waitMs }: RepeatRequest,
  { tool, tenant, arguments: args }: Action,
): Proposal {
  const wait = waitMs === undefined ? {} : { waitMs };
  return { tool, tenant, arguments: args, origin: {}, ...wait };
}

/** Of this tenant; another tenant's does not exist. */
async function ownAction(parts: Parts, { of, tenant }: RepeatRequest): Promise<Action | undefined> {
  if (parseActionId(of) === undefined) return undefined;
  const loaded = await parts.actions.load(of, { fresh: true });
  return loaded.kind === 'action' && loaded.action.tenant === tenant ? loaded.action : undefined;
}

async function staleRepeat(
  { store }: Parts,
  { revisionSeen }: RepeatRequest,
  of: Action,
): Promise<Refusal<ActionRefusalCode> | undefined> {
  const stale = revisionSeen === of.revision ? undefined : staleRevision(of, revisionSeen);
  return stale && withWhatHappened(store, streamOfAction(of.id), revisionSeen, stale);
}

function refusedRepeat(
  parts: Parts,
  request: RepeatRequest,
  of: Action,
): Refusal<AnswerCode> | undefined {
  const hindrance = repeatHindrance(of, parts.judge.watched(of), request.confirmedDouble === true);
  if (hindrance === undefined) return undefined;
  const message = `Only a settled action without doubt can be repeated; this one is ${of.status} (${hindrance}).`;
  return refusal('repeat.too-early', message);
}

interface Repeat {
  readonly request: RepeatRequest;
  readonly of: Action;
  readonly tool: Tool;
  readonly actionId: string;
  readonly named: Names;
}

async function openRepeat(parts: Parts, repeat: Repeat): Promise<Answer> {
  const { request, of, tool, actionId, named } = repeat;
  const startedMono = parts.clock.monoMs();
  const wanted = { actionId, tenant: of.tenant, tool, arguments: named.args };
  const created = await createInSlot(parts.slots, wanted, parts.worker, (isSent) =>
    parts.actions.create(actionId, planOf(parts, repeat, isSent && tool.byCaller !== true), {
      by: request.by,
      argumentsText: named.argumentsText,
    }),
  ).catch((fault: unknown) => notStored(parts, proposalOf(request, of), actionId, fault));
  if ('word' in created) return created;
  if (created.kind === 'taken') return existingRepeat(parts, repeat);
  if (created.kind === 'broken')
    return no(request, of.tool, refusal('stream.broken', created.reason));
  if (created.kind === 'refusal') return no(request, of.tool, created);
  if (created.action.secret) parts.secrets.set(actionId, named.args);
  if (isDispatchedBy(parts.worker, created))
    void runAttempt(parts, tool, created.action, startedMono);
  else void parts.attend(actionId);
  const rested = await awaitRest(parts, actionId, request.waitMs ?? tool.rules.leaseMs);
  const action = rested ?? created.action;
  return answerFor(action, { repeat: isOfLostTime(action) });
}

function planOf(
  parts: Parts,
  { request, of, tool, actionId, named }: Repeat,
  isSent: boolean,
): PlanAction {
  const undoes = undoneByThis(parts, tool, of.tenant, named.stored);
  const approval = needsApproval(tool, named.args) ? tool.approval?.rules : undefined;
  const downstreamKey = downstreamKeyFor(parts, tool, actionId);
  const presumed = presumptionFor(parts, tool, { actionId, previous: of, undoes });
  return {
    type: 'PlanAction',
    plan: {
      tenant: of.tenant,
      tool: tool.name,
      epoch: epochOf(actionId),
      identityVersion: tool.declaration.identityVersion,
      arguments: named.stored,
      argumentsHash: named.argumentsHash,
      by: request.by,
      repeatOf: { action: of.id, reason: request.reason, by: request.by },
      ...(of.key === undefined ? {} : { key: of.key }),
      ...(tool.declaration.secret.length === 0 ? {} : { secret: true as const }),
    },
    policy: policyFor(tool, of.tenant, named.args),
    rules: tool.rules,
    ...(approval === undefined ? {} : { approval }),
    ...(presumed === undefined ? {} : { presumed }),
    ...(!isSent
      ? {}
      : {
          dispatch: {
            worker: parts.worker,
            downstreamKey,
            ...(undoes.length === 0 ? {} : { undoes }),
          },
        }),
  };
}

async function existingRepeat(
  parts: Parts,
  { request, of, actionId, named }: Repeat,
): Promise<Answer> {
  const loaded = await parts.actions.load(actionId, { fresh: true });
  if (loaded.kind === 'broken')
    return no(request, of.tool, refusal('stream.broken', loaded.reason));
  if (loaded.action.argumentsHash === argumentsHashFor(named, loaded.action))
    return answerFor(loaded.action, { repeat: true });
  return refusedAnswer({
    tenant: of.tenant,
    tool: of.tool,
    word: 'other-arguments',
    code: 'key.other-arguments',
    reason: 'This action has been repeated already, with other arguments.',
    actionId,
  });
}

function no(request: RepeatRequest, tool: string, why: Refusal<RefusedCode>): Answer {
  const { tenant, of } = request;
  return refusedAnswer({
    tenant,
    tool,
    word: 'refused',
    code: why.code,
    reason: why.message,
    actionId: of,
    ...(why.detail === undefined ? {} : { detail: why.detail }),
  });
}
