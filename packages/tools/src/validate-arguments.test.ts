import { describe, expect, it } from '@jest/globals';
import { z, type ZodType } from 'zod';
import { type JsonValue } from '@action-ledger/domain';
import { defineTool } from './define-tool.ts';
import { inputFromJsonSchema } from './schema/json-schema.ts';
import { ToolDeclarationError } from './tool-declaration-error.ts';

function validate(input: ZodType, args: unknown): unknown {
  return defineTool({
    name: 't',
    input,
    guarantee: 'manual',
    scope: 'call',
    execute: () => null,
  }).validate(args);
}

function problems(input: ZodType, args: unknown): unknown {
  return (validate(input, args) as { detail: { problems: unknown } }).detail.problems;
}

function declarationError(input: ZodType): string {
  try {
    validate(input, {});
  } catch (error) {
    if (error instanceof ToolDeclarationError && error.code === 'tool.schema') return error.message;
    throw error;
  }
  throw new Error('the schema was accepted');
}

describe('arguments that fit', () => {
  const input = z.object({
    to: z.string(),
    copies: z.int().default(1),
    options: z
      .object({ urgent: z.boolean().default(false), via: z.string().optional() })
      .default({ urgent: true }),
    items: z.array(z.object({ sku: z.string(), count: z.int().default(1) })).optional(),
  });

  it('get their defaults, and come back frozen to the bottom', () => {
    const valid = validate(input, { to: 'a', items: [{ sku: 'x' }], options: {} }) as {
      kind: string;
      args: never;
    };
    expect(valid).toEqual({
      kind: 'valid',
      args: { to: 'a', copies: 1, options: { urgent: false }, items: [{ sku: 'x', count: 1 }] },
    });
    expect(Object.isFrozen(valid.args)).toBe(true);
    expect(Object.isFrozen((valid.args as { items: object[] }).items[0])).toBe(true);
  });

  it('come back frozen below what the schema itself has frozen', () => {
    const open = z.object({ list: z.array(z.unknown()).readonly(), any: z.unknown() }).readonly();
    const given = { list: [{ a: { b: 1 } }], any: { c: { d: 1 } } };
    const { args } = validate(open, given) as { args: typeof given };
    for (const inner of [args, args.list, args.list[0], args.list[0]?.a, args.any, args.any.c])
      expect(Object.isFrozen(inner)).toBe(true);
  });

  const fails = (): never => {
    throw new Error('no such account');
  };
  const waits = (): unknown => Promise.resolve(true);
  const changes = (value: { n: number }): unknown => Object.assign(value, { n: NaN });
  it.each([
    ['throws', fails, 'no such account'],
    ['waits for something', waits, 'Promise'],
    ['changes what it is given', changes, /something else than JSON|read only/],
  ])('are refused where a check of the schema %s', (_what, check, reason) => {
    const own = z.custom<{ n: number }>().refine(check as never);
    const inner = z.object({ n: z.number() }).refine(check as never);
    for (const schema of [z.object({ place: own }), z.object({ place: inner })]) {
      const given = Object.freeze({ place: Object.freeze({ n: 1 }) });
      const refused = validate(schema, given) as { code: string; message: string };
      expect(refused).toMatchObject({ kind: 'refusal', code: 'arguments.invalid' });
      expect(refused.message).toMatch(reason);
    }
  });

  it('declare their defaults by path, the outer one first', () => {
    const tool = defineTool({ name: 't', input, guarantee: 'manual', execute: () => null });
    expect(tool.declaration.defaults).toEqual({
      copies: 1,
      options: { urgent: true },
      'options.urgent': false,
    });
  });

  it('take 10.0 for the integer 10, which it is', () => {
    expect(validate(z.object({ n: z.int() }), JSON.parse('{"n":10.0}'))).toEqual({
      kind: 'valid',
      args: { n: 10 },
    });
  });

  it('keep what the schema leaves open, nested', () => {
    const open = z.object({
      meta: z.looseObject({ a: z.string() }),
      map: z.record(z.string(), z.int()),
    });
    const args = { meta: { a: 'x', b: 1 }, map: { c: 2 } };
    expect(validate(open, args)).toEqual({ kind: 'valid', args });
  });
});

