// Declarations as programs in plain JavaScript may make them: whatever a member holds, the tool is made
// or the error says what is wrong, never a TypeError from inside.
import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { defineTool } from './define-tool.ts';
import { inputFromJsonSchema } from './schema/json-schema.ts';
import { ToolDeclarationError } from './tool-declaration-error.ts';

const good = {
  name: 'refund',
  guarantee: 'idempotent',
  keyWindow: '24h',
  identityVersion: 2,
  input: z.object({ a: z.string(), tags: z.array(z.string()) }),
  execute: () => null,
};

function declare(definition: unknown): unknown {
  try {
    defineTool(definition as never);
    return 'declared';
  } catch (error) {
    if (!(error instanceof ToolDeclarationError)) return error;
    return { code: error.code, message: error.message };
  }
}

describe('a member of the wrong kind is named, with what it must be', () => {
  it.each([
    ['identity', { identity: 'a' }, '`identity` must be a list of field names'],
    ['an element of identity', { identity: ['a', 5] }, '`identity` must be a list of field names'],
    ['free', { free: {} }, '`free` must be a list of field names'],
    ['sets', { sets: 'tags' }, '`sets` must be a list of field names'],
    ['secret', { secret: true }, '`secret` must be a list of field names'],
    ['keep', { keep: 5 }, '`keep` must be a list of paths'],
    ['normalize', { normalize: 5 }, '`normalize` must be an object'],
    ['a step of normalize', { normalize: { a: 5 } }, '`normalize["a"]` must be a normalisation'],
    ['retry', { retry: 3 }, '`retry` must be an object'],
    ['a member of retry', { retry: { attempts: '3' } }, '`retry.attempts` must be a number'],
    ['a misspelt member of retry', { retry: { attemts: 3 } }, '"attemts" is no member of retry'],
    ['a bound of checks', { checks: { intervalMaxMs: 5n } }, '`checks.intervalMaxMs` must be a'],
    ['approval', { approval: 'yes' }, '`approval` must be true, false or an object'],
    ['a member of approval', { approval: { when: true } }, '`approval.when` must be a function'],
    ['undoneBy', { undoneBy: 'cancel' }, '`undoneBy` must be a list'],
    ['what undoes', { undoneBy: [null] }, '`undoneBy[0]` must be an object'],
    ['its match', { undoneBy: [{ tool: 'x', match: 5 }] }, '`undoneBy[0].match` must be an object'],
    ['previously', { previously: {} }, '`previously` must be a list of older identities'],
    [
      'what was free before',
      { previously: [{ identityVersion: 1, free: 'a' }] },
      '`previously[0].free` must be a list of field names',
    ],
    ['policy', { policy: null }, '`policy` must be an object'],
    ['compensate', { compensate: () => null }, '`compensate` must be an object'],
    ['description', { description: {} }, '`description` must be a text'],
    ['execute', { execute: 'run' }, '`execute` must be a function'],
    ['lookup', { lookup: {} }, '`lookup` must be a function'],
    ['validFor', { validFor: true }, '`validFor` must be milliseconds or a text'],
    ['null in place of nothing', { scope: null }, '`scope` must be a text'],
  ])('%s', (_, member, says) => {
    expect(declare({ ...good, ...member })).toEqual({
      code: 'tool.member',
      message: expect.stringContaining(says),
    });
  });

  it('input', () => {
    const expected = { code: 'tool.schema', message: expect.stringContaining('zod 4') };
    expect(declare({ ...good, input: { type: 'object' } })).toEqual(expected);
    expect(declare({ ...good, input: undefined })).toEqual(expected);
  });

  it.each([[undefined], [null], ['refund'], [[]], [{}]])('the declaration %j', (definition) => {
    expect(declare(definition)).toMatchObject({
      code: expect.stringMatching(/^tool\.(member|name)$/),
    });
  });
});

const strange: readonly unknown[] = [
  null,
  5,
  -1,
  Number.NaN,
  true,
  '',
  'a',
  [],
  [5],
  [null],
  [[]],
  {},
  { a: 5 },
  { a: null },
  [{}],
  () => 1,
  Symbol('s'),
  5n,
  new Map([['a', 1]]),
  new Date(0),
  z.string(),
];

const places: readonly (readonly [string, (value: unknown) => unknown])[] = [
  ...[
    ...['name', 'kind', 'description', 'input', 'identity', 'free', 'normalize', 'sets', 'secret'],
    ...['keep', 'identityVersion', 'previously', 'scope', 'key', 'guarantee', 'keyWindow'],
    ...['settleMs', 'timeoutMs', 'inFlightMs', 'leaseMs', 'validFor', 'undoneBy', 'approval'],
    ...['undoWindow', 'retry', 'checks', 'policy', 'downstreamKey', 'execute', 'lookup'],
    ...['compensate', 'other'],
  ].map((name) => [name, (value: unknown) => ({ [name]: value })] as const),
  ...[
    ...['retry.attempts', 'retry.backoffMinMs', 'retry.backoffMaxMs', 'checks.intervalMinMs'],
    ...['checks.intervalMaxMs', 'checks.checksMax', 'checks.escalateAfterMs', 'approval.votes'],
    ...['approval.ownVote', 'approval.expiresAfter', 'approval.when', 'policy.version'],
    ...['policy.decide', 'compensate.tool', 'compensate.arguments', 'normalize.a'],
  ].map((path) => {
    const [outer = '', inner = ''] = path.split('.');
    return [path, (value: unknown) => ({ [outer]: { [inner]: value } })] as const;
  }),
  ...['identityVersion', 'identity', 'free', 'normalize', 'sets', 'scope'].map(
    (name) =>
      [
        `previously[0].${name}`,
        (value: unknown) => ({ previously: [{ identityVersion: 1, [name]: value }] }),
      ] as const,
  ),
  ['undoneBy[0].tool', (value) => ({ undoneBy: [{ tool: value, match: {} }] })],
  ['undoneBy[0].match', (value) => ({ undoneBy: [{ tool: 'x', match: value }] })],
  ['undoneBy[0].match.*', (value) => ({ undoneBy: [{ tool: 'x', match: { a: value } }] })],
];

it.each(places)('whatever %s holds, no raw error comes out', (_, memberOf) => {
  for (const value of strange) {
    expect(declare({ ...good, ...(memberOf(value) as object) })).not.toBeInstanceOf(Error);
  }
});

it.each([undefined, null, 5, 'text', []])('the JSON Schema %j is refused', (schema) => {
  expect(() => inputFromJsonSchema(schema as never)).toThrow('must be an object');
});
