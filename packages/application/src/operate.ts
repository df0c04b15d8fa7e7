// What people do about actions: vote, cancel, settle what is unknown, repeat, close incidents. Every
// command carries what its author saw, and becomes an event with its author.
import {
  type Action,
  actionIdOf,
  epochOf,
  type JsonValue,
  keyHashOf,
  refusal,
  type Refusal,
  repeatHindrance,
} from '@action-ledger/domain';
import { type Tool } from '@action-ledger/tools';
import { afterSuccess } from './after-success.ts';
import { type Performed } from './action-store.ts';
import { type Answer, answerFor, refusedAnswer } from './answer.ts';
import { type AnswerCode, type RefusedCode } from './answer-codes.ts';
import { runAttempt } from './attempt.ts';
import { awaitRest } from './await-rest.ts';
import {
  cancelShape,
  checkRequest,
  closeIncidentShape,
  repeatShape,
  settleShape,
  voteShape,
} from './check-request.ts';
import { type EpochChains } from './chain-of-epochs.ts';
import { joinedBy } from './join.ts';
import { manualRules } from './manual-rules.ts';
import { namesOf } from './names.ts';
import { type Parts, toolOf } from './parts.ts';
import { policyFor } from './policy.ts';
import { downstreamKeyFor } from './send.ts';

export interface VoteRequest {
  readonly actionId: string;
  readonly voter: string;
  readonly vote: 'approve' | 'reject';
  readonly argumentsHash: string;
  readonly reason?: string;
}

export async function castVote(parts: Parts, request: VoteRequest): Promise<Performed> {
  const misfit = checkRequest(request, voteShape);
  if (misfit !== undefined) return misfit;
  const { actionId, voter, vote, argumentsHash, reason } = request;
  const more = reason === undefined ? {} : { reason };
  const performed = await parts.actions.perform(
    actionId,
    () => ({ type: 'Vote', voter, vote, argumentsHash, ...more }),
    { by: voter },
  );
  if (performed.kind === 'done' && performed.action.status === 'ready') void parts.attend(actionId);
  const refused = performed.kind === 'done' ? performed.refused : performed;
  if (refused?.kind === 'refusal') noteRefusedVote(parts, request, refused);
  return performed;
}

/** A vote that changed nothing leaves a trace all the same. */
function noteRefusedVote(parts: Parts, { actionId, voter, vote }: VoteRequest, no: Refusal): void {
  const action = parts.actions.peek(actionId);
  if (action === undefined) return;
  parts.sides.add({
    at: parts.clock.nowMs(),
    tenant: action.tenant,
    tool: action.tool,
    action: actionId,
    kind: 'refused',
    reason: `${voter} voted to ${vote}: ${no.message}`,
  });
}

export interface CancelRequest {
  readonly actionId: string;
  readonly by: string;
  readonly reason: string;
  readonly revisionSeen?: number;
}

export async function cancelAction(parts: Parts, request: CancelRequest): Promise<Performed> {
  const misfit = checkRequest(request, cancelShape);
  if (misfit !== undefined) return misfit;
  const { actionId, by, reason, revisionSeen } = request;
  const seen = revisionSeen === undefined ? {} : { revisionSeen };
  return parts.actions.perform(
    actionId,
    () => ({ type: 'Cancel', by, person: true, reason, ...seen }),
    { by },
  );
}

export interface SettleRequest {
  readonly actionId: string;
  readonly by: string;
  readonly reason: string;
  readonly revisionSeen: number;
  readonly verdict: 'found' | 'absent';
  /** `absent` against the waits: ends in `failed` with its doubt on record. */
  readonly forced?: boolean;
  readonly externalId?: string;
  readonly result?: JsonValue;
}

export async function settleUnknown(parts: Parts, request: SettleRequest): Promise<Performed> {
  const misfit = checkRequest(request, settleShape);
  if (misfit !== undefined) return misfit;
  const { actionId, by, reason, revisionSeen, verdict, forced, externalId, result } = request;
  const id = externalId === undefined ? {} : { externalId };
  const performed = await parts.actions.perform(
    actionId,
    (action) => ({
      type: 'Settle',
      by,
      reason,
      revisionSeen,
      verdict:
        verdict === 'found'
          ? { kind: 'found', result: result ?? null, ...id }
          : { kind: 'absent', ...(forced === true ? { forced } : {}) },
      watched: parts.judge.watched(action),
      rules: toolOf(parts, action)?.rules ?? manualRules(action.tool),
      ...joinedBy(parts, actionId),
    }),
    { by },
  );
  if (performed.kind === 'done' && performed.action.status === 'succeeded') {
    await afterSuccess(parts, performed.before, performed.action);
  }
  return performed;
}

