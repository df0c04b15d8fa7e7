// Calls that are repeated again and again, when what is known of them is kept: each gets the answer of
// a ledger that has just been opened on the same record and keeps nothing.
import { afterEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { z } from 'zod';
import { createMemoryEventStore, type EventStore } from '@action-ledger/event-store';
import { defineTool } from '@action-ledger/tools';
import { createLedger } from './create-ledger.ts';

let effects: unknown[] = [];
afterEach(() => {
  effects = [];
});

const input = z.object({ to: z.string(), note: z.string().optional(), n: z.number().default(1) });
interface Context {
  readonly arguments: unknown;
  readonly beforeSend: () => void;
}
const shared = {
  input,
  guarantee: 'manual',
  execute: ({ arguments: args, beforeSend }: Context) => {
    beforeSend();
    effects.push(args);
    return { sent: effects.length };
  },
} as const;
type Args = z.infer<typeof input>;

const tools = {
  mail: defineTool({ ...shared, name: 'mail', identity: ['to'], scope: 'run' }),
  post: defineTool({ ...shared, name: 'post', free: ['note'], scope: 'tenant' }),
  set: defineTool({
    ...shared,
    name: 'set',
    guarantee: 'natural',
    identity: ['to'],
    scope: 'tenant',
  }),
  seal: defineTool({ ...shared, name: 'seal', secret: ['note'], scope: 'conversation' }),
};

async function open(store: EventStore) {
  // Of many ledgers on one record, as after restarts: none of them ends it.
  return createLedger({ tools, store: { ...store, close: () => Promise.resolve() } });
}

const call = fc.record({
  tool: fc.constantFrom('mail', 'post', 'set'),
  args: fc.record(
    {
      to: fc.constantFrom('a', 'b'),
      note: fc.constantFrom('x', 'y', 7, { toJSON: 'x' }),
      n: fc.constantFrom(1, 2),
    },
    { requiredKeys: ['to'] },
  ),
  tenant: fc.constantFrom('acme', 'other'),
  key: fc.constantFrom(undefined, undefined, undefined, 'k1'),
  conversation: fc.constantFrom('c-1', 'c-2'),
  run: fc.constantFrom('r-1', 'r-2'),
  turn: fc.constantFrom(undefined, '1'),
  call: fc.constantFrom('call-1', 'call-2'),
});

describe('calls repeated again and again', () => {
  it('are answered as by a ledger that has just been opened', async () => {
    await fc.assert(
      fc.asyncProperty(
        call,
        fc.array(call, { maxLength: 12 }),
        fc.array(fc.nat(), { maxLength: 40 }),
        async (first, others, order) => {
          const calls = [first, ...others];
          const store = createMemoryEventStore();
          const ledger = await open(store);
          const ask = (by: typeof ledger, index: number) => {
            const { tool, args, key, turn, ...origin } = calls[index % calls.length] ?? first;
            return by.tools[tool as 'mail'].call(args as unknown as Args, {
              ...origin,
              ...(key === undefined ? {} : { key }),
              ...(turn === undefined ? {} : { turn }),
            });
          };
          for (const index of calls.keys()) await ask(ledger, index);
          for (const index of order) {
            const known = await ask(ledger, index);
            const done = effects.length;
            const fresh = await open(store);
            const again = await ask(fresh, index);
            expect(effects).toHaveLength(done);
            if (known.repeat || known.state === 'refused') expect(again).toEqual(known);
            await fresh.close();
          }
          await ledger.close();
        },
      ),
      { numRuns: 60 },
    );
  });

  it('are told apart by every part of them', async () => {
    const ledger = await open(createMemoryEventStore());
    const ask = async (args: object, origin: object = {}) =>
      (
        await ledger.tools.mail.call(args as Args, {
          run: 'r-1',
          call: 'c-1',
          ...origin,
        })
      ).word;
    expect(await ask({ to: 'a', n: 1 })).toBe('done');
    await ledger.tools.post.call({ to: 'a', n: 1 }, { run: 'r-1', call: 'c-1' });
    for (let time = 0; time < 3; time += 1) {
      expect(await ask({ to: 'a', n: 1 })).toBe('already-done');
      const { word, tool } = await ledger.tools.post.call(
        { to: 'a', n: 1 },
        { run: 'r-1', call: 'c-1' },
      );
      expect({ word, tool }).toEqual({ word: 'already-done', tool: 'post' });
      expect(await ask({ n: 1, to: 'a' })).toBe('already-done');
      expect(await ask({ to: 'a' })).toBe('already-done');
      expect(await ask({ to: 'a', n: 2 })).toBe('other-arguments');
      expect(await ask({ to: 'a', n: '1' })).toBe('failed-without-effect');
      expect(await ask({ to: 'a', n: 1, bcc: 'b' })).toBe('failed-without-effect');
      expect(await ask({ to: 'a', n: 1 }, { run: ['r-1'] })).toBe('failed-without-effect');
    }
    expect(await ask({ to: 'a', n: 1 }, { run: 'r-2' })).toBe('done');
    expect(await ask({ to: 'a', n: 1 }, { tenant: 'other' })).toBe('done');
    expect(await ask({ to: 'a', n: 1 }, { key: 'k' })).toBe('done');
    expect(effects).toHaveLength(5);
    await ledger.close();
  });

  it('with a secret are told apart by it', async () => {
    const ledger = await open(createMemoryEventStore());
    const ask = async (note: string) =>
      (await ledger.tools.seal.call({ to: 'a', n: 1, note }, { conversation: 'c-1', call: '1' }))
        .word;
    expect(await ask('x')).toBe('done');
    for (let time = 0; time < 3; time += 1) {
      expect(await ask('x')).toBe('already-done');
      expect(await ask('y')).toBe('other-arguments');
    }
    await ledger.close();
  });
});
