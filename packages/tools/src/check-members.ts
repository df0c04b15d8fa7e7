// The form of every member of a tool's declaration. Types say it, programs in plain JavaScript do not.
import { type JsonObject } from '@action-ledger/domain';
import { type PreviousIdentity, type ToolDefinition } from './definition.ts';
import {
  callable,
  checkForms,
  flag,
  type Form,
  isRecord,
  isText,
  isTexts,
  listOf,
  number,
  record,
  text,
} from './forms.ts';
import { type Fail, type ToolDeclarationCode } from './tool-declaration-error.ts';

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
  load: record('an object, such as { concurrent: 4 }', {
    concurrent: number,
    perSecond: number,
    oneAtATime: fieldNames,
  }),
  policy: record('an object: { version, decide }', { version: text, decide: callable }),
  downstreamKey: keyFormat,
  execute: callable,
  lookup: callable,
  compensate: record('an object: { tool, arguments }', { tool: text, arguments: callable }),
};

/** Members that have a code of their own. */
const codes: Readonly<Record<string, ToolDeclarationCode>> = {
  input: 'tool.schema',
  downstreamKey: 'tool.key',
};

/** @throws ToolDeclarationError `tool.member`, naming the member and what it must be */
export function checkMembers(definition: ToolDefinition<JsonObject>, fail: Fail): void {
  // Also where they are not given at all.
  const { input = null, execute = null } = definition as { input?: unknown; execute?: unknown };
  checkForms({ ...definition, input, execute }, members, {
    fail,
    codeOf: (path) => (Object.hasOwn(codes, path) ? codes[path] : undefined) ?? 'tool.member',
    owner: "a tool's declaration",
  });
}
