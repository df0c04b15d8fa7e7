import { expect, it } from '@jest/globals';
import { createLedger, defineTool } from '@action-ledger/client';
import { createVirtualRuntime } from '@action-ledger/testkit';
import { z } from 'zod';

it('a doubt that only a person can settle is told at once, not when the wait is over', async () => {
  const runtime = createVirtualRuntime();
  const pay = defineTool({
    name: 'pay',
    input: z.object({ to: z.string() }),
    guarantee: 'manual',
    execute: ({ beforeSend }) => {
      beforeSend();
      throw new Error('socket hang up');
    },
  });
  const ledger = await createLedger({ tools: { pay }, runtime });
  const startedMs = runtime.clock.monoMs();
  const told = await ledger.tools.pay.call({ to: 'ana' }, { run: 'r', turn: '1', call: 'k' });
  expect(told).toMatchObject({ word: 'checking', state: 'unknown', owner: 'operator' });
  expect(runtime.clock.monoMs() - startedMs).toBe(0);
  await ledger.close();
});
