import { expect, it } from '@jest/globals';
import { z } from 'zod';
import { ToolDeclarationError } from '../tool-declaration-error.ts';
import { httpTool } from './http-tool.ts';

const url = 'https://api.example.com/refunds';
const good = {
  name: 'refund',
  guarantee: 'lookup',
  input: z.object({ order: z.string() }),
  request: { method: 'POST', url },
  lookup: { method: 'GET', url, query: { key: '{$key}' }, absent: { status: 404 } },
};

function problemOf(definition: unknown): unknown {
  try {
    httpTool(definition as never);
    return 'declared';
  } catch (error) {
    if (!(error instanceof ToolDeclarationError)) return error;
    return [error.code, error.message];
  }
}

it('declares a good one', () => {
  expect(problemOf(good)).toBe('declared');
});

it.each([
  [undefined, 'tool.member', 'a declaration is one object'],
  [null, 'tool.member', 'a declaration is one object'],
  [{}, 'tool.http', '`request` must be an object: { method, url }'],
  [{ ...good, request: 5 }, 'tool.http', '`request` must be an object'],
  [{ ...good, request: { method: 'POST', url: {} } }, 'tool.http', '`request.url` must be a text'],
  [{ ...good, request: { ...good.request, headers: null } }, 'tool.http', '`request.headers` must'],
  [{ ...good, request: { ...good.request, hedaers: {} } }, 'tool.member', '"hedaers" is no member'],
  [{ ...good, keyPlace: 'header' }, 'tool.http', '`keyPlace` must be "none", or an object'],
  [{ ...good, answers: { rules: {} } }, 'tool.http', '`answers.rules` must be a list'],
  [{ ...good, answers: { rules: [null] } }, 'tool.http', '`answers.rules[0]` must be an object'],
  [{ ...good, answers: { success: null } }, 'tool.http', '`answers.success` must be an object'],
  [{ ...good, answers: { success: { status: {} } } }, 'tool.http', '`answers.success.status` must'],
  [{ ...good, lookup: null }, 'tool.lookup', '`lookup` must be an object'],
  [{ ...good, lookup: { ...good.lookup, found: 5 } }, 'tool.lookup', '`lookup.found` must be'],
  [{ ...good, compensate: 'undo' }, 'tool.compensate', '`compensate` must be an object'],
  [{ ...good, allowPrivate: 'yes' }, 'tool.http', '`allowPrivate` must be true or false'],
  [{ ...good, socketsMax: '5' }, 'tool.http', '`socketsMax` must be a number'],
])('%j is refused by the member that is wrong', (definition, code, says) => {
  expect(problemOf(definition)).toEqual([code, expect.stringContaining(says)]);
});
