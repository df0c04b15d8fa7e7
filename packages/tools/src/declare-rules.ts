// Reads the lifecycle part of a declaration: guarantee, times, retries, checks, approval. Fills the
// defaults of DESIGN.md section 5 and refuses combinations that cannot keep their promise.
import {
  type ApprovalRules,
  defaultChecks,
  defaultRetry,
  defaultTimes,
  type Guarantee,
  type JsonObject,
  type ToolRules,
} from '@action-ledger/domain';
import { type ToolDefinition } from './definition.ts';
import { isMilliseconds, parseDuration } from './duration.ts';
import { type Fail } from './tool-declaration-error.ts';

type Definition = ToolDefinition<JsonObject>;

const guarantees: readonly Guarantee[] = ['idempotent', 'lookup', 'natural', 'manual'];
const attemptsAllowed = 100;
const checksAllowed = 1_000;

/** @throws ToolDeclarationError */
export function declareRules(definition: Definition, fail: Fail): ToolRules {
  const guarantee = guaranteeOf(definition, fail);
  const times = timesOf(definition, fail);
  return {
    tool: definition.name,
    guarantee,
    ...times,
    keyWindowMs: guarantee === 'idempotent' ? keyWindowOf(definition, fail) : 0,
    validForMs: duration('validFor', definition.validFor, defaultTimes.validForMs, 1, fail),
    undoWindowMs: duration('undoWindow', definition.undoWindow, 0, 0, fail),
    retry: retryOf(definition, fail),
    checks: checksOf(definition, fail),
    undoneBy: (definition.undoneBy ?? []).map(({ tool, match }) => ({ tool, match: { ...match } })),
    canLookUp: definition.lookup !== undefined,
  };
}

/** Undefined: no approval is asked for. @throws ToolDeclarationError `tool.approval` */
export function declareApproval(definition: Definition, fail: Fail): ApprovalRules | undefined {
  const approval = definition.approval;
  if (approval === undefined || approval === false) return undefined;
  const { votes = 1, ownVote = false, expiresAfter, when } = approval === true ? {} : approval;
  if (!isCount(votes, 1, attemptsAllowed))
    fail('tool.approval', 'approval.votes must be a whole number from 1.');
  if (typeof ownVote !== 'boolean')
    fail('tool.approval', 'approval.ownVote must be true or false.');
  if (when !== undefined && typeof when !== 'function')
    fail('tool.approval', 'approval.when must be a function of the arguments.');
  const expiresAfterMs = duration(
    'approval.expiresAfter',
    expiresAfter,
    defaultTimes.approvalMs,
    1,
    fail,
  );
  return { votes, ownVote, expiresAfterMs };
}

function guaranteeOf(definition: Definition, fail: Fail): Guarantee {
  const guarantee = definition.guarantee;
  if (definition.kind === 'read') {
    if (guarantee !== undefined)
      fail(
        'tool.guarantee',
        'a read has no effect to guarantee; remove `guarantee`, or declare kind: "write".',
      );
    return 'manual';
  }
  if (guarantee === undefined || !guarantees.includes(guarantee))
    return fail(
      'tool.guarantee',
      'a write must declare its `guarantee`: "idempotent" (the provider dedupes on our key), "lookup" (the effect can be found), "natural" (it sets a state) or "manual" (none of these). A tool without effect declares kind: "read".',
    );
  if (guarantee === 'lookup' && definition.lookup === undefined)
    fail(
      'tool.lookup',
      'guarantee "lookup" needs a `lookup` function that finds the effect by our key or reference; without one declare "manual".',
    );
  return guarantee;
}

function keyWindowOf(definition: Definition, fail: Fail): number {
  const declared = parseDuration(definition.keyWindow);
  if (declared !== undefined && declared > 0) return declared;
  return fail(
    'tool.key-window',
    'guarantee "idempotent" needs `keyWindow`: how long the provider remembers a key ("24h"; see its documentation).',
  );
}

type Times = Pick<ToolRules, 'timeoutMs' | 'inFlightMs' | 'leaseMs' | 'settleMs'>;

