// What a tool brings back: kept as far as it can be, the same for the first caller and every repeat.
import { expect, it } from '@jest/globals';
import { z } from 'zod';
import { type JsonObject } from '@action-ledger/domain';
import { executeAt, type ProviderPort } from '@action-ledger/sandbox';
import { type AttemptResult, refused, succeeded } from '@action-ledger/tools';
import {
  call,
  effects,
  inCase,
  invalid,
  overStores,
  replayed,
  requests,
  type World,
  writeTool,
} from './case.ts';

const input = z.object({ text: z.string() });
const args = { text: 'the report' };

/** It has its effect at the provider, and then answers with this. */
const answering = (answer: () => unknown) => (port: ProviderPort) => [
  writeTool<{ text: string }>(port, {
    name: 'send',
    input,
    execute: async (context) => {
      await executeAt(port)(context);
      return answer();
    },
  }),
];

const cyclic = (): object => {
  const value: { self?: unknown; id: string } = { id: 'r-1' };
  value.self = value;
  return value;
};

const unreadable = (): object => ({
  id: 'r-1',
  get text() {
    throw new Error('no');
  },
});

const mega = 1024 * 1024;

/** Done once, with what could be kept of it and word of what could not; and so for ever. */
async function expectKept(world: World): Promise<void> {
  const first = await (await world.start()).call(args, call());
  expect(first).toMatchObject({ word: 'done', state: 'succeeded' });
  const { outcome } = await world.action(first.actionId);
  expect(outcome?.notes?.length).toBeGreaterThan(0);
  expect(first.notes).toEqual(outcome?.notes);
  expect(first.messageForModel).toContain(outcome?.notes?.[0]?.replace(/\.$/, ''));
  if (JSON.stringify(outcome?.result).length > 10_000) expect(outcome?.digest).toBeDefined();
  expect(JSON.stringify(outcome).length).toBeLessThan(100_000);
  const repeat = await (await world.restart()).call(args, call('call_2', '2'));
  expect(repeat).toMatchObject(replayed);
  expect(repeat.result).toEqual(first.result);
  expect(requests(world)).toBe(1);
  expect(effects(world)).toBe(1);
}

it('F213 result that cannot be stored: 50 MB', () =>
  inCase(
    answering(() => 'x'.repeat(50 * mega)),
    expectKept,
  ));

overStores((store) => {
  it.each([
    ['F044 outcome cannot be stored: 1.3 MB', () => ({ id: 'r-1', text: 'x'.repeat(1.3 * mega) })],
    ['F044 F213 a cycle', cyclic],
    ['F044 F213 a BigInt', () => ({ id: 'r-1', amount: 12n })],
    ['F213 a function', () => () => 'done'],
    ['F213 a value that throws when it is read', unreadable],
  ])('%s → done once, what could be kept of it with a digest, and so for ever', (_what, answer) =>
    inCase(answering(answer), expectKept, { store }),
  );

  it('F044 outcome cannot be stored: an error text of 2 MB → failed, with what fits of it', () =>
    inCase(
      answering(() => refused('x'.repeat(2 * mega), { detail: { text: 'y'.repeat(2 * mega) } })),
      async (world) => {
        // The provider has refused, so nothing was done there; the tool says so with a long text.
        const answer = await (await world.start()).call(args, call());
        expect(answer).toMatchObject({ word: 'failed-without-effect', state: 'failed' });
        expect(answer.reason?.length).toBeLessThan(10_000);
        expect(answer.messageForModel.length).toBeLessThan(10_000);
      },
      { store, answer: () => ({ kind: 'refused', error: 'no' }) },
    ));

  it('F215 first answer and repeat differ: both are the value as recorded', () =>
    inCase(
      answering(() => ({
        at: new Date(Date.UTC(2026, 6, 1)),
        missing: undefined,
        keyed: new Map([[{ id: 1 }, 1]]),
        nested: new Map([['a', new Map([['b', -0]])]]),
        minus: -0,
        pair: [1, undefined],
        set: new Set([1]),
        not: NaN,
      })),
      async (world) => {
        const first = await (await world.start()).call(args, call());
        const repeat = await (await world.restart()).call(args, call('call_2', '2'));
        expect(repeat).toMatchObject(replayed);
        expect(first.result).toEqual(repeat.result);
        const result = first.result as JsonObject;
        expect(Object.is(result['minus'], 0)).toBe(true);
        expect('missing' in result).toBe(false);
        expect(result['at']).toBe('2026-07-01T00:00:00.000Z');
      },
      { store },
    ));
});

it('F044 what can be checked before dispatch is: arguments that are too large are never sent', () =>
  inCase(
    answering(() => 'done'),
    async (world) => {
      const process = await world.start();
      const large = await process.call({ text: 'x'.repeat(257 * 1024) }, call());
      expect(large).toMatchObject({ ...invalid, code: 'json.too-large' });
      expect(await process.call({ text: cyclic() } as unknown as JsonObject, call())).toMatchObject(
        invalid,
      );
      expect(requests(world)).toBe(0);
    },
  ));

it('F044 external ids and what the tool keeps are never cut', () =>
  inCase(
    (port) => [
      writeTool<{ text: string }>(port, {
        name: 'send',
        input,
        keep: ['outcome.receipt'],
        execute: async (context): Promise<AttemptResult> => {
          await executeAt(port)(context);
          const body = { large: 'x'.repeat(2 * mega), receipt: 'r-1' };
          return succeeded(body, { externalId: 'ext-1' });
        },
      }),
    ],
    async (world) => {
      const answer = await (await world.start()).call(args, call());
      expect(answer).toMatchObject({
        word: 'done',
        externalId: 'ext-1',
        result: { receipt: 'r-1' },
      });
    },
  ));
