// The shape of what callers and operators hand over, checked at the door: types say it, programs in
// plain JavaScript do not. A request that does not fit is refused, never guessed at.
import {
  type ActionRefusalCode,
  checkJson,
  type JsonValue,
  type Refusal,
  refusal,
} from '@action-ledger/domain';
import { type Proposal } from '../propose/proposal.ts';

type Plain = 'text' | 'revision' | 'attempt' | 'wait' | 'flag';

export type Shape = Plain | `${Plain}?` | readonly string[];

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
    return invalid(name, wanted);
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
  const isOptional = shape.endsWith('?');
  if (isOptional && value === undefined) return undefined;
  const { fits, wanted } = plain[(isOptional ? shape.slice(0, -1) : shape) as Plain];
  return fits(value) ? undefined : wanted;
}

const plain: Readonly<
  Record<Plain, { readonly fits: (value: unknown) => boolean; readonly wanted: string }>
> = {
  text: { fits: isText, wanted: `a text of 1 to ${textMax} characters that is not blank` },
  revision: { fits: Number.isSafeInteger, wanted: 'the revision that was seen, a whole number' },
  attempt: {
    fits: (value) => Number.isSafeInteger(value) && (value as number) > 0,
    wanted: 'the number of an attempt, from 1',
  },
  wait: { fits: isWait, wanted: 'a number of milliseconds from 0' },
  flag: { fits: (value) => typeof value === 'boolean', wanted: 'true or false' },
};

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
  revisionSeen: 'revision?',
} as const satisfies Readonly<Record<string, Shape>>;

export const cancelShape = {
  actionId: 'text',
  by: 'text',
  reason: 'text',
  revisionSeen: 'revision',
} as const satisfies Readonly<Record<string, Shape>>;

export const editShape = {
  actionId: 'text',
  by: 'text',
  reason: 'text',
  revisionSeen: 'revision',
  tool: 'text?',
  waitMs: 'wait?',
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
  revisionSeen: 'revision',
  tenant: 'text',
  confirmedDouble: 'flag?',
  waitMs: 'wait?',
} as const satisfies Readonly<Record<string, Shape>>;

export const checkNowShape = {
  actionId: 'text',
  by: 'text',
  revisionSeen: 'revision',
} as const satisfies Readonly<Record<string, Shape>>;

export const closeIncidentShape = {
  actionId: 'text',
  incident: 'text',
  by: 'text',
  reason: 'text',
  revisionSeen: 'revision',
} as const satisfies Readonly<Record<string, Shape>>;

export const pauseShape = {
  tenant: 'text?',
  tool: 'text?',
  by: 'text',
  reason: 'text',
} as const satisfies Readonly<Record<string, Shape>>;

export const resumeShape = {
  ...pauseShape,
  revisionSeen: 'revision',
} as const satisfies Readonly<Record<string, Shape>>;

export const reportShape = {
  source: 'text',
  claims: ['success', 'refusal', 'note'],
  proven: 'flag?',
  neverHadEffect: 'flag?',
  id: 'text?',
  attempt: 'attempt?',
  externalId: 'text?',
} as const satisfies Readonly<Record<string, Shape>>;

/** Of a report that names its action as the provider does. */
export const reportAboutShape = {
  tenant: 'text',
  tool: 'text?',
  action: 'text?',
  downstreamKey: 'text?',
  reference: 'text?',
} as const satisfies Readonly<Record<string, Shape>>;

const originShape = {
  conversation: 'text?',
  run: 'text?',
  turn: 'text?',
  call: 'text?',
} as const satisfies Readonly<Record<string, Shape>>;

const callerShape = {
  tenant: 'text',
  by: 'text?',
  request: 'text?',
  waitMs: 'wait?',
  loggedAt: 'wait?',
} as const satisfies Readonly<Record<string, Shape>>;

type Called = Pick<
  Proposal,
  'origin' | 'tenant' | 'by' | 'key' | 'request' | 'waitMs' | 'signal' | 'execute' | 'loggedAt'
