// The tools module of the explain tests: what a user would hand to --tools.
import { defineTool, inputFromJsonSchema } from '@action-ledger/tools';

const text = { type: 'string' };

export const refund = defineTool({
  name: 'refund',
  input: inputFromJsonSchema({
    type: 'object',
    properties: { order: text, amount: text, note: text },
    required: ['order', 'amount'],
  }),
  identity: ['order'],
  free: ['note'],
  guarantee: 'idempotent',
  keyWindow: '24h',
  execute: () => {
    throw new Error('explaining a call never makes it');
  },
});
