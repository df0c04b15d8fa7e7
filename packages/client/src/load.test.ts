// Load limits at the level of a ledger: everything runs once, never more of it at a time than declared.
import { afterEach, describe, expect, it } from '@jest/globals';
import { createVirtualRuntime } from '@action-ledger/testkit';
import { z } from 'zod';
import { createLedger, defineTool, type Ledger, type ToolDefinition } from './index.ts';

interface Stage {
  readonly ledger: Ledger;
  readonly advance: (ms: number) => Promise<void>;
  readonly call: (order: string, account?: string) => ReturnType<Ledger['propose']>;
  readonly sent: readonly string[];
  readonly most: () => number;
  /** Lets the attempt of the order end. */
  readonly finish: (order: string) => Promise<void>;
}

const open: Ledger[] = [];

afterEach(async () => {
  for (const ledger of open.splice(0)) await ledger.close({ drainMs: 0 });
});

/** The promises that are due. */
const turns = async (): Promise<void> => {
  for (let each = 0; each < 5; each += 1) await new Promise((resolve) => setImmediate(resolve));
};

async function stage(load: NonNullable<ToolDefinition['load']>): Promise<Stage> {
  const runtime = createVirtualRuntime();
  const sent: string[] = [];
  const running = new Map<string, () => void>();
  let most = 0;
  const pay = defineTool({
    name: 'pay',
    input: z.object({ order: z.string(), account: z.string() }),
    guarantee: 'manual',
    load,
    execute: async ({ arguments: { order }, beforeSend }) => {
      beforeSend();
      sent.push(order);
      await new Promise<void>((resolve) => {
        running.set(order, resolve);
        most = Math.max(most, running.size);
      });
      running.delete(order);
      return { order };
    },
  });
  const ledger = await createLedger({ tools: [pay], runtime });
  open.push(ledger);
  return {
    ledger,
    sent,
    advance: (ms) => runtime.advance(ms),
    most: () => most,
    call: (order, account = order) =>
      ledger.propose({
        tool: 'pay',
        arguments: { order, account },
        tenant: 'default',
        origin: { run: 'r' },
      }),
    finish: async (order) => {
      const end = running.get(order);
      if (end === undefined) throw new Error(`${order} does not run; sent: ${sent.join(' ')}`);
      end();
      for (let each = 0; each < 4; each += 1) {
        await turns();
        await runtime.advance(1);
      }
    },
  };
}

const orders = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `o-${index}`);

describe('a tool with load limits', () => {
  it('runs all that is called, in order, never more at once than declared', async () => {
    const { call, finish, sent, most } = await stage({ concurrent: 2 });
    const calls = orders(12).map((order) => call(order));
    await turns();
    expect(sent).toEqual(['o-0', 'o-1']);
    for (const order of orders(12)) await finish(order);
    expect(await Promise.all(calls)).toMatchObject(calls.map(() => ({ state: 'succeeded' })));
    expect(sent).toEqual(orders(12));
    expect(most()).toBe(2);
  });

  it('lets others go on while one entity is busy', async () => {
    const { call, finish, sent } = await stage({ oneAtATime: ['account'] });
    const calls = [call('o-1', 'x'), call('o-2', 'x'), call('o-3', 'y')];
    await turns();
    expect(sent).toEqual(['o-1', 'o-3']);
    await finish('o-1');
    expect(sent).toEqual(['o-1', 'o-3', 'o-2']);
    await finish('o-2');
    await finish('o-3');
    await Promise.all(calls);
  });

  it('keeps its rate', async () => {
    const { call, finish, sent, advance } = await stage({ perSecond: 2 });
    const calls = orders(4).map((order) => call(order));
    await turns();
    expect(sent).toHaveLength(2);
    for (const order of orders(2)) await finish(order);
    expect(sent).toHaveLength(2);
    await advance(500);
    await turns();
    expect(sent).toHaveLength(3);
    await advance(500);
    await turns();
    expect(sent).toEqual(orders(4));
    for (const order of orders(4).slice(2)) await finish(order);
    await Promise.all(calls);
  });

  it('gives its place away when one that waits is cancelled', async () => {
    const { call, finish, sent, ledger } = await stage({ concurrent: 1 });
    const calls = orders(3).map((order) => call(order));
    await turns();
    const waiting = ledger.list({ limit: 10 }).find(({ status }) => status === 'ready');
    const seen = { actionId: waiting?.action ?? '', revisionSeen: waiting?.revision ?? -1 };
    await ledger.cancel({ ...seen, by: 'ann', reason: 'not needed' });
    await finish('o-0');
    expect(sent).toHaveLength(2);
    await finish(sent[1] ?? '');
    const words = (await Promise.all(calls)).map(({ word }) => word);
    expect([...words].sort()).toEqual(['done', 'done', 'nothing-done']);
  });

  it('attaches a repeat of what waits, and runs it once', async () => {
    const { call, finish, sent } = await stage({ concurrent: 1 });
    const calls = [call('o-0'), call('o-1'), call('o-1'), call('o-1')];
    await turns();
    await finish('o-0');
    await finish('o-1');
    expect(await Promise.all(calls)).toMatchObject(calls.map(() => ({ state: 'succeeded' })));
    expect(sent).toEqual(['o-0', 'o-1']);
  });
});
