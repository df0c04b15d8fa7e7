// What people do about actions: vote, cancel, settle what is unknown, close incidents. Every command
// carries what its author saw, and becomes an event with its author.
import { type Action, type CommandOf, type JsonValue, type Refusal } from '@action-ledger/domain';
import { isSecretLost } from '../attend/reconcile.ts';
import { afterSuccess } from '../attempt/after-success.ts';
import { type Performed } from '../record/action-store.ts';
import {
  cancelShape,
  checkNowShape,
  checkRecorded,
  checkRequest,
  closeIncidentShape,
  settleShape,
  voteShape,
} from '../core/check-request.ts';
import { joinedBy } from '../propose/join.ts';
import { performKnown } from '../record/known-action.ts';
import { manualRules } from '../attempt/manual-rules.ts';
import { inSpan } from '../core/spans.ts';
import { type Parts, toolOf } from '../core/parts.ts';

export interface VoteRequest {
  readonly actionId: string;
  readonly voter: string;
  readonly vote: 'approve' | 'reject';
  readonly argumentsHash: string;
  readonly reason?: string;
  /** The revision that the voter saw, beside the arguments: one that is stale is refused. */
  readonly revisionSeen?: number;
}

export function castVote(parts: Parts, request: VoteRequest): Promise<Performed> {
  const { actionId: action, vote } = request;
  return inSpan({ name: 'vote', facts: { action, vote }, ended: endOf }, () =>
    voteOnce(parts, request),
  );
}

function endOf(performed: Performed): object {
  if (performed.kind === 'refusal') return { refused: performed.code };
  return performed.kind === 'done' ? { status: performed.action.status } : {};
}

async function voteOnce(parts: Parts, request: VoteRequest): Promise<Performed> {
  const misfit = checkRequest(request, voteShape);
  if (misfit !== undefined) return misfit;
  const { actionId, voter, vote, argumentsHash, reason, revisionSeen } = request;
  const more = {
    ...(reason === undefined ? {} : { reason }),
    ...(revisionSeen === undefined ? {} : { revisionSeen }),
  };
  const performed = await performKnown(
    parts,
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
  readonly revisionSeen: number;
}

export async function cancelAction(parts: Parts, request: CancelRequest): Promise<Performed> {
  const misfit = checkRequest(request, cancelShape);
  if (misfit !== undefined) return misfit;
  const { actionId, by, reason, revisionSeen } = request;
  return performKnown(
    parts,
    actionId,
    () => ({ type: 'Cancel', by, person: true, reason, revisionSeen }),
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

export function settleUnknown(parts: Parts, request: SettleRequest): Promise<Performed> {
  const { actionId: action, verdict } = request;
  return inSpan({ name: 'settle', facts: { action, verdict }, ended: endOf }, () =>
    settleOnce(parts, request),
  );
}

async function settleOnce(parts: Parts, request: SettleRequest): Promise<Performed> {
  const misfit = checkRequest(request, settleShape);
  if (misfit !== undefined) return misfit;
  const result = checkRecorded('result', request.result);
  if (result.kind === 'refusal') return result;
  const { actionId, by, reason, revisionSeen, verdict, forced, externalId } = request;
  const id = externalId === undefined ? {} : { externalId };
  const performed = await performKnown(
    parts,
    actionId,
    (action) => ({
      type: 'Settle',
      by,
      reason,
      revisionSeen,
      verdict:
        verdict === 'found'
          ? { kind: 'found', result: result.value ?? null, ...id }
          : { kind: 'absent', ...(forced === true ? { forced } : {}) },
      watched: parts.judge.watched(action),
      rules: toolOf(parts, action)?.rules ?? manualRules(action.tool),
      ...joinedBy(parts, action),
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
  const { actionId, incident, by, reason, revisionSeen } = request;
  return performKnown(
    parts,
    actionId,
    () => ({ type: 'CloseIncident', incident, by, reason, revisionSeen }),
    { by },
  );
}

export interface CheckNowRequest {
  readonly actionId: string;
  readonly by: string;
  readonly revisionSeen: number;
}

/** Makes an unknown due now, whatever its next check: somebody asks. The action is as the look has left it. */
export async function checkNow(parts: Parts, request: CheckNowRequest): Promise<Performed> {
  const misfit = checkRequest(request, checkNowShape);
  if (misfit !== undefined) return misfit;
  const { actionId, by, revisionSeen } = request;
  const asked = await performKnown(parts, actionId, checking(parts, revisionSeen), { by });
  if (asked.kind !== 'done') return asked;
  await parts.attend(actionId);
  await parts.runs.get(actionId)?.done;
  const loaded = await parts.actions.load(actionId);
  return loaded.kind === 'broken' ? loaded : { ...asked, action: loaded.action };
}

function checking(parts: Parts, revisionSeen: number) {
  return (action: Action): CommandOf<'CheckNow'> => {
    const tool = toolOf(parts, action);
    return {
      type: 'CheckNow',
      revisionSeen,
      rules: tool?.rules ?? manualRules(action.tool),
      watched: parts.judge.watched(action),
      clockBehind: parts.clock.isBehind(),
      ...(tool !== undefined && isSecretLost(parts, tool, action) ? { secretLost: true } : {}),
    };
  };
}