describe('arguments that do not fit', () => {
  it('are refused with each path and what was expected there, never the value', () => {
    const input = z.object({
      amount: z.int(),
      order: z.object({ id: z.string() }),
      lines: z.array(z.object({ n: z.int() })),
    });
    const refusal = validate(input, {
      amount: 'hunter2',
      order: { id: 1, idd: 2 },
      lines: [{ n: 1 }, { n: 'y' }],
      more: 1,
    });
    expect(refusal).toMatchObject({
      kind: 'refusal',
      code: 'arguments.invalid',
      detail: {
        tool: 't',
        problems: [
          { path: 'amount', expected: 'expected number, received string' },
          { path: 'order.id', expected: 'expected string, received number' },
          { path: 'order.idd', expected: 'no such member' },
          { path: 'lines[1].n', expected: 'expected number, received string' },
          { path: 'more', expected: 'no such member' },
        ],
      },
    });
    expect((refusal as { message: string }).message).toContain(
      'amount: expected number, received string; order.id:',
    );
    expect(JSON.stringify(refusal)).not.toContain('hunter2');
  });

  it.each<[string, ZodType, JsonValue]>([
    ['text for a number', z.object({ n: z.number() }), { n: '1' }],
    ['a number for a text', z.object({ n: z.string() }), { n: 1 }],
    ['a text for a boolean', z.object({ n: z.boolean() }), { n: 'true' }],
    ['null for a missing member', z.object({ n: z.string().optional() }), { n: null }],
    ['a fraction for an integer', z.object({ n: z.int() }), { n: 1.5 }],
    [
      'an unknown member of an array element',
      z.object({ n: z.array(z.object({ a: z.int() })) }),
      { n: [{ a: 1, b: 2 }] },
    ],
    [
      'an unknown member of a map value',
      z.object({ n: z.record(z.string(), z.object({})) }),
      { n: { x: { y: 1 } } },
    ],
    [
      'an unknown member of an optional object',
      z.object({ n: z.object({}).optional() }),
      { n: { y: 1 } },
    ],
    [
      'an unknown member of an alternative',
      z.object({ n: z.union([z.object({ a: z.int() }), z.null()]) }),
      { n: { a: 1, b: 1 } },
    ],
    [
      'an unknown member of an intersection',
      z.object({ n: z.object({ a: z.int() }).and(z.object({ b: z.int() })) }),
      { n: { a: 1, b: 1, c: 1 } },
    ],
    ['an unknown member below a recursive schema', recursive(), { child: { child: { x: 1 } } }],
    [
      'a URL with blanks, which zod would cut',
      z.object({ n: z.url() }),
      { n: ' https://a.example ' },
    ],
    ['an array for the arguments', z.object({}), []],
  ])('%s', (_title, input, args) => {
    expect(validate(input, args)).toMatchObject({ kind: 'refusal', code: 'arguments.invalid' });
  });

  it('name the nearest alternative of a union', () => {
    const input = z.object({
      to: z.union([
        z.object({ mail: z.string(), name: z.string() }),
        z.object({ phone: z.string() }),
      ]),
    });
    expect(problems(input, { to: { mail: 'a', name: 1 } })).toEqual([
      { path: 'to.name', expected: 'expected string, received number' },
    ]);
  });

  it('are listed up to a bound', () => {
    const many = Object.fromEntries(
      Array.from({ length: 5_000 }, (_, index) => [`member-${index}-${'x'.repeat(500)}`, 1]),
    );
    const refusal = validate(z.object({}), many) as {
      message: string;
      detail: { problems: unknown[] };
    };
    expect(refusal.detail.problems).toHaveLength(10);
    expect(refusal.message).toContain('and 4990 more');
    expect(refusal.message.length).toBeLessThan(4_096);
  });
});

function recursive(): ZodType {
  const node = z.object({
    get child() {
      return node.optional();
    },
  });
  return node;
}

