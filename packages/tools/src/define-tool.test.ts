import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { defaultChecks, defaultRetry, type JsonObject } from '@action-ledger/domain';
import { succeeded } from './attempt-result.ts';
import { defineTool } from './define-tool.ts';
import { type ToolDefinition } from './definition.ts';
import { needsApproval, type Tool } from './tool.ts';
import { type ToolDeclarationCode, ToolDeclarationError } from './tool-declaration-error.ts';

const input = z.object({
  order: z.object({ id: z.string(), note: z.string().optional() }),
  amount: z.int(),
  tags: z.array(z.string()).default([]),
  comment: z.string().optional(),
  card: z.string(),
});

type Args = z.output<typeof input>;
type Definition = ToolDefinition<Args>;

const base: Definition = {
  name: 'refund',
  input,
  guarantee: 'idempotent',
  keyWindow: '24h',
  execute: () => succeeded('done'),
};

function problemOf(declare: () => Tool): {
  readonly code: ToolDeclarationCode;
  readonly message: string;
} {
  try {
    declare();
  } catch (error) {
    if (error instanceof ToolDeclarationError) return { code: error.code, message: error.message };
    throw error;
  }
  throw new Error('the declaration was accepted');
}

describe('a tool that declares no more than it must', () => {
  const tool = defineTool(base);

  it('gets the default times, retries and checks', () => {
    expect(tool.rules).toEqual({
      tool: 'refund',
      guarantee: 'idempotent',
      timeoutMs: 30_000,
      inFlightMs: 60_000,
      leaseMs: 40_000,
      settleMs: 10_000,
      keyWindowMs: 24 * 3_600_000,
      validForMs: 24 * 3_600_000,
      undoWindowMs: 0,
      retry: defaultRetry,
      checks: defaultChecks,
      undoneBy: [],
      canLookUp: false,
    });
  });

  it('has all fields as identity in the scope of a run', () => {
    expect(tool.declaration).toEqual({
      tool: 'refund',
      identityVersion: 1,
      scope: 'run',
      identity: 'all',
      free: [],
      normalize: {},
      sets: [],
      secret: [],
      defaults: { tags: [] },
    });
  });

  it('is a write without approval, policy or a key of the caller, and frozen', () => {
    expect([tool.kind, tool.approval, tool.policy, tool.needsKey]).toEqual([
      'write',
      undefined,
      undefined,
      false,
    ]);
    expect(
      [tool, tool.declaration, tool.rules, tool.rules.retry, tool.keep, tool.fields].every(
        Object.isFrozen,
      ),
    ).toBe(true);
  });

  it('knows which fields must be given', () => {
    expect(tool.fields).toEqual({
      order: 'required',
      'order.id': 'required',
      'order.note': 'optional',
      amount: 'required',
      tags: 'optional',
      comment: 'optional',
      card: 'required',
    });
  });
});