>;

/** Beside the arguments, which are checked as JSON, and the key, which has rules of its own. */
export function checkProposal(proposal: Called): Refusal<ActionRefusalCode> | undefined {
  const { origin, key, signal } = proposal as { readonly [Member in keyof Called]: unknown };
  if (key !== undefined && typeof key !== 'string') return invalid('key', 'a text');
  if (typeof origin !== 'object' || origin === null)
    return invalid('origin', 'an object with conversation, run, turn and call, as far as known');
  const unknown = unknownMember(origin);
  if (unknown !== undefined) return notOfCall(unknown);
  if (signal !== undefined && !isAbortSignal(signal)) return invalid('signal', 'an AbortSignal');
  if (doesFit(proposal)) return undefined;
  return checkRequest(origin, originShape) ?? checkRequest(proposal, callerShape);
}

/** The same shapes, without walking them: nearly every proposal fits. */
function doesFit({ origin, tenant, by, request, waitMs, loggedAt }: Called): boolean {
  const { conversation, run, turn, call } = origin;
  return (
    isText(tenant) &&
    isTextOrNone(by) &&
    isTextOrNone(request) &&
    isTextOrNone(conversation) &&
    isTextOrNone(run) &&
    isTextOrNone(turn) &&
    isTextOrNone(call) &&
    (waitMs === undefined || isWait(waitMs)) &&
    (loggedAt === undefined || isWait(loggedAt))
  );
}

function isTextOrNone(value: unknown): boolean {
  return value === undefined || isText(value);
}

function isWait(value: unknown): boolean {
  return typeof value === 'number' && value >= 0 && value < Infinity;
}

/** By what is used of it: it may come from another realm. */
function isAbortSignal(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { aborted, addEventListener } = value as Partial<AbortSignal>;
  return typeof aborted === 'boolean' && typeof addEventListener === 'function';
}

/** A misspelt id would be left out of the identity without a word. */
function unknownMember(origin: object): string | undefined {
  for (const name in origin) {
    switch (name) {
      case 'run':
      case 'turn':
      case 'call':
      case 'conversation':
        continue;
      default:
        if ((origin as Readonly<Record<string, unknown>>)[name] !== undefined) return name;
    }
  }
  return undefined;
}

function notOfCall(name: string): Refusal<ActionRefusalCode> {
  const members = 'conversation, run, turn, call, tenant, key, by, waitMs and signal';
  return refusal(
    'action.request-invalid',
    `Nothing was recorded: where a call comes from has no member "${name}"; it has ${members}.`,
    { member: name },
  );
}

/** Members of an origin that are undefined count as missing: they are not recorded. */
export function withoutUndefined(proposal: Proposal): Proposal {
  const { origin } = proposal as { readonly origin: unknown };
  if (typeof origin !== 'object' || origin === null || !hasUndefined(origin)) return proposal;
  const given = Object.entries(origin).filter(([, value]) => value !== undefined);
  return { ...proposal, origin: Object.fromEntries(given) };
}

function hasUndefined(members: object): boolean {
  for (const name in members)
    if ((members as Readonly<Record<string, unknown>>)[name] === undefined) return true;
  return false;
}

export type CheckedMember =
  { readonly kind: 'checked'; readonly value: JsonValue | undefined } | Refusal<ActionRefusalCode>;

/** What a request brings along to be recorded: plain JSON, or nothing. */
export function checkRecorded(name: string, given: unknown): CheckedMember {
  if (given === undefined) return { kind: 'checked', value: undefined };
  const checked = checkJson(given);
  if (checked.kind === 'checked') return checked;
  const { message, detail } = checked;
  return refusal(
    'action.request-invalid',
    `Nothing was recorded: "${name}" must be plain JSON. ${message}`,
    { ...detail, member: name },
  );
}

function invalid(name: string, wanted: string): Refusal<ActionRefusalCode> {
  return refusal('action.request-invalid', `Nothing was recorded: "${name}" must be ${wanted}.`, {
    member: name,
  });
}