describe('a schema that would change the arguments, or is not JSON, is refused at declaration', () => {
  it.each<[string, ZodType, RegExp]>([
    ['coercion', z.object({ n: z.coerce.number() }), /"n" coerces/],
    ['coercion in a list', z.object({ n: z.array(z.coerce.boolean()) }), /"n\[\]" coerces/],
    ['a transform', z.object({ n: z.string().transform(Number) }), /"n" changes the value/],
    ['a preprocess', z.object({ n: z.preprocess(String, z.string()) }), /"n" changes the value/],
    ['a codec', z.object({ n: z.stringbool() }), /"n" changes the value/],
    ['trim', z.object({ n: z.string().trim() }), /`normalize`/],
    [
      'lower case',
      z.object({ a: z.object({ n: z.string().toLowerCase().optional() }) }),
      /"a.n" changes/,
    ],
    ['catch', z.object({ n: z.string().catch('x') }), /\.catch\(\)/],
    ['prefault', z.object({ n: z.string().prefault('x') }), /\.prefault\(\)/],
    [
      'a new default each time',
      z.object({ n: z.string().default(() => crypto.randomUUID()) }),
      /one constant/,
    ],
    [
      'a default that does not fit',
      z.object({ n: z.string().min(3).default('x') }),
      /does not fit its own schema/,
    ],
    ['a date', z.object({ n: z.date() }), /z\.iso\.date/],
    ['a bigint', z.object({ n: z.bigint() }), /decimal string/],
    ['a Set', z.object({ n: z.set(z.string()) }), /`sets`/],
    ['undefined', z.object({ n: z.undefined() }), /\.optional\(\)/],
    ['a bigint literal', z.object({ n: z.literal(1n) }), /JSON cannot carry/],
    ['an open root', z.looseObject({}), /any further member/],
    [
      'a transform behind a lazy schema',
      z.object({ n: z.lazy(() => z.string().transform(Number)) }),
      /"n" changes/,
    ],
    [
      'two defaults for one path',
      z.object({
        n: z.union([z.object({ a: z.int().default(1) }), z.object({ a: z.int().default(2) })]),
      }),
      /different default/,
    ],
    ['a default behind a dotted name', z.object({ 'a.b': z.int().default(1) }), /dot in its name/],
  ])('%s', (_title, input, message) => {
    expect(declarationError(input)).toMatch(message);
  });
});

describe('arguments declared by JSON Schema', () => {
  const input = inputFromJsonSchema({
    type: 'object',
    properties: {
      account: { type: 'string', description: 'IBAN' },
      amount: { type: 'integer', minimum: 1 },
      tags: { type: 'array', items: { type: 'string' }, uniqueItems: true },
      who: { anyOf: [{ type: 'string' }, { type: 'null' }], default: null },
      address: {
        properties: { zip: { type: 'string' } },
        required: ['zip'],
        additionalProperties: true,
      },
      extra: { type: 'object' },
      kind: { type: 'string', enum: ['a', 'b'], default: 'a' },
    },
    required: ['account', 'amount'],
  });

  it('get their defaults', () => {
    expect(validate(input, { account: 'x', amount: 1 })).toEqual({
      kind: 'valid',
      args: { account: 'x', amount: 1, who: null, kind: 'a' },
    });
  });

  it.each<[string, JsonValue, string]>([
    ['an unknown member', { account: 'x', amount: 1, subject: 'y' }, 'subject'],
    [
      'an unknown member of a nested object',
      { account: 'x', amount: 1, address: { zip: '1', city: 'y' } },
      'address.city',
    ],
    ['a text for an integer', { account: 'x', amount: '1' }, 'amount'],
    ['a repeated element', { account: 'x', amount: 1, tags: ['a', 'a'] }, 'tags[1]'],
    ['a missing member', { amount: 1 }, 'account'],
  ])('refuse %s', (_title, args, path) => {
    expect(problems(input, args)).toMatchObject([{ path }]);
  });

  it('leave an object open that names no members', () => {
    expect(validate(input, { account: 'x', amount: 1, extra: { any: ['thing'] } })).toMatchObject({
      kind: 'valid',
    });
  });

  it('can be identity, free or set like others', () => {
    const tool = defineTool({
      name: 't',
      input,
      guarantee: 'manual',
      identity: ['account', 'address.zip'],
      sets: ['tags'],
      normalize: { account: 'trim' },
      execute: () => null,
    });
    expect(tool.fields['address.zip']).toBe('optional');
  });

  it.each<[string, JsonValue]>([
    [
      'keywords that zod would skip',
      { type: 'object', properties: { a: { type: 'object', dependencies: { b: ['c'] } } } },
    ],
    ['conditions', { type: 'object', properties: {}, if: {}, then: {} }],
    [
      'a reference elsewhere',
      { type: 'object', properties: { a: { $ref: 'https://x.example/s.json' } } },
    ],
  ])('are refused with %s', (_title, schema) => {
    expect(() => inputFromJsonSchema(schema as never, 'mail')).toThrow(
      /^Tool "mail": its JSON Schema/,
    );
  });
});
