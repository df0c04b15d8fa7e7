import { hash } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { createLedger, defineTool } from '@action-ledger/client';
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
