import { describe, expect, it } from '@jest/globals';
import { type JsonValue } from '@action-ledger/domain';
import { defineTool, inputFromJsonSchema } from '@action-ledger/tools';
import { fieldsOf } from './fields-of.ts';

const text = { type: 'string' };
const tool = defineTool({
  name: 'refund',
  input: inputFromJsonSchema({
    type: 'object',
    properties: {
      order: { type: 'object', properties: { id: text, line: text }, required: ['id'] },
      cents: { type: 'integer' },
      note: text,
      tags: { type: 'array', items: text },
    },
    required: ['order', 'cents'],
  }),
  identity: ['order'],
  free: ['note'],
  sets: ['tags'],
  guarantee: 'manual',
  execute: () => null,
});

it('tells identity, bound and free fields apart, down to their leaves', () => {
  const fields = fieldsOf(tool, { order: { id: 'A-17' }, cents: 5, tags: ['b', 'a'] });
  expect(fields.map(({ path, role }) => [path, role])).toEqual([
    ['order.id', 'identity'],
    ['order.line', 'identity'],
    ['cents', 'bound'],
    ['note', 'free'],
    ['tags', 'bound'],
  ]);
  expect(fields.map(({ value }) => value)).toEqual(['A-17', undefined, 5, undefined, ['b', 'a']]);
  expect(fields.at(-1)?.compared).toEqual(['as a set']);
});

describe('a field with a default', () => {
  const booking = defineTool({
    name: 'book',
    input: inputFromJsonSchema({
      type: 'object',
      properties: {
        room: text,
        currency: { ...text, default: 'EUR' },
        note: { ...text, default: 'none' },
      },
      required: ['room'],
    }),
    free: ['note'],
    normalize: { currency: ['trim'], note: ['trim'] },
    guarantee: 'manual',
    execute: () => null,
  });
  const comparedOf = (stored: JsonValue): unknown =>
    Object.fromEntries(fieldsOf(booking, stored).map(({ path, compared }) => [path, compared]));

  it('is left out where it holds the default, compared as it is', () => {
    expect(comparedOf({ room: '1', currency: ' EUR', note: 'none' })).toEqual({
      room: [],
      currency: ['trim', 'the default, left out'],
      note: [],
    });
  });

  it('is not left out where it holds another value or is not given', () => {
    const kept = { room: [], currency: ['trim'], note: [] };
    expect(comparedOf({ room: '1', currency: 'USD', note: 'x' })).toEqual(kept);
    expect(comparedOf({ room: '1' })).toEqual(kept);
  });
});
