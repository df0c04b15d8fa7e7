// One text per value, whoever wrote it: what a repeat is compared by, and what never reaches the ledger.
import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { canonicalJson, type JsonObject, parseJson } from '@action-ledger/domain';
import { seededRandom } from '@action-ledger/testkit';
import {
  call,
  callText,
  conflict,
  effects,
  inCase,
  invalid,
  keyed,
  replayed,
  type WorldOptions,
  writeTool,
} from './case.ts';

type Port = Parameters<WorldOptions['tools']>[0];

const refundInput = z.object({ order_id: z.string(), amount: z.int() });
const refund = (port: Port) => [writeTool(port, { name: 'refund', input: refundInput })];
const write = (shape: z.ZodRawShape) => (port: Port) => [
  writeTool(port, { name: 'write', input: z.object(shape), key: 'caller' }),
];

it('F001 key order / raw text hashed: the same body written otherwise is the same call', () =>
  inCase(refund, async (world) => {
    const process = await world.start();
    const done = await callText(process, '{"order_id":"o-1","amount":1250}', keyed('k1'));
    const other = '{ "amount" : 1250.0 , "order_id":"o-1" }';
    expect(await callText(process, other, keyed('k1'))).toMatchObject(replayed);
    const { arguments: stored } = await world.action(done.actionId);
    expect(canonicalJson(stored)).toBe('{"amount":1250,"order_id":"o-1"}');
    expect(effects(world)).toBe(1);
  }));

describe('F003 number text differs by language', () => {
  it.each([
    ['{"v":10.0}', '{"v":10}', '{"v":10}'],
    ['{"v":-0.0}', '{"v":0}', '{"v":0}'],
    ['{"v":1e-05}', '{"v":0.00001}', '{"v":0.00001}'],
    ['{"v":1E-7}', '{"v":0.0000001}', '{"v":1e-7}'],
  ])('%s and %s are one call', (python, script, canonical) =>
    inCase(write({ v: z.number() }), async (world) => {
      const process = await world.start();
      const done = await callText(process, python, keyed('k1'));
      expect(await callText(process, script, keyed('k1'))).toMatchObject(replayed);
      expect(canonicalJson((await world.action(done.actionId)).arguments)).toBe(canonical);
      expect(effects(world)).toBe(1);
    }),
  );
});

it('F005 integers above 2^53-1 are refused before they are rounded; as text they arrive digit for digit', () =>
  inCase(write({ row_id: z.string() }), async (world) => {
    const process = await world.start();
    for (const [key, digits] of Object.entries({
      k1: '2512292042121000001',
      k2: '2512292042121000000',
    })) {
      const answer = await callText(process, `{"row_id":${digits}}`, keyed(key));
      expect(answer).toMatchObject({ ...invalid, code: 'json.integer-unsafe' });
    }
    expect(await world.actions()).toEqual([]);
    // The keys are not bound by what was refused.
    await callText(process, '{"row_id":"2512292042121000001"}', keyed('k1'));
    expect(world.provider.effects()).toMatchObject([
      { arguments: { row_id: '2512292042121000001' } },
    ]);
  }));

describe('F007 composed vs decomposed letters', () => {
  const input = z.object({ folder: z.string() });
  const composed = { folder: 'caf\u00e9' };
  const decomposed = { folder: 'cafe\u0301' };
  const create = (port: Port) => [writeTool(port, { name: 'create', input })];
  const normalized = (port: Port) => [
    writeTool(port, { name: 'create', input, normalize: { folder: 'nfc' } }),
  ];

  it('under one key → conflict, and the answer shows the code points', () =>
    inCase(create, async (world) => {
      const process = await world.start();
      await process.call(composed, keyed('k1'));
      const answer = await process.call(decomposed, keyed('k1'));
      expect(answer).toMatchObject({ ...conflict, differs: [{ path: 'folder' }] });
      expect(answer.differs?.[0]?.note).toMatch(/U\+00E9.*U\+0065 U\+0301/);
      expect(answer.messageForModel).toContain('U+00E9');
      expect(effects(world)).toBe(1);
    }));

  it('with derived keys → two actions, for nothing says that they are one', () =>
    inCase(create, async (world) => {
      const process = await world.start();
      await process.call(composed, call());
      await process.call(decomposed, call('call_2', '2'));
      expect(effects(world)).toBe(2);
    }));

  it.each([
    ["under a caller's key", keyed('k1'), keyed('k1')],
    ['with derived keys', call(), call('call_2', '2')],
  ])('where the field asks for it, %s → replayed', (_how, first, second) =>
    inCase(normalized, async (world) => {
      const process = await world.start();
      const done = await process.call(composed, first);
      expect(await process.call(decomposed, second)).toMatchObject({
        ...replayed,
        actionId: done.actionId,
      });
      // What is sent stays as it was written first.
      expect(world.provider.effects()).toMatchObject([{ arguments: composed }]);
    }),
  );

  it('where the field asks for it, an approval for the one form is one for the other', () =>
    inCase(
      (port) => [
        writeTool(port, { name: 'create', input, normalize: { folder: 'nfc' }, approval: true }),
      ],
      async (world) => {
        const process = await world.start();
        const { actionId = '' } = await process.call(composed, call());
        const { ledger } = process;
        const seen = await ledger.explain({
          tool: 'create',
          arguments: decomposed,
          tenant: 'acme',
          origin: call('call_2', '2'),
        });
        const argumentsHash = seen.kind === 'explanation' ? seen.argumentsHash : '';
        expect(
          await ledger.vote({ actionId, voter: 'vera', vote: 'approve', argumentsHash }),
        ).toMatchObject({
          kind: 'done',
        });
      },
    ));
});