export async function closeIncident(
  parts: Parts,
  request: {
    readonly actionId: string;
    readonly incident: string;
    readonly by: string;
    readonly reason: string;
    readonly revisionSeen: number;
  },
): Promise<Performed> {
  const misfit = checkRequest(request, closeIncidentShape);
  if (misfit !== undefined) return misfit;
  const { actionId, ...rest } = request;
  return parts.actions.perform(actionId, () => ({ type: 'CloseIncident', ...rest }), {
    by: request.by,
  });
}

/** Makes an unknown due now, whatever its next check: somebody asks. */
export async function checkNow(parts: Parts, actionId: string): Promise<void> {
  await parts.actions.perform(actionId, (action) =>
    action.status === 'unknown'
      ? {
          type: 'AssignOwner',
          owner: action.watch?.owner ?? 'reconciler',
          nextCheckAt: parts.clock.nowMs(),
          reason: 'asked to check now',
        }
      : undefined,
  );
  await parts.attend(actionId);
}

export interface RepeatRequest {
  /** The settled action that is to be done once more. */
  readonly of: string;
  readonly by: string;
  readonly reason: string;
  readonly tenant: string;
  /** Other arguments than the action's; default: the same. */
  readonly arguments?: unknown;
  /** The author knows that a forced ending may have had its effect. */
  readonly confirmedDouble?: boolean;
  readonly waitMs?: number;
}

/** Opens the epoch after `of`, deliberately. Said again, it is a duplicate of itself. */
export async function repeatAction(
  parts: Parts,
  chains: EpochChains,
  request: RepeatRequest,
): Promise<Answer> {
  const repeat = await checkedRepeat(parts, request);
  return 'word' in repeat ? repeat : openRepeat(parts, chains, repeat);
}

async function checkedRepeat(parts: Parts, request: RepeatRequest): Promise<Repeat | Answer> {
  const misfit = checkRequest(request, repeatShape);
  if (misfit !== undefined) return no(request, '', misfit);
  const of = await ownAction(parts, request);
  const tool = of === undefined ? undefined : toolOf(parts, of);
  if (of === undefined || tool === undefined) {
    const message = `There is no action ${request.of} to repeat here.`;
    return no(request, '', refusal('action.unknown', message));
  }
  const refused = refusedRepeat(parts, request, of);
  if (refused !== undefined) return no(request, of.tool, refused);
  const valid = tool.validate(request.arguments ?? of.arguments);
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

/** Of this tenant; another tenant's does not exist. */
async function ownAction(parts: Parts, { of, tenant }: RepeatRequest): Promise<Action | undefined> {
  const loaded = await parts.actions.load(of);
  return loaded.kind === 'action' && loaded.action.tenant === tenant ? loaded.action : undefined;
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
  readonly named: Exclude<ReturnType<typeof namesOf>, Refusal>;
}

async function openRepeat(parts: Parts, chains: EpochChains, repeat: Repeat): Promise<Answer> {
  const { request, of, tool, actionId, named } = repeat;
  const policy = policyFor(tool, of.tenant, named.args);
  const approval = tool.approval === undefined ? {} : { approval: tool.approval.rules };
  const startedMono = parts.clock.monoMs();
  const created = await parts.actions.create(
    actionId,
    {
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
      },
      policy,
      rules: tool.rules,
      ...approval,
      dispatch: { worker: parts.worker, downstreamKey: downstreamKeyFor(parts, tool, actionId) },
    },
    { by: request.by, argumentsText: named.argumentsText },
  );
  if (created.kind === 'taken') return existingRepeat(parts, repeat);
  if (created.kind === 'broken')
    return no(request, of.tool, refusal('stream.broken', created.reason));
  if (created.kind === 'refusal') return no(request, of.tool, created);
  chains.grew(keyHashOf(actionId), epochOf(actionId) + 1);
  if (created.action.status === 'dispatched')
    void runAttempt(parts, tool, created.action, startedMono);
  const rested = await awaitRest(parts, actionId, request.waitMs ?? tool.rules.leaseMs);
  return answerFor(rested ?? created.action, { repeat: false });
}

async function existingRepeat(
  parts: Parts,
  { request, of, actionId, named }: Repeat,
): Promise<Answer> {
  const loaded = await parts.actions.load(actionId, { fresh: true });
  if (loaded.kind === 'broken')
    return no(request, of.tool, refusal('stream.broken', loaded.reason));
  if (loaded.action.argumentsHash === named.argumentsHash)
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
  });
}
