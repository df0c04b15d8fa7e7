import { hash } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { createLedger, defineTool, succeeded } from '@action-ledger/client';
import { createMemoryEventStore, StoreFault } from '@action-ledger/event-store';
import { createVirtualRuntime } from '@action-ledger/testkit';
import { z } from 'zod';
import { checkStream } from './check-stream.ts';

it('looks at the other steps of a workflow where the action of one is damaged', async () => {
  const runtime = createVirtualRuntime();
  const memory = createMemoryEventStore();
  const store = { ...memory, close: async () => undefined };
  const input = z.object({ n: z.number() });
  const tool = defineTool({ name: 'pay', input, guarantee: 'manual', execute: () => 'paid' });
  const ledger = await createLedger({ store, runtime, tools: { tool } });
  await ledger.workflow({ id: 'w-1', run: 'r' }, async (step) => {
    for (const n of [1, 2, 3])
      await step(`step ${n}`, ledger.tools.tool, { n }, { compensate: 'impossible' });
  });
  await ledger.close();
  await runtime.advance(60_000);
  const all = await memory.readAll({ after: 0, max: 100 });
  const streamsOf = (type: string) => all.filter((each) => each.type === type).map((e) => e.stream);
  const [damaged, gone] = streamsOf('ActionPlanned');
  const [workflow = ''] = streamsOf('WorkflowStarted');
  const deps = {
    store: {
      readStream: async (stream: string) => {
        if (stream === damaged) throw new StoreFault('store.corrupt', 'never', 'damaged');
        return stream === gone ? [] : memory.readStream(stream);
      },
    },
    sha256: (text: string) => hash('sha256', text, 'base64url'),
    clock: { nowMs: () => runtime.clock.wallMs() },
    sweepMs: 5_000,
  };
  const { suspected } = await checkStream(deps, workflow);
  expect(suspected).toEqual([
    {
      stream: workflow,
      invariant: 'links-complete',
      detail: expect.stringMatching(/^step "step 2"/),
    },
  ]);
});

it('looks again at what is under way or linked, and not at what has ended by itself', async () => {
  const runtime = createVirtualRuntime();
  const memory = createMemoryEventStore();
  const store = { ...memory, close: async () => undefined };
  const input = z.object({ n: z.number() });
  const guarantee = 'manual';
  const tools = {
    plain: defineTool({ name: 'plain', input, guarantee, execute: () => 'paid' }),
    named: defineTool({
      name: 'named',
      input,
      guarantee,
      execute: () => succeeded('paid', { externalId: 'x-1' }),
    }),
    approved: defineTool({
      name: 'approved',
      input,
      guarantee,
      approval: {},
      execute: () => 'paid',
    }),
  };
  const ledger = await createLedger({ store, runtime, tools });
  const deps = {
    store,
    sha256: (text: string) => hash('sha256', text, 'base64url'),
    clock: { nowMs: () => runtime.clock.wallMs() },
    sweepMs: 5_000,
  };
  const isSeenAgain = async (tool: keyof typeof tools): Promise<boolean> => {
    const { actionId = '' } = await ledger.tools[tool].call({ n: 1 }, { run: 'r' });
    return (await checkStream(deps, `action-${actionId}`)).againAfterMs !== undefined;
  };
  expect(await isSeenAgain('plain')).toBe(false);
  expect(await isSeenAgain('named')).toBe(true);
  expect(await isSeenAgain('approved')).toBe(true);
  await ledger.close();
});
