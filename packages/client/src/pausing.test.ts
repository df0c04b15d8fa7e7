// Pauses at the level of a ledger: what is refused, what goes on, and what a burst of unknowns does.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { createVirtualRuntime, type VirtualRuntime } from '@action-ledger/testkit';
import { z } from 'zod';
import {
  createLedger,
  type CreateLedgerOptions,
  defineTool,
  inDoubt,
  type Ledger,
  type Notice,
  usualBurst,
} from './index.ts';

interface World {
  readonly runtime: VirtualRuntime;
  readonly notices: readonly Notice[];
  readonly sent: string[];
  /** What the provider says next. */
  answers: 'yes' | 'nothing';
  open(options?: Partial<CreateLedgerOptions<never>>): Promise<Ledger>;
}

const closers: (() => Promise<void> | void)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

function setUp(): World {
  const notices: Notice[] = [];
  const world: World = {
    runtime: createVirtualRuntime(),
    notices,
    sent: [],
    answers: 'yes',
    open: async (options = {}) => {
      const ledger = await createLedger({
        tools: [tool('pay'), tool('mail')],
        runtime: world.runtime,
        onNotice: (notice) => notices.push(notice),
        ...options,
      });
      closers.push(() => ledger.close({ drainMs: 0 }));
      return ledger;
    },
  };
  const tool = (name: string): ReturnType<typeof defineTool> =>
    defineTool({
      name,
      input: z.object({ invoice: z.string() }),
      guarantee: 'manual',
      execute: ({ arguments: { invoice }, beforeSend }) => {
        beforeSend();
        world.sent.push(`${name} ${invoice}`);
        return world.answers === 'yes' ? { done: true } : inDoubt('no answer');
      },
    });
  return world;
}

const call = (
  ledger: Ledger,
  invoice: string,
  tool = 'pay',
  tenant = 'default',
): ReturnType<Ledger['propose']> =>
  ledger.propose({ tool, arguments: { invoice }, tenant, origin: { run: 'r' } });

const down = { by: 'ann', reason: 'the provider is down' };

describe('a pause', () => {
  it('refuses new calls and records nothing of them, while repeats are answered', async () => {
    const world = setUp();
    const ledger = await world.open();
    await call(ledger, '1');
    await ledger.pause({ tool: 'pay', ...down });
    const head = await ledger.store.head();
    expect(await call(ledger, '2')).toMatchObject({
      word: 'refused',
      code: 'ledger.paused',
      reason: 'This tool is paused: the provider is down. Nothing was recorded.',
    });
    expect(await call(ledger, '1')).toMatchObject({ word: 'already-done' });
    expect(await ledger.store.head()).toBe(head);
    expect(await call(ledger, '2', 'mail')).toMatchObject({ state: 'succeeded' });
    await ledger.resume({ tool: 'pay', ...down, revisionSeen: 0 });
    expect(world.notices.at(-1)).toMatchObject({
      kind: 'resumed',
      ...down,
      pause: { tool: 'pay' },
    });
    expect(await call(ledger, '2')).toMatchObject({ state: 'succeeded' });
    expect(world.sent).toEqual(['pay 1', 'mail 2', 'pay 2']);
  });

  it('outlives a restart, and is told to people once', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'pausing-'));
    closers.push(() => {
      rmSync(folder, { recursive: true });
    });
    const world = setUp();
    const path = join(folder, 'ledger.db');
    const first = await world.open({ path });
    await first.pause({ tenant: 't-1', ...down });
    await first.close();
    const ledger = await world.open({ path });
    expect(ledger.pauses()).toMatchObject([{ tenant: 't-1', ...down }]);
    expect(await call(ledger, '1', 'pay', 't-1')).toMatchObject({ code: 'ledger.paused' });
    expect(await call(ledger, '1', 'pay', 't-2')).toMatchObject({ state: 'succeeded' });
    expect(world.notices).toMatchObject([{ kind: 'paused', pause: { tenant: 't-1' } }]);
  });

  it('is asked for with a name and a reason', async () => {
    const ledger = await setUp().open();
    for (const misfit of [{ by: '' }, { reason: ' ' }, { tool: 7 as never }])
      expect(await ledger.pause({ ...down, ...misfit })).toMatchObject({
        code: 'action.request-invalid',
      });
    expect(await ledger.resume({ ...down, revisionSeen: 0 })).toMatchObject({ code: 'pause.none' });
    expect(ledger.pauses()).toEqual([]);
  });
});

describe('a burst of unknown outcomes', () => {
  it('pauses the tool by itself, and tells people', async () => {
    const world = setUp();
    const ledger = await world.open({ pauseOnBurst: usualBurst });
    world.answers = 'nothing';
    for (let each = 1; each <= 8; each += 1) await call(ledger, String(each));
    await world.runtime.advance(10);
    expect(await call(ledger, '9')).toMatchObject({
      code: 'ledger.paused',
      reason: expect.stringContaining('5 outcomes were not known within 60 s'),
    });
    expect(world.sent.length).toBeLessThanOrEqual(8);
    expect(world.notices.filter(({ kind }) => kind === 'paused')).toMatchObject([
      { pause: { tenant: 'default', tool: 'pay', by: 'ledger' } },
    ]);
    world.answers = 'yes';
    expect(await call(ledger, '1', 'mail')).toMatchObject({ state: 'succeeded' });
    await ledger.resume({ tenant: 'default', tool: 'pay', ...down, revisionSeen: 0 });
    expect(await call(ledger, '9')).toMatchObject({ state: 'succeeded' });
  });

  it('pauses the tool for every tenant only where more than one tenant has its part in it', async () => {
    const world = setUp();
    const ledger = await world.open({ pauseOnBurst: usualBurst });
    world.answers = 'nothing';
    for (let each = 1; each <= 8; each += 1) await call(ledger, String(each), 'pay', 'acme');
    await call(ledger, '1', 'pay', 'beta');
    await world.runtime.advance(10);
    expect(ledger.pauses()).toMatchObject([{ tenant: 'acme', tool: 'pay' }]);
    await call(ledger, '2', 'pay', 'beta');
    await world.runtime.advance(10);
    expect(ledger.pauses()[1]).not.toHaveProperty('tenant');
    expect(await call(ledger, '1', 'pay', 'gamma')).toMatchObject({ code: 'ledger.paused' });
  });

  it('pauses nothing where nobody asked for it', async () => {
    const world = setUp();
    const ledger = await world.open();
    world.answers = 'nothing';
    for (let each = 1; each <= 8; each += 1) await call(ledger, String(each));
    expect(ledger.pauses()).toEqual([]);
    expect(world.sent).toHaveLength(8);
  });

  it.each([0, { unknowns: 5 }, { unknowns: 0, withinMs: 1 }, { unknowns: 5, withinMs: 0.5 }])(
    'is not declared as %j',
    async (pauseOnBurst) => {
      await expect(setUp().open({ pauseOnBurst: pauseOnBurst as never })).rejects.toMatchObject({
        code: 'ledger.options',
        message: '`pauseOnBurst` must be { unknowns, withinMs }, both whole numbers from 1.',
      });
    },
  );
});
