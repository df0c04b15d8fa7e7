// A tool that callers carry out in processes of their own: its declaration as data, so that the ledger
// can check and name its actions without having its functions. What only code can say cannot travel,
// and is refused before it is sent.
import { z } from 'zod';
import {
  type FieldPath,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  refusal,
} from '@action-ledger/domain';
import { approval, downstreamKey, guarantee, load, naming, times } from './declaration-forms.ts';
import { declarationDigest, type DeclarationData, declarationEvent } from './declaration-event.ts';
import { defineTool } from './define-tool.ts';
import { type ToolDefinition } from './definition.ts';
import { argumentsRefusalCode } from './refusal-codes.ts';
import { isTooMuch, refuseCostly } from './schema/costly-schema.ts';
import { inputFromJsonSchema } from './schema/json-schema.ts';
import { type Fail, failFor, ToolDeclarationError } from './tool-declaration-error.ts';
import { type Tool } from './tool.ts';

/** So that a ledger that is to serve the tool one day can still count on. */
const identityVersionMax = 1_000_000;

const callerToolForm = z.strictObject({
  ...naming,
  identityVersion: z.int().max(identityVersionMax).optional(),
  guarantee,
  ...times,
  approval: approval.optional(),
  load: load.optional(),
  downstreamKey: downstreamKey.optional(),
  /** Whether its callers can look an effect up. */
  lookup: z.boolean().optional(),
});

/**
 * @param declaration as `callerDeclaration` makes it, or written by hand
 * @throws ToolDeclarationError
 */
export function callerTool(declaration: JsonValue): Tool {
  const parsed = callerToolForm.safeParse(declaration);
  if (!parsed.success) {
    const name = isJsonObject(declaration) ? declaration['name'] : undefined;
    const tool = typeof name === 'string' ? name.slice(0, 64) : '';
    const problem = z.prettifyError(parsed.error).replaceAll('\n', ' ').slice(0, 1_000);
    throw new ToolDeclarationError('tool.caller', tool, problem);
  }
  const { input, lookup, ...members } = parsed.data;
  // It comes from outside, and is run in the ledger's own thread, for all tenants.
  const tries = refuseCostly(input, failFor(members.name));
  const definition = {
    ...members,
    input: inputFromJsonSchema(input, members.name),
    execute: elsewhere,
    ...(lookup === true ? { lookup: elsewhere } : {}),
  };
  // zod's optional members also allow undefined, which JSON cannot hold.
  const tool: Tool = defineTool(definition as unknown as ToolDefinition<JsonObject>);
  const validate: Tool['validate'] = (args) =>
    isTooMuch(args, tries) ? tooMuch(tool.name) : tool.validate(args);
  return Object.freeze({ ...tool, validate, byCaller: true as const });
}

function tooMuch(tool: string): ReturnType<Tool['validate']> {
  const message = `The arguments hold too many values for the alternatives that the schema of tool "${tool}" tries on each. Send fewer, or declare fewer alternatives.`;
  return refusal(argumentsRefusalCode, message, { tool, problems: [] });
}

function elsewhere(): never {
  throw new Error('this tool is carried out by its callers');
}

/**
 * How the undoing of it is arranged (`compensate`) stays behind: it concerns the workflows of a program.
 * @throws ToolDeclarationError `tool.caller` where it says something that only code can say
 */
export function callerDeclaration(tool: Tool): JsonObject {
  const fail = failFor(tool.name);
  refuseCode(tool, fail);
  const declaration = withoutUndefined({
    ...namingOf(tool),
    input: inputOf(tool, fail),
    ...rulesOf(tool),
  });
  const rebuilt = declarationEvent(callerTool(declaration));
  const secret = tool.declaration.secret;
  if (comparable(rebuilt, secret) !== comparable(declarationEvent(tool), secret))
    fail(
      'tool.caller',
      'its schema says something that JSON Schema cannot carry, so that its actions would be named otherwise elsewhere; write it with plain objects, texts, numbers and lists.',
    );
  return declaration;
}

function refuseCode({ kind, approval: asked, policy, rules, ...tool }: Tool, fail: Fail): void {
  if (kind === 'read')
    fail('tool.caller', 'a read is not declared to a ledger: it passes through.');
  if (asked?.when !== undefined)
    fail(
      'tool.caller',
      'approval.when is a function, which the ledger cannot ask over HTTP; ask always (approval: true), or let the ledger serve the tool.',
    );
  if (policy !== undefined)
    fail(
      'tool.caller',
      'policy.decide is a function, which the ledger cannot ask over HTTP; let the ledger serve the tool.',
    );
  if (rules.undoneBy.length > 0)
    fail(
      'tool.caller',
      'undoneBy is kept for tools that the ledger itself serves; let the ledger serve the tool.',
    );
  if (typeof tool.downstreamKeyFormat === 'function')
    fail(
      'tool.caller',
      'downstreamKey is a function, which the ledger cannot ask over HTTP; use "base64url", "uuid" or "hex".',
    );
}

