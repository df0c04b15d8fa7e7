// Which action a proposal is about: a key of the caller's, or one that is derived; never a constant,
// never none.
import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { type CallContext } from '@action-ledger/client';
import {
  call,
  conflict,
  effects,
  inCase,
  invalid,
  keyed,
  overStores,
  replayed,
  type WorldOptions,
  writeTool,
} from './case.ts';

type Port = Parameters<WorldOptions['tools']>[0];

const refundInput = z.object({ charge: z.string().nullable(), amount: z.int() });
const refund = (port: Port) => [
  writeTool(port, { name: 'refund', input: refundInput, identity: ['charge'] }),
];
const args = { charge: 'c-1', amount: 500 };

describe('F015 missing key becomes a constant', () => {
  const note = (more: object) => (port: Port) => [
    writeTool(port, { name: 'note', input: z.object({ text: z.string() }), ...more }),
  ];

  it.each([
    ['no key', call()],
    ['an empty key', { ...call(), key: '' }],
    ['a blank key', { ...call(), key: '   ' }],
  ] as const)(
    '%s where the caller must bring one → invalid, twice',
    (_what, context: CallContext) =>
      inCase(note({ key: 'caller' }), async (world) => {
        const process = await world.start();
        expect(await process.call({ text: 'a' }, context)).toMatchObject(invalid);
        expect(await process.call({ text: 'b' }, context)).toMatchObject(invalid);
        expect(effects(world)).toBe(0);
      }),
  );

  it('identity fields that are all null, or nothing that says where the call is from → invalid', () =>
    inCase(refund, async (world) => {
      const process = await world.start();
      const none = await process.call({ charge: null, amount: 500 }, call());
      expect(none).toMatchObject({ ...invalid, code: 'identity.empty' });
      expect(await process.call(args, {})).toMatchObject({
        ...invalid,
        code: 'identity.scope-missing',
      });
      expect(await process.call(args, { ...call(), run: '' })).toMatchObject(invalid);
      expect(effects(world)).toBe(0);
    }));

  it('a tool whose calls are told apart by themselves → two calls are two actions', () =>
    inCase(note({ scope: 'call' }), async (world) => {
      const process = await world.start();
      const one = await process.call({ text: 'a' }, call());
      const other = await process.call({ text: 'b' }, call('call_2'));
      expect(one.actionId).not.toBe(other.actionId);
      expect(await process.call({ text: 'b' }, { run: 'run-1' })).toMatchObject(invalid);
      expect(effects(world)).toBe(2);
    }));
});

overStores((store) => {
  it('F017 hash lost when outcome is written: after a restart same → replayed, other → conflict', () =>
    inCase(
      refund,
      async (world) => {
        const done = await (await world.start()).call(args, keyed('k1'));
        for (let restarts = 0; restarts < 2; restarts += 1) {
          const next = await world.restart();
          expect(await next.call(args, keyed('k1'))).toMatchObject(replayed);
          expect(await next.call({ ...args, amount: 501 }, keyed('k1'))).toMatchObject({
            ...conflict,
            actionId: done.actionId,
            differs: [{ path: 'amount' }],
          });
        }
        const [planned] = await world.events(done.actionId);
        const { argumentsHash } = await world.action(done.actionId);
        expect(planned?.data).toMatchObject({ argumentsHash });
        expect(effects(world)).toBe(1);
      },
      { store },
    ));

  it('F019 key leaks to the next operation: another tool under it → conflict that names the tool', () =>
    inCase(
      (port) => [
        writeTool(port, { name: 'create_invoice', input: z.object({ customer: z.string() }) }),
        writeTool(port, { name: 'pay_invoice', input: z.object({ invoice: z.string() }) }),
      ],
      async (world) => {
        const process = await world.start();
        const created = await process.call({ customer: 'c-1' }, keyed('k1'), 'create_invoice');
        const before = await world.action(created.actionId);
        const answer = await process.call({ invoice: 'i-1' }, keyed('k1'), 'pay_invoice');
        expect(answer).toMatchObject({ ...conflict, differs: [{ path: 'tool' }] });
        expect(answer.messageForModel).toContain('create_invoice is not pay_invoice');
        const next = await world.restart();
        expect(await next.call({ invoice: 'i-1' }, keyed('k1'), 'pay_invoice')).toMatchObject(
          conflict,
        );
        expect(effects(world, 'pay_invoice')).toBe(0);
        expect(await world.action(created.actionId)).toEqual(before);
      },
      { store },
    ));
});