describe('a tool that declares everything', () => {
  const tool = defineTool({
    ...base,
    guarantee: 'lookup',
    lookup: () => ({ verdict: 'absent' }),
    identity: ['order.id', 'card'],
    free: ['comment'],
    normalize: { 'order.id': 'trim', tags: ['nfc', 'lowercase'] },
    sets: ['tags'],
    secret: ['card'],
    keep: ['outcome.receipt', 'arguments.amount'],
    undoneBy: [{ tool: 'charge', match: { 'arguments.order': 'outcome.order_id' } }],
    identityVersion: 3,
    scope: 'conversation',
    settleMs: 0,
    timeoutMs: 1_000,
    inFlightMs: 1_000,
    leaseMs: 500,
    validFor: '10min',
    undoWindow: '30s',
    approval: { votes: 2, expiresAfter: '30d', when: ({ amount }) => amount > 100 },
    retry: { attempts: 1, backoffMaxMs: 100 },
    checks: { intervalMinMs: 1, checksMax: 3 },
    policy: { version: 'v1', decide: () => ({ effect: 'allow' }) },
    downstreamKey: 'uuid',
    compensate: { tool: 'charge', arguments: ({ externalId }) => ({ id: externalId }) },
  });

  it('has what it declared', () => {
    expect(tool.declaration).toMatchObject({
      identityVersion: 3,
      scope: 'conversation',
      identity: ['card', 'order.id'],
      free: ['comment'],
      normalize: { 'order.id': ['trim'], tags: ['nfc', 'lowercase'] },
      sets: ['tags'],
      secret: ['card'],
    });
    expect(tool.rules).toMatchObject({
      guarantee: 'lookup',
      timeoutMs: 1_000,
      inFlightMs: 1_000,
      leaseMs: 500,
      settleMs: 0,
      keyWindowMs: 0,
      validForMs: 600_000,
      undoWindowMs: 30_000,
      retry: { attemptsMax: 1, backoffMinMs: 100, backoffMaxMs: 100 },
      checks: { ...defaultChecks, intervalMinMs: 1, checksMax: 3 },
      canLookUp: true,
    });
    expect(tool.approval?.rules).toEqual({
      votes: 2,
      ownVote: false,
      expiresAfterMs: 30 * 86_400_000,
    });
  });

  it('keeps the outcome fields that undoneBy matches without being told twice', () => {
    expect(tool.keep).toEqual(['arguments.amount', 'outcome.order_id', 'outcome.receipt']);
  });

  it('asks for approval by the condition, and also where the condition throws', () => {
    expect(needsApproval(tool, { amount: 101 })).toBe(true);
    expect(needsApproval(tool, { amount: 100 })).toBe(false);
    expect(needsApproval(tool, null as unknown as JsonObject)).toBe(true);
    expect(needsApproval(defineTool({ ...base, approval: true }), {})).toBe(true);
    expect(needsApproval(defineTool(base), {})).toBe(false);
  });
});

describe('F023 older identity versions', () => {
  it('are declared as they were, what was left out then with the defaults of then', () => {
    const { olderDeclarations } = defineTool({
      ...base,
      identity: ['order.id'],
      scope: 'tenant',
      secret: ['card'],
      identityVersion: 4,
      previously: [
        { identityVersion: 3, identity: ['order', 'amount'], free: ['comment'], sets: ['tags'] },
        { identityVersion: 1, scope: 'turn' },
      ],
    });
    const shared = { tool: 'refund', secret: ['card'], defaults: { tags: [] }, normalize: {} };
    expect(olderDeclarations).toEqual([
      {
        ...shared,
        identityVersion: 3,
        scope: 'run',
        identity: ['amount', 'order'],
        free: ['comment'],
        sets: ['tags'],
      },
      { ...shared, identityVersion: 1, scope: 'turn', identity: 'all', free: [], sets: [] },
    ]);
  });

  it('are none where none is declared', () => {
    expect(defineTool(base).olderDeclarations).toEqual([]);
  });
});

const wrong = (more: object): Definition => ({ ...base, ...more });

