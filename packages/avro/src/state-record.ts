// The state of an action as a flat record: what analysts ask for as members of their own, and the whole of it.
import {
  type Action,
  type ActionStatus,
  canonicalJson,
  dispatches,
  isInDoubt,
  type JsonObject,
} from '@action-ledger/domain';
import { type Fields, optional, withNulls } from './fields.ts';

/** `in_doubt` where nothing has succeeded and an attempt is not proven to be without effect: it is never guessed. */
export type Effect = 'none' | 'made' | 'in_doubt' | 'undone';

/** What readers go by; the other members of the record are for sinks, and stand in `state` too. */
export interface AvroState {
  readonly actionId: string;
  readonly tenant: string;
  readonly tool: string;
  /** `other` where a newer program has a status that this one does not know. */
  readonly status: ActionStatus | 'other';
  readonly revision: bigint;
  readonly effect: Effect | 'other';
  readonly externalId?: string;
  /** The whole state as canonical JSON text. */
  readonly state: string;
}

export function fieldsOfState(action: Action): Fields {
  return withNulls({
    actionId: action.id,
    tenant: action.tenant,
    tool: action.tool,
    status: action.status,
    revision: action.revision,
    epoch: action.epoch,
    guarantee: action.guarantee,
    effect: effectOf(action),
    attempts: dispatches(action),
    checks: action.checks,
    openIncidents: action.incidents.length,
    duplicateEffects: action.duplicates.length,
    ...timesOf(action),
    ...endOf(action),
    ...originOf(action),
    undoneBy: action.undoneBy,
    compensatedBy: action.compensatedBy,
    supersededBy: action.supersededBy,
    state: canonicalJson(action as unknown as JsonObject),
  });
}

function timesOf(action: Action) {
  const { plannedAt, updatedAt, validUntil, unknownSince, watch, approval } = action;
  const isWaiting = action.status === 'awaiting_approval';
  return {
    plannedAt,
    updatedAt,
    validUntil,
    unknownSince,
    owner: watch?.owner,
    nextCheckAt: watch?.nextCheckAt,
    approvalUntil: isWaiting ? approval?.expiresAt : undefined,
  };
}

function endOf({ outcome, ending }: Action) {
  return {
    externalId: outcome?.externalId,
    settledAt: outcome?.at ?? ending?.at,
    reason: ending?.reason,
    code: ending?.code,
  };
}

function originOf({ by, key, calls: [first], workflow }: Action) {
  return {
    proposedBy: by,
    key,
    conversation: first?.conversation,
    run: first?.run,
    workflowId: workflow?.id,
    step: workflow?.step,
  };
}

export function effectOf(action: Action): Effect {
  if (action.status === 'compensated' || action.undoneBy !== undefined) return 'undone';
  if (action.outcome !== undefined) return 'made';
  return isInDoubt(action) ? 'in_doubt' : 'none';
}

export function stateOfFields(fields: Fields): AvroState {
  const { actionId, tenant, tool, status, revision, effect, state } =
    fields as unknown as AvroState;
  return {
    actionId,
    tenant,
    tool,
    status,
    revision,
    effect,
    ...optional(fields, ['externalId']),
    state,
  };
}
