import { expect, it } from '@jest/globals';
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