it('F009 defaults and coercion: defaults are filled before hashing, nothing is coerced', () => {
  const input = z.object({ id: z.int(), active: z.boolean().default(false) });
  return inCase(
    (port) => [writeTool(port, { name: 'set', input })],
    async (world) => {
      const process = await world.start();
      await process.call({ id: 7 }, keyed('k1'));
      expect(await process.call({ id: 7, active: false }, keyed('k1'))).toMatchObject(replayed);
      expect(await process.call({ id: '7' }, keyed('k1'))).toMatchObject({
        ...invalid,
        code: 'arguments.invalid',
      });
      expect(world.provider.effects()).toMatchObject([{ arguments: { id: 7, active: false } }]);
    },
  );
});

it('F011 NaN/Infinity/-0 collapse: what JSON cannot say is refused, and nothing is taken for null', () =>
  inCase(
    (port) => [
      writeTool(port, { name: 'set', input: z.object({ to: z.string(), limit: z.json() }) }),
    ],
    async (world) => {
      const process = await world.start();
      const limits = async (limit: unknown, id: string) =>
        process.call({ to: 'a', limit } as JsonObject, call(id, id));
      for (const limit of [Infinity, -Infinity, NaN, 7n]) {
        expect(await limits(limit, String(limit))).toMatchObject(invalid);
      }
      expect(effects(world)).toBe(0);
      await limits(null, 'null');
      await limits(-0, 'minus');
      expect(await limits(0, 'zero')).toMatchObject(replayed);
      expect(world.provider.effects().map((each) => each.arguments)).toEqual([
        { to: 'a', limit: null },
        { to: 'a', limit: 0 },
      ]);
    },
  ));

it('F011 an undefined member is a missing one', () =>
  inCase(
    (port) => [
      writeTool(port, { name: 'set', input: z.object({ to: z.string(), x: z.int().optional() }) }),
    ],
    async (world) => {
      const process = await world.start();
      await process.call({ to: 'a', x: undefined } as unknown as JsonObject, call());
      expect(await process.call({ to: 'a' }, call('call_2', '2'))).toMatchObject(replayed);
      expect(effects(world)).toBe(1);
    },
  ));

it('F013 own `__proto__` member dropped by canonicalizer: refused, never a replay', () =>
  inCase(write({ to: z.string(), constructor: z.object({ x: z.int() }) }), async (world) => {
    const process = await world.start();
    const text = (member: string, x: number) => `{"to":"a@ex.test","${member}":{"x":${x}}}`;
    for (const x of [1, 2])
      expect(await callText(process, text('__proto__', x), keyed('k1'))).toMatchObject(invalid);
    const own = JSON.parse(text('__proto__', 1)) as JsonObject;
    expect(await process.call(own, keyed('k1'))).toMatchObject(invalid);
    expect(effects(world)).toBe(0);
    await callText(process, text('constructor', 1), keyed('k2'));
    expect(await callText(process, text('constructor', 2), keyed('k2'))).toMatchObject(conflict);
    expect(effects(world)).toBe(1);
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect(({} as Record<string, unknown>)['x']).toBeUndefined();
  }));

describe('F025 unordered maps and sets', () => {
  it('members in any order → one call', () =>
    inCase(write({ labels: z.record(z.string(), z.int()) }), async (world) => {
      const process = await world.start();
      const random = seededRandom(25);
      const names = ['a', 'b', 'c', 'd', '10', '9'];
      const hashes = new Set<string>();
      for (let nth = 0; nth < 100; nth += 1) {
        const shuffled = names
          .map((name) => [random(), name] as const)
          .sort(([one], [other]) => one - other);
        const labels = Object.fromEntries(shuffled.map(([, name]) => [name, names.indexOf(name)]));
        const { actionId } = await process.begin({ labels }, keyed('k1'));
        hashes.add((await world.action(actionId)).argumentsHash);
      }
      expect(hashes.size).toBe(1);
      expect(effects(world)).toBe(1);
    }));

  const input = z.object({ to: z.array(z.string()), text: z.string() });
  const args = { to: ['a@x.test', 'b@x.test'], text: 'hello' };
  const reversed = { ...args, to: args.to.toReversed() };

  it.each([
    ['a set', ['to'], replayed],
    ['a list', [], conflict],
  ])('%s in another order', (_what, sets, expected) =>
    inCase(
      (port) => [writeTool(port, { name: 'send', input, identity: ['text'], sets })],
      async (world) => {
        const process = await world.start();
        await process.call(args, call());
        expect(await process.call(reversed, call('call_2', '2'))).toMatchObject(expected);
        expect(world.provider.effects()).toMatchObject([{ arguments: args }]);
      },
    ),
  );
});

it('F027 truncated arguments repaired and run: refused, and the key is not bound', () =>
  inCase(
    (port) => [
      writeTool(port, { name: 'send', input: z.object({ to: z.string(), body: z.string() }) }),
    ],
    async (world) => {
      const process = await world.start();
      const whole = '{"to":"a@ex.test","body":"Dear Ann"}';
      for (let length = 0; length < whole.length; length += 1) {
        const cut = whole.slice(0, length);
        expect(parseJson(cut).kind).toBe('refusal');
        expect(await callText(process, cut, keyed('k1'))).toMatchObject(invalid);
      }
      expect(await process.call({}, keyed('k1'))).toMatchObject(invalid);
      expect(await world.actions()).toEqual([]);
      expect(await callText(process, whole, keyed('k1'))).toMatchObject({ word: 'done' });
      expect(effects(world)).toBe(1);
    },
  ));