function timesOf(definition: Definition, fail: Fail): Times {
  const timeoutMs = milliseconds(
    'timeoutMs',
    definition.timeoutMs,
    defaultTimes.timeoutMs,
    1,
    fail,
  );
  const inFlightDefault = timeoutMs + defaultTimes.inFlightAfterDeadlineMs;
  const inFlightMs = milliseconds('inFlightMs', definition.inFlightMs, inFlightDefault, 1, fail);
  if (inFlightMs < timeoutMs)
    fail(
      'tool.times',
      `inFlightMs (${inFlightMs}) is shorter than timeoutMs (${timeoutMs}), but a request may be under way until it is aborted; raise it.`,
    );
  const leaseMs = milliseconds(
    'leaseMs',
    definition.leaseMs,
    timeoutMs + defaultTimes.leaseAfterDeadlineMs,
    1,
    fail,
  );
  const settleMs = milliseconds('settleMs', definition.settleMs, defaultTimes.settleMs, 0, fail);
  return { timeoutMs, inFlightMs, leaseMs, settleMs };
}

function retryOf(definition: Definition, fail: Fail): ToolRules['retry'] {
  const { attempts = defaultRetry.attemptsMax } = definition.retry ?? {};
  if (!isCount(attempts, 1, attemptsAllowed))
    fail(
      'tool.times',
      `retry.attempts counts every dispatch, the first included: a whole number from 1 to ${attemptsAllowed}.`,
    );
  const [backoffMinMs, backoffMaxMs] = range(
    ['retry.backoffMinMs', definition.retry?.backoffMinMs, defaultRetry.backoffMinMs],
    ['retry.backoffMaxMs', definition.retry?.backoffMaxMs, defaultRetry.backoffMaxMs],
    fail,
  );
  return { attemptsMax: attempts, backoffMinMs, backoffMaxMs };
}

function checksOf(definition: Definition, fail: Fail): ToolRules['checks'] {
  const declared = definition.checks ?? {};
  const checksMax = declared.checksMax ?? defaultChecks.checksMax;
  if (!isCount(checksMax, 1, checksAllowed))
    fail('tool.times', `checks.checksMax must be a whole number from 1 to ${checksAllowed}.`);
  const [intervalMinMs, intervalMaxMs] = range(
    ['checks.intervalMinMs', declared.intervalMinMs, defaultChecks.intervalMinMs],
    ['checks.intervalMaxMs', declared.intervalMaxMs, defaultChecks.intervalMaxMs],
    fail,
  );
  const escalateAfterMs = milliseconds(
    'checks.escalateAfterMs',
    declared.escalateAfterMs,
    defaultChecks.escalateAfterMs,
    1,
    fail,
  );
  return { intervalMinMs, intervalMaxMs, checksMax, escalateAfterMs };
}

type Bound = readonly [name: string, declared: number | undefined, byDefault: number];

/** Two bounds, of which a declared one moves the default of the other. */
function range(low: Bound, high: Bound, fail: Fail): readonly [number, number] {
  const min = milliseconds(low[0], low[1], Math.min(low[2], high[1] ?? low[2]), 1, fail);
  const max = milliseconds(high[0], high[1], Math.max(high[2], min), 1, fail);
  if (max < min) fail('tool.times', `${high[0]} (${max}) is below ${low[0]} (${min}).`);
  return [min, max];
}

function milliseconds(
  name: string,
  declared: number | undefined,
  byDefault: number,
  min: number,
  fail: Fail,
): number {
  const value = declared ?? byDefault;
  if (!isMilliseconds(value) || value < min)
    fail('tool.times', `${name} must be whole milliseconds from ${min}.`);
  return value;
}

function duration(
  name: string,
  declared: unknown,
  byDefault: number,
  min: number,
  fail: Fail,
): number {
  const value = declared === undefined ? byDefault : parseDuration(declared);
  if (value === undefined || value < min)
    return fail(
      'tool.times',
      `${name} must be milliseconds or a text such as "500ms", "30s", "10min", "24h", "30d".`,
    );
  return value;
}

function isCount(value: unknown, min: number, max: number): value is number {
  return Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max;
}
