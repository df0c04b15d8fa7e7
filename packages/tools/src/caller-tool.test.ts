import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { type JsonObject, type JsonValue } from '@action-ledger/domain';
import { callerDeclaration, callerTool } from './caller-tool.ts';
import { declarationEvent } from './declaration-event.ts';
import { defineTool } from './define-tool.ts';
import { type ToolDefinition } from './definition.ts';
import { ToolDeclarationError } from './tool-declaration-error.ts';
import { type Tool } from './tool.ts';

const plain = {
  name: 'pay',
  input: z.object({ invoice: z.string() }),
  guarantee: 'manual',
  execute: () => null,
} as const satisfies ToolDefinition<{ invoice: string }>;

const everything = defineTool({
  name: 'order',
  description: 'Orders something.',
  input: z.object({
    customer: z.string().min(1).max(20),
    items: z.array(z.object({ sku: z.string().max(3), count: z.int().positive() })),
    labels: z.array(z.string()).optional(),
    note: z.string().nullable().optional(),
    urgent: z.boolean().default(false),
    price: z.record(z.string(), z.number()).optional(),
    how: z.union([
      z.object({ kind: z.literal('post'), town: z.string() }),
      z.object({ kind: z.literal('pick-up') }),
    ]),
    mail: z.email().optional(),
    site: z.url().optional(),
    day: z.iso.date().optional(),
    at: z.iso.datetime({ offset: true }).optional(),
    id: z.uuid().optional(),
    size: z.enum(['s', 'm']).optional(),
  }),
  identity: ['customer', 'items'],
  free: ['note'],
  normalize: { customer: ['trim', 'lowercase'] },
  sets: ['labels'],
  keep: ['outcome.id'],
  identityVersion: 3,
  previously: [{ identityVersion: 2, identity: ['customer'], scope: 'turn' }],
  scope: 'conversation',
  guarantee: 'idempotent',
  keyWindow: '24h',
  settleMs: 1_000,
  timeoutMs: 5_000,
  inFlightMs: 9_000,
  leaseMs: 4_000,
  validFor: '2h',
  undoWindow: '10s',
  approval: { votes: 2, ownVote: true, expiresAfter: '1h' },
  retry: { attempts: 3, backoffMinMs: 10, backoffMaxMs: 20 },
  checks: { intervalMinMs: 1, intervalMaxMs: 2, checksMax: 3, escalateAfterMs: 4 },
  load: { concurrent: 2, oneAtATime: ['customer'] },
  downstreamKey: 'uuid',
  execute: () => null,
  lookup: () => ({ verdict: 'absent' }),
});

const travelled = (tool: Tool): Tool =>
  callerTool(JSON.parse(JSON.stringify(callerDeclaration(tool))) as JsonObject);

const codeOf = (act: () => unknown): string => {
  try {
    act();
  } catch (error) {
    if (error instanceof ToolDeclarationError) return `${error.code}: ${error.message}`;
    throw error;
  }
  return 'nothing';
};

