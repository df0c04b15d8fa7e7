import { afterEach, describe, expect, it } from '@jest/globals';
import { createLedger, defineTool, type Ledger } from '@action-ledger/client';
import { type JsonObject } from '@action-ledger/domain';
import { createSystemRuntime } from '@action-ledger/runtime';
import {
  ackLost,
  createProvider,
  type DeclaredTool,
  type Fault,
  type SandboxProvider,
  sandboxTool,
} from '@action-ledger/sandbox';
import { judgePlay, type Verdict } from './judge-play.ts';

const base: DeclaredTool = {
  name: 'pay',
  description: '',
  parameters: {
    type: 'object',
    properties: { to: { type: 'string' }, cents: { type: 'integer' } },
    required: ['to', 'cents'],
  },
  scope: 'run',
  identity: 'all',
  free: [],
  sets: [],
  guarantee: 'manual',
  undoneBy: [],
  keep: [],
};
const declared: readonly DeclaredTool[] = [
  base,
  { ...base, name: 'set_limit', guarantee: 'natural', identity: ['to'] },
];

interface World {
  readonly provider: SandboxProvider;
  readonly faults: Fault[];
  readonly call: (tool: string, args: JsonObject) => Promise<string>;
  readonly judge: (by?: SandboxProvider, told?: readonly string[]) => Promise<Verdict>;
}

const closing: Ledger[] = [];
afterEach(async () => {
  for (const ledger of closing.splice(0)) await ledger.close();
});

function newProvider(faults: Fault[]): SandboxProvider {
  return createProvider({
    runtime: createSystemRuntime(),
    behaviour: (tool) => (tool === 'set_limit' ? { entity: ({ to }) => JSON.stringify(to) } : {}),
    fault: () => faults.shift(),
  });
}

async function world(): Promise<World> {
  const faults: Fault[] = [];
  const provider = newProvider(faults);
  const tools = declared.map((tool) => defineTool(sandboxTool(tool, provider)));
  const ledger = await createLedger({ tools });
  closing.push(ledger);
  let calls = 0;
  return {
    provider,
    faults,
    call: async (tool, args) => {
      calls += 1;
      const origin = { conversation: 'c', run: 'r', turn: '1', call: `k${calls}` };
      const told = await ledger.propose({ tool, arguments: args, tenant: 't', origin });
      return told.actionId ?? '';
    },
    judge: (by = provider, told: readonly string[] = []) =>
      judgePlay(ledger.store, by, new Set(told)),
  };
}

const sound = { doubledEffects: 0, lostEffects: 0, ownerless: 0, brokenInvariants: [] };

describe('the verdict', () => {
  it('is sound where every action has its one effect, and an unknown has an owner', async () => {
    const { call, judge, faults } = await world();
    await call('pay', { to: 'ana', cents: 5 });
    await call('set_limit', { to: 'ana', cents: 5 });
    await call('set_limit', { to: 'ana', cents: 6 });
    faults.push(ackLost);
    await call('pay', { to: 'ben', cents: 5 });
    expect(await judge()).toMatchObject({
      ...sound,
      actions: 4,
      succeeded: 3,
      effects: 4,
      unknown: { found: 0, absent: 0, open: 1 },
    });
  });

  it('finds a second effect, and a request that no attempt has sent', async () => {
    const { call, judge, provider } = await world();
    const actionId = await call('pay', { to: 'ana', cents: 5 });
    const [effect] = provider.effects();
    if (effect === undefined) throw new Error('there is one');
    const { tenant, tool, key } = effect;
    await provider.send({ tenant, tool, key, arguments: {}, attempt: 2 });
    const stream = `action-${actionId}`;
    expect(await judge()).toMatchObject({
      doubledEffects: 1,
      lostEffects: 0,
      brokenInvariants: [
        { stream, invariant: 'requests-within-attempts' },
        { stream, invariant: 'effects-at-most-one' },
      ],
    });
  });

  it('finds an effect that no action knows', async () => {
    const { judge, provider } = await world();
    await provider.send({ tenant: 't', tool: 'pay', key: 'stray', arguments: {}, attempt: 1 });
    expect(await judge()).toMatchObject({
      doubledEffects: 0,
      lostEffects: 1,
      brokenInvariants: [{ invariant: 'requests-within-attempts' }],
    });
  });

  it('finds what was told as done and did not happen', async () => {
    const { call, judge } = await world();
    await call('pay', { to: 'ana', cents: 5 });
    await call('pay', { to: 'ben', cents: 5 });
    expect(await judge(newProvider([]))).toMatchObject({ doubledEffects: 0, lostEffects: 2 });
  });

  it('finds who was told of a success that is not on record', async () => {
    const { call, judge, faults } = await world();
    const done = await call('pay', { to: 'ana', cents: 5 });
    faults.push(ackLost);
    const inDoubt = await call('pay', { to: 'ben', cents: 5 });
    expect(await judge(undefined, [done])).toMatchObject({ misled: [] });
    expect(await judge(undefined, [done, inDoubt, 'nobody'])).toMatchObject({
      misled: [inDoubt, 'nobody'],
    });
  });

  it('finds an older value over a newer one', async () => {
    const { call, judge, provider } = await world();
    await call('set_limit', { to: 'ana', cents: 5 });
    const [older] = provider.effects();
    await call('set_limit', { to: 'ana', cents: 6 });
    if (older === undefined) throw new Error('there is one');
    const { tenant, tool, key, arguments: args } = older;
    await provider.send({ tenant, tool, key, arguments: args, attempt: 2 });
    const { doubledEffects, brokenInvariants } = await judge();
    expect(doubledEffects).toBe(0);
    expect(brokenInvariants.map(({ invariant, detail }) => [invariant, detail])).toEqual([
      ['requests-within-attempts', '2 requests for 1 attempts'],
      ['effects-at-most-one', 'the newest value of "ana" was overwritten by an older one'],
    ]);
  });
});
