import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { type JsonObject } from '@action-ledger/domain';
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
    items: z.array(z.object({ sku: z.string().regex(/^[a-z]+$/), count: z.int().positive() })),
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
      { ...order, items: [{ sku: 'A', count: 1 }] },
      { ...order, items: [{ sku: 'a', count: 0.5 }] },
      { ...order, how: { kind: 'pick-up', town: 'x' } },
      { ...order, urgent: 'yes' },
      { ...order, size: 'l' },
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
    expect(codeOf(() => callerDeclaration(tool))).toMatch(/^tool\.caller: Tool "pay": /);
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