const refused: readonly (readonly [string, ToolDeclarationCode, RegExp, Definition])[] = [
  [
    'a write without guarantee (F125)',
    'tool.guarantee',
    /must declare its `guarantee`.*"manual"/,
    wrong({ guarantee: undefined }),
  ],
  ['an unknown guarantee', 'tool.guarantee', /"natural"/, wrong({ guarantee: 'exactly-once' })],
  [
    'idempotent without key window',
    'tool.key-window',
    /keyWindow.*"24h"/,
    wrong({ keyWindow: undefined }),
  ],
  ['a key window of nothing', 'tool.key-window', /keyWindow/, wrong({ keyWindow: 0 })],
  [
    'lookup without a lookup',
    'tool.lookup',
    /needs a `lookup` function/,
    wrong({ guarantee: 'lookup' }),
  ],
  [
    'natural without identity',
    'tool.identity',
    /needs `identity` to name the entity/,
    wrong({ guarantee: 'natural' }),
  ],
  [
    'F217 a misspelt identity field',
    'tool.unknown-field',
    /identity names "order.idd".*order\.id/,
    wrong({ identity: ['order.idd'] }),
  ],
  [
    'a path into an array',
    'tool.unknown-field',
    /free names "tags.0"/,
    wrong({ free: ['tags.0'] }),
  ],
  [
    'a misspelt free field',
    'tool.unknown-field',
    /free names "coment"/,
    wrong({ free: ['coment'] }),
  ],
  [
    'a misspelt normalize field',
    'tool.unknown-field',
    /normalize names "ordr"/,
    wrong({ normalize: { ordr: 'trim' } }),
  ],
  ['a misspelt set', 'tool.unknown-field', /sets names "tag"/, wrong({ sets: ['tag'] })],
  ['a misspelt secret', 'tool.unknown-field', /secret names "cart"/, wrong({ secret: ['cart'] })],
  [
    'a misspelt keep',
    'tool.unknown-field',
    /keep names "amout"/,
    wrong({ keep: ['arguments.amout'] }),
  ],
  ['keep without a root', 'tool.unknown-field', /"outcome.<field>"/, wrong({ keep: ['amount'] })],
  [
    'keep of a secret',
    'tool.fields-overlap',
    /secret and never stored/,
    wrong({ keep: ['arguments.card'], secret: ['card'] }),
  ],
  [
    'a misspelt field in undoneBy',
    'tool.unknown-field',
    /undoneBy names "amout"/,
    wrong({ undoneBy: [{ tool: 'x', match: { 'arguments.a': 'arguments.amout' } }] }),
  ],
  [
    'undoneBy that matches anything',
    'tool.undone-by',
    /would undo any action/,
    wrong({ undoneBy: [{ tool: 'x', match: {} }] }),
  ],
  [
    'a field both identity and free',
    'tool.fields-overlap',
    /"comment" cannot be both/,
    wrong({ identity: ['comment'], free: ['comment'] }),
  ],
  [
    'free inside identity',
    'tool.fields-overlap',
    /one by one/,
    wrong({ identity: ['order'], free: ['order.note'] }),
  ],
  ['a field twice', 'tool.fields-overlap', /twice/, wrong({ identity: ['amount', 'amount'] })],
  [
    'a set that is no array',
    'tool.identity',
    /"amount", which is not an array/,
    wrong({ sets: ['amount'] }),
  ],
  [
    'normalize of a number',
    'tool.identity',
    /holds no text/,
    wrong({ normalize: { amount: 'trim' } }),
  ],
  [
    'an unknown normalization',
    'tool.identity',
    /one or more of nfc/,
    wrong({ normalize: { comment: 'upper' } }),
  ],
  ['an unknown scope', 'tool.scope', /use one of call, turn/, wrong({ scope: 'forever' })],
  [
    'an older version that is not older',
    'tool.identity',
    /2 is not below 2/,
    wrong({ identityVersion: 2, previously: [{ identityVersion: 2 }] }),
  ],
  [
    'older versions out of order',
    'tool.identity',
    /newest first.*2 is not below 1/,
    wrong({ identityVersion: 3, previously: [{ identityVersion: 1 }, { identityVersion: 2 }] }),
  ],
  [
    'an older version without its number',
    'tool.identity',
    /undefined is not below 3/,
    wrong({ identityVersion: 3, previously: [{ identity: ['amount'] }] }),
  ],
  [
    'a misspelt member of an older version',
    'tool.member',
    /"identty" is no member of previously/,
    wrong({ identityVersion: 3, previously: [{ identityVersion: 1, identty: ['amount'] }] }),
  ],
  [
    'an older version with a field that is gone',
    'tool.unknown-field',
    /identity names "order_id"/,
    wrong({ identityVersion: 3, previously: [{ identityVersion: 1, identity: ['order_id'] }] }),
  ],
  ['identityVersion 0', 'tool.identity', /from 1/, wrong({ identityVersion: 0 })],
  ['a name with a blank', 'tool.name', /1 to 64/, wrong({ name: 'send mail' })],
  ['a name with a line break at its end', 'tool.name', /1 to 64/, wrong({ name: 'mail\n' })],
  ['a name of 65 characters', 'tool.name', /1 to 64/, wrong({ name: 'x'.repeat(65) })],
  ['no name', 'tool.name', /1 to 64/, wrong({ name: undefined })],
  [
    'a bad duration',
    'tool.times',
    /validFor must be milliseconds or a text/,
    wrong({ validFor: '5 minutes' }),
  ],
  ['a fraction of a millisecond', 'tool.times', /whole milliseconds/, wrong({ timeoutMs: 0.5 })],
  [
    'an in-flight bound below the deadline',
    'tool.times',
    /inFlightMs \(999\) is shorter/,
    wrong({ timeoutMs: 1_000, inFlightMs: 999 }),
  ],
  ['no attempts', 'tool.times', /first included/, wrong({ retry: { attempts: 0 } })],
  [
    'a backoff upside down',
    'tool.times',
    /backoffMaxMs \(5\) is below/,
    wrong({ retry: { backoffMinMs: 9, backoffMaxMs: 5 } }),
  ],
  ['no votes', 'tool.approval', /votes/, wrong({ approval: { votes: 0 } })],
  [
    'a policy without version',
    'tool.policy',
    /version/,
    wrong({ policy: { decide: () => ({ effect: 'allow' }) } }),
  ],
  [
    'a misspelt member',
    'tool.member',
    /"identitty" is no member/,
    wrong({ identitty: ['amount'] }),
  ],
  ['no execute', 'tool.member', /execute/, wrong({ execute: undefined })],
  [
    'a schema that is no zod schema',
    'tool.schema',
    /inputFromJsonSchema/,
    wrong({ input: { type: 'object' } }),
  ],
  [
    'arguments that are no object',
    'tool.schema',
    /must be one object/,
    wrong({ input: z.string() }),
  ],
  [
    'a key format that gives one key for all',
    'tool.key',
    /different texts for different keys/,
    wrong({ downstreamKey: () => 'constant' }),
  ],
  ['a read with a guarantee', 'tool.guarantee', /a read has no effect/, wrong({ kind: 'read' })],
  [
    'a read with approval',
    'tool.member',
    /`approval` would do nothing/,
    wrong({ kind: 'read', guarantee: undefined, approval: true }),
  ],
  [
    'compensate without arguments',
    'tool.compensate',
    /arguments: \(original\)/,
    wrong({ compensate: { tool: 'x' } }),
  ],
];