describe('a tool that its callers carry out', () => {
  it.each([
    ['the usual rules', defineTool(plain)],
    ['rules of its own', everything],
    ['a key of the caller', defineTool({ ...plain, key: 'caller' })],
    ['one value for all', defineTool({ ...plain, guarantee: 'natural', identity: [] })],
  ])('arrives as it was declared: %s', (_what, tool) => {
    const there = travelled(tool);
    expect(declarationEvent(there)).toEqual(declarationEvent(tool));
    expect(there.digest).toBe(tool.digest);
    expect(there.load).toEqual(tool.load);
    expect(there.olderDeclarations).toEqual(tool.olderDeclarations);
    expect([there.byCaller, there.description]).toEqual([true, tool.description]);
  });

  it('takes and refuses the same arguments', () => {
    const there = travelled(everything);
    const order = { customer: 'ann', items: [{ sku: 'a', count: 1 }], how: { kind: 'pick-up' } };
    for (const args of [
      order,
      { ...order, urgent: true, note: null, price: { eur: 1.5 } },
      { ...order, day: '2026-01-01', mail: 'a@b.de', size: 'm' },
    ])
      expect(there.validate(args)).toEqual(everything.validate(args));
    for (const args of [
      {},
      { ...order, more: 1 },
      { ...order, items: [{ sku: 'abcd', count: 1 }] },
      { ...order, items: [{ sku: 'a', count: 0.5 }] },
      { ...order, how: { kind: 'pick-up', town: 'x' } },
      { ...order, urgent: 'yes' },
      { ...order, size: 'l' },
      { ...order, mail: 'nobody' },
      { ...order, day: '2026-02-30' },
      { ...order, at: 'now' },
      { ...order, id: '1' },
    ]) {
      expect(everything.validate(args).kind).toBe('refusal');
      expect(there.validate(args).kind).toBe('refusal');
    }
  });

  it('has no functions here', () => {
    const there = travelled(everything);
    expect(() => there.execute({} as never)).toThrow('carried out by its callers');
    expect(there.lookup).toBeDefined();
    expect(travelled(defineTool(plain)).lookup).toBeUndefined();
  });

  it('shows a text in place of a secret, whatever the secret is', () => {
    const tool = defineTool({
      ...plain,
      input: z.object({
        invoice: z.string(),
        card: z.object({ number: z.string().length(16), pin: z.int().optional() }),
        who: z.object({ token: z.string().min(40) }),
      }),
      secret: ['card', 'who.token'],
    });
    const there = travelled(tool);
    expect(there.declaration.secret).toEqual(['card', 'who.token']);
    const args = { invoice: '1', card: 'a digest', who: { token: 'another' } };
    expect(there.validate(args)).toEqual({ kind: 'valid', args });
  });

  it('leaves behind how it is undone', () => {
    const compensate = { tool: 'refund', arguments: () => ({}) };
    const there = travelled(defineTool({ ...plain, compensate }));
    expect(there.compensate).toBeUndefined();
  });

  it.each([
    ['a condition', { approval: { when: () => true } }],
    ['a policy', { policy: { version: '1', decide: () => ({ effect: 'allow' }) } }],
    ['a form of keys', { downstreamKey: (key: string) => key }],
    ['an undoer', { undoneBy: [{ tool: 'x', match: { 'arguments.a': 'arguments.invoice' } }] }],
    ['a read', { kind: 'read', guarantee: undefined }],
    ['a regular expression', { input: z.object({ invoice: z.string().regex(/^[a-z]+$/) }) }],
    [
      'one of a format of its own',
      { input: z.object({ invoice: z.stringFormat('invoice', /^[a-z]+$/) }) },
    ],
    ['a schema within itself', { input: z.object({ invoice: z.json() }) }],
    ['a check in code', { input: z.object({ invoice: z.custom<string>(() => true) }) }],
    [
      'a secret in an alternative',
      {
        input: z.object({ how: z.union([z.object({ pin: z.string() }), z.object({})]) }),
        secret: ['how.pin'],
      },
    ],
  ])('is refused with what only code can say: %s', (_what, more) => {
    const tool = defineTool({ ...plain, ...more } as unknown as ToolDefinition);
    expect(codeOf(() => callerDeclaration(tool))).toMatch(/^tool\.(caller|schema): Tool "pay": /);
  });

  it.each([
    ['no object', 'pay', 'tool.caller'],
    [
      'an unknown member',
      { name: 'pay', input: {}, guarantee: 'manual', execute: 1 },
      'tool.caller',
    ],
    ['no guarantee', { name: 'pay', input: {} }, 'tool.caller'],
    ['a wrong name', { name: 'p y', input: {}, guarantee: 'manual', scope: 'call' }, 'tool.name'],
    [
      'a lookup without a lookup',
      { name: 'pay', input: { type: 'object' }, guarantee: 'lookup', scope: 'call' },
      'tool.lookup',
    ],
    [
      'an unknown field',
      { name: 'pay', input: { type: 'object' }, guarantee: 'manual', scope: 'call', free: ['x'] },
      'tool.unknown-field',
    ],
  ])('is refused where it does not hold together: %s', (_what, declaration, code) => {
    expect(codeOf(() => callerTool(declaration))).toContain(`${code}: `);
  });
});

/** 64 names, each of which refers twice to the next. */
const doubling = (twice: (next: JsonObject) => JsonObject): JsonObject => ({
  type: 'object',
  properties: { a: { $ref: '#/$defs/n0' } },
  $defs: Object.fromEntries(
    Array.from({ length: 64 }, (_, n) => [
      `n${n}`,
      n === 63 ? { type: 'number' } : twice({ $ref: `#/$defs/n${n + 1}` }),
    ]),
  ),
});

const text = { type: 'string', pattern: '^(a+)+$', default: `${'a'.repeat(40)}!` };
const object = (a: JsonValue): JsonObject => ({ type: 'object', properties: { a } });
const numbers = (count: number): JsonObject => object({ enum: [...Array(count).keys()] });
const among = (count: number): JsonObject =>
  object({ anyOf: Array.from({ length: count }, () => ({ type: 'null' })) });