it('F019 another tool with the very same arguments under the key → conflict all the same', () =>
  inCase(
    (port) => ['charge', 'refund'].map((name) => writeTool(port, { name, input: refundInput })),
    async (world) => {
      const process = await world.start();
      await process.call(args, keyed('k1'), 'charge');
      expect(await process.call(args, keyed('k1'), 'refund')).toMatchObject(conflict);
      expect(effects(world, 'refund')).toBe(0);
    },
  ));

describe('F029 derived key too coarse', () => {
  it('a second, wanted refund under a key of its own → done, and its retry replayed', () =>
    inCase(refund, async (world) => {
      const process = await world.start();
      await process.call(args, keyed('refund-a'));
      const second = await process.call(args, keyed('refund-b'));
      expect(second).toMatchObject({ word: 'done', repeat: false });
      expect(await process.call(args, keyed('refund-b'))).toMatchObject({
        ...replayed,
        actionId: second.actionId,
      });
      expect(effects(world)).toBe(2);
    }));

  it('with a derived key only → already done, with the id of the first; a repeat is said, not guessed', () =>
    inCase(refund, async (world) => {
      const process = await world.start();
      const first = await process.call(args, call());
      expect(await process.call(args, call('call_2', '2'))).toMatchObject({
        ...replayed,
        actionId: first.actionId,
      });
      expect(effects(world)).toBe(1);
      const request = {
        of: first.actionId ?? '',
        by: 'ann',
        reason: 'the customer is owed both',
        tenant: 'acme',
        revisionSeen: first.revision ?? -1,
      };
      const second = await world.during(process.ledger.repeat(request));
      expect(second).toMatchObject({ word: 'done', repeat: false, previous: first.actionId });
      expect(await world.during(process.ledger.repeat(request))).toMatchObject({
        repeat: true,
        actionId: second.actionId,
      });
      expect(effects(world)).toBe(2);
    }));
});

describe('F073 the guard rejects its own key', () => {
  it.each([
    ['a UUID', '6f1c9f1e-7a4c-4d57-9f4e-0f6a2b1c3d4e'],
    ['64 hex digits', 'ab'.repeat(32)],
    ['255 characters', 'k'.repeat(255)],
    ['no ASCII', 'zahlung-für-Łódź-🎈'],
    ['a slash', 'orders/2026/114'],
  ])('%s → the same call twice is done once', (_what, key) =>
    inCase(refund, async (world) => {
      const process = await world.start();
      expect(await process.call(args, keyed(key))).toMatchObject({ word: 'done' });
      expect(await process.call(args, keyed(key))).toMatchObject(replayed);
      expect(effects(world)).toBe(1);
    }),
  );

  it.each([
    ['256 characters', 'k'.repeat(256)],
    ['a newline', 'order\n114'],
    ['a NUL', 'order\u0000'],
    ['half of a surrogate pair', 'order\ud800'],
  ])('%s → invalid, and never taken for "no key"', (_what, key) =>
    inCase(refund, async (world) => {
      const process = await world.start();
      for (const id of ['call_1', 'call_2']) {
        expect(await process.call(args, { ...call(id), key })).toMatchObject({
          ...invalid,
          code: 'key.invalid',
        });
      }
      expect(await world.actions()).toEqual([]);
      expect(effects(world)).toBe(0);
    }),
  );
});