describe('a declaration is refused, and the message names the fix', () => {
  it.each(refused)('%s', (_title, code, message, definition) => {
    const problem = problemOf(() => defineTool(definition));
    expect(problem.code).toBe(code);
    expect(problem.message).toMatch(message);
  });
});

describe('a tool whose arguments give no identity', () => {
  const bare = { name: 'reboot', guarantee: 'manual', execute: () => 'done' } as const;

  it('must say how one use is told from another', () => {
    expect(problemOf(() => defineTool({ ...bare, input: z.object({}) })).message).toMatch(
      /scope: "call", or key: "caller"/,
    );
    expect(
      problemOf(() => defineTool({ ...bare, input: z.object({ why: z.string() }), free: ['why'] }))
        .code,
    ).toBe('tool.scope');
  });

  it('is accepted where it says that there is one entity per scope value', () => {
    const why = z.object({ why: z.string() });
    expect(defineTool({ ...bare, input: why, free: ['why'], identity: [] }).needsKey).toBe(false);
    const guarantee = 'natural';
    expect(defineTool({ ...bare, guarantee, input: z.object({}), identity: [] }).needsKey).toBe(
      false,
    );
    expect(problemOf(() => defineTool({ ...bare, input: z.object({}), identity: [] })).code).toBe(
      'tool.scope',
    );
  });

  it('is accepted in the scope of a call', () => {
    expect(defineTool({ ...bare, input: z.object({}), scope: 'call' }).needsKey).toBe(false);
  });

  it('is accepted where the caller brings the key', () => {
    expect(defineTool({ ...bare, input: z.object({}), key: 'caller' }).needsKey).toBe(true);
  });

  it('is accepted as a read', () => {
    const { guarantee: _guarantee, ...rest } = bare;
    expect(defineTool({ ...rest, kind: 'read', input: z.object({}) }).needsKey).toBe(false);
  });
});

it('accepts a secret as identity: it enters the key as a digest', () => {
  const tool = defineTool({ ...base, identity: ['card'], secret: ['card'] });
  expect(tool.declaration.identity).toEqual(['card']);
});
