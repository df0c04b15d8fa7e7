// The form of a declaration: every member is known and of the right kind. Types say it, programs in plain
// JavaScript do not; what the members mean together is checked by those who read them.
import { type PreviousIdentity, type ToolDefinition } from './definition.ts';
import { type Fail } from './tool-declaration-error.ts';

interface Form {
  readonly fits: (value: unknown) => boolean;
  /** What it must be, told to the author. */
  readonly wanted: string;
  /** Of each element, or of the members of an object. */
  readonly within?: Form | Members;
}

type Members = Readonly<Record<string, Form>>;

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  Object.prototype.toString.call(value) === '[object Object]';
const isText = (value: unknown): boolean => typeof value === 'string';
const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText);

const text: Form = { fits: isText, wanted: 'a text' };
const number: Form = { fits: (value) => typeof value === 'number', wanted: 'a number' };
const flag: Form = { fits: (value) => typeof value === 'boolean', wanted: 'true or false' };
const callable: Form = { fits: (value) => typeof value === 'function', wanted: 'a function' };
const fieldNames: Form = {
  fits: isTexts,
  wanted: 'a list of field names, such as ["order_id"]',
};
const rootedPaths: Form = {
  fits: isTexts,
  wanted: 'a list of paths, such as ["arguments.order_id", "outcome.id"]',
};
const length: Form = {
  fits: (value) => isText(value) || typeof value === 'number',
  wanted: 'milliseconds or a text such as "500ms", "30s", "10min", "24h", "30d"',
};
const schema: Form = {
  fits: (value) => typeof value === 'object' && value !== null && '_zod' in value,
  wanted: 'a zod 4 schema; for JSON Schema use inputFromJsonSchema()',
};
const keyFormat: Form = {
  fits: (value) => isText(value) || typeof value === 'function',
  wanted: 'base64url, uuid, hex, or a function',
};
const steps: Form = {
  fits: (value) => isText(value) || isTexts(value),
  wanted: 'a normalisation or a list of them',
};

function record(wanted: string, within?: Form | Members): Form {
  return { fits: isRecord, wanted, ...(within === undefined ? {} : { within }) };
}

function listOf(wanted: string, within: Form): Form {
  return { fits: Array.isArray, wanted, within };
}

const identityMembers = {
  identityVersion: number,
  identity: fieldNames,
  free: fieldNames,
  normalize: record('an object, such as { email: "lowercase" }', steps),
  sets: fieldNames,
  scope: text,
} as const satisfies Readonly<Record<keyof PreviousIdentity, Form>>;

const approval: Form = {
  fits: (value) => typeof value === 'boolean' || isRecord(value),
  wanted: 'true, false or an object, such as { votes: 2 }',
  within: { votes: number, ownVote: flag, expiresAfter: length, when: callable },
};

/** Every member of a definition; a misspelt one is refused, not skipped. */
const members: Readonly<Record<keyof ToolDefinition, Form>> = {
  ...identityMembers,
  name: text,
  kind: text,
  description: text,
  input: schema,
  secret: fieldNames,
  keep: rootedPaths,
  previously: listOf(
    'a list of older identities, such as [{ identityVersion: 1 }]',
    record('an object, such as { identityVersion: 1 }', identityMembers),
  ),
  key: text,
  guarantee: text,
  keyWindow: length,
  settleMs: number,
  timeoutMs: number,
  inFlightMs: number,
  leaseMs: number,
  validFor: length,
  undoneBy: listOf(
    'a list, such as [{ tool: "cancel_order", match: { "arguments.id": "outcome.id" } }]',
    record('an object, such as { tool: "cancel_order", match: { … } }', {
      tool: text,
      match: record('an object, such as { "arguments.id": "outcome.id" }', text),
    }),
  ),
  approval,
  undoWindow: length,
  retry: record('an object, such as { attempts: 3 }', {
    attempts: number,
    backoffMinMs: number,
    backoffMaxMs: number,
  }),
  checks: record('an object, such as { checksMax: 12 }', {
    intervalMinMs: number,
    intervalMaxMs: number,
    checksMax: number,
    escalateAfterMs: number,
  }),
  policy: record('an object: { version, decide }', { version: text, decide: callable }),
  downstreamKey: keyFormat,
  execute: callable,
  lookup: callable,
  compensate: record('an object: { tool, arguments }', { tool: text, arguments: callable }),
};

const required: readonly string[] = ['input', 'execute'];

/** Members of which a reader says more than that their form is wrong. */
const codes = { input: 'tool.schema', downstreamKey: 'tool.key' } as const;

/** @throws ToolDeclarationError `tool.member`, naming the member and what it must be */
export function checkMembers(definition: object, fail: Fail): void {
  const given = definition as Readonly<Record<string, unknown>>;
  for (const name of required) {
    if (given[name] === undefined) refuse(name, members[name as 'input' | 'execute'], fail);
  }
  checkEach(given, members, '', fail);
}

function checkEach(
  given: Readonly<Record<string, unknown>>,
  known: Members,
  within: string,
  fail: Fail,
): void {
  const owner = within === '' ? "a tool's declaration" : within;
  for (const [name, value] of Object.entries(given)) {
    const form = Object.hasOwn(known, name) ? known[name] : undefined;
    if (form === undefined)
      fail('tool.member', `"${name}" is no member of ${owner}; is it misspelt?`);
    else if (value !== undefined)
      check(value, form, within === '' ? name : `${within}.${name}`, fail);
  }
}

function check(value: unknown, form: Form, path: string, fail: Fail): void {
  const { fits, within } = form;
  if (!fits(value)) refuse(path, form, fail);
  if (within === undefined) return;
  if (!isForm(within)) {
    if (isRecord(value)) checkEach(value, within, path, fail);
    return;
  }
  for (const [name, each] of Object.entries(value as object)) {
    check(each, within, Array.isArray(value) ? `${path}[${name}]` : `${path}["${name}"]`, fail);
  }
}

function isForm(within: Form | Members): within is Form {
  return typeof within['fits'] === 'function';
}

function refuse(path: string, { wanted }: Form, fail: Fail): never {
  const code = Object.hasOwn(codes, path) ? codes[path as keyof typeof codes] : 'tool.member';
  return fail(code, `\`${path}\` must be ${wanted}.`);
}