const nested = (depth: number): JsonObject =>
  object(depth === 0 ? 1 : { ...nested(depth - 1), type: ['object', 'object'] });

describe('a schema that a caller declares', () => {
  it.each<[string, JsonObject, string]>([
    ['an expression', object(text), 'uses "pattern"'],
    ['one in a list', object({ type: 'array', items: [text] }), 'uses "pattern"'],
    ['one for names', object({ type: 'object', propertyNames: text }), 'uses "pattern"'],
    ['one of several', object({ anyOf: [{ type: 'null' }, text] }), 'uses "pattern"'],
    ['one in what is contained', object({ type: 'array', contains: text }), 'uses "pattern"'],
    ['one of further members', object({ type: 'object', additionalProperties: text }), '"pattern"'],
    ['members as a list', { type: 'object', properties: [text] }, 'uses "pattern"'],
    ['one by name', { ...object({ $ref: '#/$defs/t' }), $defs: { t: text } }, 'uses "pattern"'],
    [
      'one by an older name',
      { ...object({ $ref: '#/definitions/t~1' }), definitions: { 't/': text } },
      'uses "pattern"',
    ],
    [
      'names by expressions',
      object({ type: 'object', patternProperties: { '^(a+)+$': true } }),
      'uses "patternProperties"',
    ],
    ['itself', object({ $ref: '#' }), 'refers to itself'],
    [
      'one that holds itself',
      {
        ...object({ $ref: '#/$defs/t' }),
        $defs: { t: { type: 'array', items: { anyOf: [{ $ref: '#/$defs/t' }, true] } } },
      },
      'refers to itself',
    ],
    ['alternatives that double', doubling((next) => ({ anyOf: [next, next] })), 'more than 2000'],
    ['members that double', doubling((x) => ({ properties: { x, y: x } })), 'more than 2000'],
    ['types that double', nested(30), 'more than 2000'],
    ['too many alternatives', among(20), 'more than 20 alternatives'],
    ['too many values', numbers(21), 'more than 20 alternatives'],
  ])('is refused with %s', (_what, input, why) => {
    const declaration = { name: 'pay', input, guarantee: 'manual', scope: 'call' };
    const refused = codeOf(() => callerTool(declaration));
    expect(refused).toContain('tool.schema: ');
    expect(refused).toContain(why);
  });

  it.each<[string, JsonObject]>([
    ['a member called pattern', { type: 'object', properties: { pattern: { type: 'string' } } }],
    ['a default that looks like one', object({ type: 'object', default: { pattern: 'x' } })],
    ['one schema named twice', doublyNamed()],
    ['many alternatives', among(19)],
    ['many texts', object({ enum: Array.from({ length: 1_000 }, (_, n) => `${n}`) })],
    [
      'many members',
      {
        type: 'object',
        properties: Object.fromEntries(
          Array.from({ length: 1_000 }, (_, n) => [`m${n}`, { type: 'string' }]),
        ),
      },
    ],
  ])('may hold %s', (_what, input) => {
    const declaration = { name: 'pay', input, guarantee: 'manual', scope: 'call' };
    expect(codeOf(() => callerTool(declaration))).toBe('nothing');
  });
});

describe('arguments of a tool that callers declare', () => {
  const listOf = (items: JsonValue) =>
    callerTool({
      name: 'pay',
      input: object({ type: 'array', items }),
      guarantee: 'manual',
      scope: 'call',
    });
  const many = { a: Array.from({ length: 100_000 }, () => 1) };

  it('may hold as many values as fit, where one schema is tried on each', () => {
    expect(listOf({ type: 'number' }).validate(many).kind).toBe('valid');
  });

  it('are refused before many alternatives are tried on many values', () => {
    const tool = listOf({
      anyOf: [...Array.from({ length: 18 }, () => ({ type: 'null' })), { type: 'number' }],
    });
    expect(tool.validate({ a: [1, 2] }).kind).toBe('valid');
    expect(tool.validate(many)).toMatchObject({
      kind: 'refusal',
      code: 'arguments.invalid',
      message: expect.stringContaining('too many values'),
    });
  });
});

function doublyNamed(): JsonObject {
  const $ref = '#/$defs/t';
  return {
    type: 'object',
    properties: { a: { $ref }, b: { type: 'array', items: { $ref } } },
    $defs: { t: { type: 'string', format: 'email' } },
  };
}
