// The shape of what callers and operators hand over, checked at the door: types say it, programs in
// plain JavaScript do not. A request that does not fit is refused, never guessed at.
import { type ActionRefusalCode, type Refusal, refusal } from '@action-ledger/domain';
import { type Proposal } from './proposal.ts';

export type Shape = 'text' | 'text?' | 'revision' | 'revision?' | 'flag?' | readonly string[];

/** The longest text of a person: a name, a reason. UTF-16 units. */
const textMax = 4_096;

/** @returns the first member that does not fit, as a refusal */
export function checkRequest(
  request: object,
  shapes: Readonly<Record<string, Shape>>,
): Refusal<ActionRefusalCode> | undefined {
  const members = request as Readonly<Record<string, unknown>>;
  for (const [name, shape] of Object.entries(shapes)) {
    const wanted = misfit(members[name], shape);
    if (wanted === undefined) continue;
    return refusal('action.request-invalid', `Nothing was recorded: "${name}" must be ${wanted}.`, {
      member: name,
    });
  }
  return undefined;
}

/** What it should have been, or undefined where it fits. */
function misfit(value: unknown, shape: Shape): string | undefined {
  if (typeof shape !== 'string') {
    return typeof value === 'string' && shape.includes(value)
      ? undefined
      : `one of ${shape.join(', ')}`;
  }
  if (shape.endsWith('?') && value === undefined) return undefined;
  switch (shape) {
    case 'text':
    case 'text?':
      return isText(value) ? undefined : `a text of 1 to ${textMax} characters that is not blank`;
    case 'revision':
    case 'revision?':
      return Number.isSafeInteger(value) ? undefined : 'the revision that was seen, a whole number';
    case 'flag?':
      return typeof value === 'boolean' ? undefined : 'true or false';
  }
}

function isText(value: unknown): boolean {
  return (
    typeof value === 'string' &&
    value.trim() !== '' &&
    value.length <= textMax &&
    value.isWellFormed()
  );
}

export const voteShape = {
  actionId: 'text',
  voter: 'text',
  vote: ['approve', 'reject'],
  argumentsHash: 'text',
  reason: 'text?',
} as const satisfies Readonly<Record<string, Shape>>;

export const cancelShape = {
  actionId: 'text',
  by: 'text',
  reason: 'text',
  revisionSeen: 'revision?',
} as const satisfies Readonly<Record<string, Shape>>;

export const editShape = {
  actionId: 'text',
  by: 'text',
  reason: 'text',
  revisionSeen: 'revision',
  tool: 'text?',
} as const satisfies Readonly<Record<string, Shape>>;

export const settleShape = {
  actionId: 'text',
  by: 'text',
  reason: 'text',
  revisionSeen: 'revision',
  verdict: ['found', 'absent'],
  forced: 'flag?',
  externalId: 'text?',
} as const satisfies Readonly<Record<string, Shape>>;

export const repeatShape = {
  of: 'text',
  by: 'text',
  reason: 'text',
  tenant: 'text',
  confirmedDouble: 'flag?',
} as const satisfies Readonly<Record<string, Shape>>;

export const closeIncidentShape = {
  actionId: 'text',
  incident: 'text',
  by: 'text',
  reason: 'text',
  revisionSeen: 'revision',
} as const satisfies Readonly<Record<string, Shape>>;

export const reportShape = {
  source: 'text',
  claims: ['success', 'refusal', 'note'],
  externalId: 'text?',
} as const satisfies Readonly<Record<string, Shape>>;

const originShape = {
  conversation: 'text?',
  run: 'text?',
  turn: 'text?',
  call: 'text?',
} as const satisfies Readonly<Record<string, Shape>>;

const callerShape = { tenant: 'text', by: 'text?' } as const satisfies Readonly<
  Record<string, Shape>
>;

/** Beside the arguments, which are checked as JSON, and the key, which has rules of its own. */
export function checkProposal(
  proposal: Pick<Proposal, 'origin' | 'tenant' | 'by' | 'key'>,
): Refusal<ActionRefusalCode> | undefined {
  const { origin, key } = proposal as { readonly origin: object; readonly key: unknown };
  if (key !== undefined && typeof key !== 'string') {
    return refusal('action.request-invalid', 'Nothing was recorded: "key" must be a text.', {
      member: 'key',
    });
  }
  if (fits(proposal)) return undefined;
  return checkRequest(origin, originShape) ?? checkRequest(proposal, callerShape);
}

/** The same shapes, without walking them: nearly every proposal fits. */
function fits({ origin, tenant, by }: Pick<Proposal, 'origin' | 'tenant' | 'by'>): boolean {
  const { conversation, run, turn, call } = origin;
  return (
    isText(tenant) &&
    isTextOrNone(by) &&
    isTextOrNone(conversation) &&
    isTextOrNone(run) &&
    isTextOrNone(turn) &&
    isTextOrNone(call)
  );
}

function isTextOrNone(value: unknown): boolean {
  return value === undefined || isText(value);
}