function namingOf({ name, description, declaration, olderDeclarations, ...tool }: Tool): object {
  const { identity, free, normalize, sets, secret, identityVersion, scope } = declaration;
  return {
    name,
    description,
    ...(identity === 'all' ? {} : { identity }),
    free,
    normalize,
    sets,
    secret,
    keep: tool.keep,
    identityVersion,
    scope,
    previously: olderDeclarations.map((older) => ({
      identityVersion: older.identityVersion,
      ...(older.identity === 'all' ? {} : { identity: older.identity }),
      free: older.free,
      normalize: older.normalize,
      sets: older.sets,
      scope: older.scope,
    })),
    key: tool.needsKey ? 'caller' : 'derived',
  };
}

function rulesOf({ rules, approval: asked, load: limits, downstreamKeyFormat }: Tool): object {
  const { retry, checks, settleMs, timeoutMs, inFlightMs, leaseMs } = rules;
  const { attemptsMax, ...backoff } = retry;
  return {
    guarantee: rules.guarantee,
    ...(rules.guarantee === 'idempotent' ? { keyWindow: rules.keyWindowMs } : {}),
    settleMs,
    timeoutMs,
    inFlightMs,
    leaseMs,
    validFor: rules.validForMs,
    undoWindow: rules.undoWindowMs,
    retry: { attempts: attemptsMax, ...backoff },
    checks,
    ...(asked === undefined ? {} : { approval: approvalOf(asked.rules) }),
    ...(limits === undefined ? {} : { load: finite(limits) }),
    downstreamKey: downstreamKeyFormat,
    lookup: rules.canLookUp,
  };
}

function approvalOf(rules: NonNullable<Tool['approval']>['rules']): object {
  return { votes: rules.votes, ownVote: rules.ownVote, expiresAfter: rules.expiresAfterMs };
}

/** No limit is infinite here, and left out there. */
function finite(limits: object): object {
  return Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== Infinity));
}

function withoutUndefined(members: object): JsonObject {
  return JSON.parse(JSON.stringify(members)) as JsonObject;
}

/** In place of a secret the ledger gets a text that stands for it. */
function inputOf(tool: Tool, fail: Fail): JsonObject {
  const schema = schemaOf(tool, fail);
  for (const path of tool.declaration.secret) replaceBySecret(schema, path, fail);
  return schema;
}

type Open = Record<string, unknown>;

function schemaOf({ input }: Tool, fail: Fail): JsonObject & Open {
  try {
    const { $schema: _dialect, ...schema } = z.toJSONSchema(input, {
      io: 'input',
      override: leaveToFormat,
    });
    return JSON.parse(JSON.stringify(schema)) as JsonObject & Open;
  } catch (error) {
    return fail(
      'tool.caller',
      `its schema has no form as JSON Schema: ${(error as Error).message}.`,
    );
  }
}

/** The ledger takes no regular expression of others; what it knows by its format needs none. */
function leaveToFormat({
  jsonSchema,
}: {
  readonly jsonSchema: z.core.JSONSchema.BaseSchema;
}): void {
  const { format, pattern } = jsonSchema;
  if (pattern === undefined || format === undefined) return;
  const known = z.fromJSONSchema({ type: 'string', format }) as z.core.$ZodType;
  if ((known._zod.def.checks ?? []).length > 0) delete jsonSchema.pattern;
}

function replaceBySecret(schema: Open, path: FieldPath, fail: Fail): void {
  const steps = path.split('.');
  const last = steps.pop() ?? '';
  let members = schema['properties'] as Open | undefined;
  for (const step of steps) members = (members?.[step] as Open | undefined)?.['properties'] as Open;
  if (members?.[last] === undefined)
    return fail(
      'tool.caller',
      `its secret "${path}" lies in an alternative or a list; name a plain member.`,
    );
  members[last] = { type: 'string' };
}

/** What decides about names and rules; what lies below a secret is seen by its own process alone. */
function comparable(data: DeclarationData, secret: readonly FieldPath[]): string {
  const isBelow = (path: FieldPath): boolean => secret.some((each) => path.startsWith(`${each}.`));
  const shown = <Value>(by: Readonly<Record<FieldPath, Value>>): Record<FieldPath, Value> =>
    Object.fromEntries(Object.entries(by).filter(([path]) => !isBelow(path)));
  return declarationDigest({
    ...data,
    fields: shown(data.fields),
    defaults: shown(data.defaults),
    compensatedBy: null,
  });
}
