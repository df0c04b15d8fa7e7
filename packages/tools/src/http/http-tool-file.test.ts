import { describe, expect, it } from '@jest/globals';
import { type JsonObject, type JsonValue } from '@action-ledger/domain';
import { createToolSet } from '../tool-set.ts';
import { httpToolFile } from './http-tool-file.ts';

const options = { secret: (name: string) => `secret of ${name}` };

const refund: JsonObject = {
  name: 'refund',
  description: 'Pays an order back',
  input: {
    type: 'object',
    properties: {
      order_id: { type: 'string' },
      cents: { type: 'integer' },
      note: { type: 'string' },
    },
    required: ['order_id', 'cents'],
  },
  identity: ['order_id'],
  free: ['note'],
  scope: 'tenant',
  guarantee: 'idempotent',
  keyWindow: '24h',
  timeoutMs: 5_000,
  approval: { votes: 2, expiresAfter: '1h' },
  undoneBy: [{ tool: 'charge', match: { 'arguments.refund': 'outcome.id' } }],
  request: {
    method: 'POST',
    url: 'https://api.example.com/v1/orders/{order_id}/refunds',
    headers: { Authorization: { secret: 'API_TOKEN', prefix: 'Bearer ' }, 'X-Source': 'ledger' },
    body: { cents: '{cents}' },
  },
  answers: {
    success: { status: ['2xx'], body: { '/status': 'done' }, externalId: '/id' },
    rules: [{ status: 429, outcome: 'refused before handling' }],
  },
  lookup: {
    method: 'GET',
    url: 'https://api.example.com/v1/refunds/{$key}',
    found: { externalId: '/id' },
    absent: { status: 404 },
  },
  compensate: { tool: 'charge', arguments: { refund: '{externalId}' } },
};

const charge: JsonObject = {
  name: 'charge',
  input: { type: 'object', properties: { refund: { type: 'string' } }, required: ['refund'] },
  guarantee: 'manual',
  request: { method: 'POST', url: 'https://api.example.com/v1/charges' },
};

describe('a tool file', () => {
  it('declares tools as httpTool does', () => {
    const tools = httpToolFile({ tools: [refund, charge] }, options);
    const set = createToolSet(tools);
    expect(set.get('refund')).toMatchObject({
      kind: 'write',
      declaration: { identity: ['order_id'], free: ['note'], scope: 'tenant' },
      rules: {
        guarantee: 'idempotent',
        keyWindowMs: 86_400_000,
        timeoutMs: 5_000,
        canLookUp: true,
      },
      approval: { rules: { votes: 2, expiresAfterMs: 3_600_000 } },
      keep: ['outcome.id'],
    });
    expect(set.get('refund')?.validate({ order_id: 'o', cents: 1, more: 1 })).toMatchObject({
      code: 'arguments.invalid',
    });
  });

  it('can be one tool, and text', () => {
    expect(httpToolFile(JSON.stringify(charge), options).map(({ name }) => name)).toEqual([
      'charge',
    ]);
  });

  it.each<[string, JsonValue, RegExp]>([
    ['text that is no JSON', '{', /no JSON/],
    ['no tools', { tools: [] }, /Tool "\(file\)"/],
    ['a misspelt member', { ...charge, guarante: 'manual' }, /guarante/],
    ['a misspelt rule', { ...refund, answers: { sucess: {} } }, /sucess/],
    [
      'a write without guarantee',
      { name: 'x', input: {}, request: charge['request'] as JsonValue },
      /guarantee|one object/,
    ],
    ['a status that is none', { ...refund, answers: { success: { status: 'ok' } } }, /status/],
    [
      'a credential in the file',
      {
        ...charge,
        request: { method: 'POST', url: 'https://api.example.com/', headers: { Cookie: 'x' } },
      },
      /credential/,
    ],
  ])('is refused with %s', (_title, file, message) => {
    expect(() => httpToolFile(file, options)).toThrow(message);
  });
});

it.each([undefined, null, {}, { secret: 'hush' }])(
  'asks how secrets are had, given %j',
  (options) => {
    expect(() => httpToolFile([], options as never)).toThrow(
      expect.objectContaining({
        code: 'tool.file',
        message: expect.stringContaining('{ secret: (name) => … }'),
      }),
    );
  },
);
