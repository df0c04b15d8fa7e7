import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { canonicalJson, checkJson, type JsonObject } from '@action-ledger/domain';
import {
  compareDeclarations,
  declarationEvent,
  type DeclarationData,
} from './declaration-event.ts';
import { defineTool } from './define-tool.ts';
import { type ToolDefinition } from './definition.ts';
import { type Tool } from './tool.ts';

const base = {
  name: 'refund',
  input: z.object({
    order: z.string(),
    amount: z.int(),
    tags: z.array(z.string()).default([]),
    note: z.string().optional(),
  }),
  identity: ['order', 'amount'],
  free: ['note'],
  guarantee: 'manual',
  execute: () => null,
} as const;

function tool(more: object = {}): Tool {
  return defineTool({ ...base, ...more } as unknown as ToolDefinition<JsonObject>);
}

/** As it comes back from the store. */
function stored(of: Tool): DeclarationData {
  return JSON.parse(canonicalJson(declarationEvent(of) as never)) as DeclarationData;
}

function compare(before: object, after: object): unknown {
  const result = compareDeclarations(stored(tool(before)), tool(after));
  return typeof result === 'string'
    ? result
    : { code: result.code, changed: result.detail?.['changed'] };
}

it('is plain JSON', () => {
  expect(
    checkJson(
      declarationEvent(
        tool({
          approval: true,
          policy: { version: '1', decide: () => 0 },
          downstreamKey: (key: string) => key,
        }),
      ),
    ),
  ).toMatchObject({
    kind: 'checked',
    value: {
      approval: { votes: 1, isConditional: false },
      policyVersion: '1',
      downstreamKey: 'custom',
      key: 'derived',
    },
  });
});

describe('a tool registered again is the same', () => {
  it('when nothing changed', () => {
    expect(compare({}, {})).toBe('same');
  });

  it('when only code or the order of lists changed', () => {
    expect(
      compare({}, { identity: ['amount', 'order'], execute: () => 1, description: 'better' }),
    ).toBe('same');
  });
});

const wider = base.input.extend({
  reason: z.string().default('none'),
  hint: z.string().optional(),
});
const change = (...changed: string[]) => ({ code: 'tool.identity-changed', changed });

describe('a changed tool is compatible', () => {
  it.each<[string, object, object]>([
    ['with other times', {}, { timeoutMs: 5 }],
    ['with another guarantee', {}, { guarantee: 'idempotent', keyWindow: '1h' }],
    ['with approval', {}, { approval: true }],
    ['with new fields that may be left out', {}, { input: wider }],
    [
      'with a new free or secret field',
      {},
      { input: wider, free: ['note', 'hint'], secret: ['reason'] },
    ],
    [
      'with a new identity field that has a default',
      {},
      { input: wider, identity: ['order', 'amount', 'reason'] },
    ],
    [
      'with a new required field that is free',
      {},
      { input: base.input.extend({ why: z.string() }), free: ['note', 'why'] },
    ],
    ['with an optional field gone', {}, { input: base.input.omit({ note: true }), free: [] }],
    [
      'with whatever else and a higher identityVersion',
      {},
      { identity: ['order'], scope: 'tenant', identityVersion: 2 },
    ],
  ])('%s', (_title, before, after) => {
    expect(compare(before, after)).toBe('compatible');
  });
});

describe('a change of what decides identity without a new identityVersion is refused', () => {
  it.each<[string, object, object, object]>([
    ['scope', {}, { scope: 'tenant' }, change('scope')],
    ['identity', {}, { identity: ['order'] }, change('identity')],
    ['identity from all', { identity: undefined }, {}, change('identity')],
    ['free', {}, { free: [] }, change('free')],
    ['normalize', {}, { normalize: { order: 'trim' } }, change('normalize')],
    [
      'the order of normalizations',
      { normalize: { order: ['trim', 'nfc'] } },
      { normalize: { order: ['nfc', 'trim'] } },
      change('normalize'),
    ],
    ['sets', {}, { sets: ['tags'] }, change('sets')],
    ['secret', {}, { secret: ['order'] }, change('secret')],
    ['the kind of key', {}, { key: 'caller' }, change('key')],
    [
      'a default changed',
      {},
      { input: base.input.extend({ tags: z.array(z.string()).default(['x']) }) },
      change('defaults'),
    ],
    [
      'a default gone',
      {},
      { input: base.input.extend({ tags: z.array(z.string()) }) },
      change('defaults'),
    ],
    [
      'a required field added',
      {},
      { input: base.input.extend({ why: z.string() }) },
      change('required field "why" added'),
    ],
    [
      'a required field removed',
      { identity: ['order'] },
      { identity: ['order'], input: base.input.omit({ amount: true }) },
      change('required field "amount" removed'),
    ],
  ])('%s', (_title, before, after, expected) => {
    expect(compare(before, after)).toEqual(expected);
  });

  it('says what to do', () => {
    const result = compareDeclarations(stored(tool()), tool({ scope: 'tenant' }));
    expect(result).toMatchObject({
      message: expect.stringMatching(
        /\(scope\).*Set identityVersion: 2, or undo the change/,
      ) as unknown as string,
    });
  });
});

it('refuses a lower identityVersion than the registered one', () => {
  expect(compare({ identityVersion: 2 }, {})).toMatchObject({
    code: 'tool.identity-version-lowered',
  });
});
