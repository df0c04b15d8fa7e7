// A person asks for a check of what is not known: people are told of it once, and where nothing can be asked
// the record does not grow by it.
import { expect, it } from '@jest/globals';
import { createVirtualRuntime } from '@action-ledger/testkit';
import { z } from 'zod';
import { createLedger, defineTool, inDoubt, type Notice } from './index.ts';

const wire = {
  input: z.object({ order: z.string() }),
  execute: ({ beforeSend }: { readonly beforeSend: () => void }) => {
    beforeSend();
    return inDoubt('no answer');
  },
};
const lookup = (): { readonly verdict: 'ambiguous'; readonly reason: string } => ({
  verdict: 'ambiguous',
  reason: 'two of them',
});
const minute = 60_000;
const checks = {
  intervalMinMs: 1_000,
  intervalMaxMs: 1_000,
  checksMax: 1,
  escalateAfterMs: minute,
};
const tools = [
  defineTool({ name: 'sign', guarantee: 'manual', ...wire }),
  defineTool({ name: 'pay', guarantee: 'lookup', lookup, checks, ...wire }),
];

it.each([
  ['sign', { code: 'action.nothing-to-ask' }, 0],
  ['pay', { kind: 'done' }, 6],
] as const)('%s: asked for again and again, people are told once', async (tool, answer, grows) => {
  const notices: Notice[] = [];
  const runtime = createVirtualRuntime();
  const onNotice = (notice: Notice): number => notices.push(notice);
  const ledger = await createLedger({ tools, runtime, onNotice });
  const call = { tool, tenant: 'default', arguments: { order: '1' }, origin: { run: 'r' } };
  const { actionId = '' } = await ledger.propose({ ...call, waitMs: 0 });
  await runtime.advance(minute);
  const revision = async (): Promise<number> => {
    const loaded = await ledger.load(actionId);
    return loaded.kind === 'action' ? loaded.action.revision : -1;
  };
  const before = await revision();
  for (let asked = 0; asked < 3; asked += 1) {
    const check = { actionId, by: 'ann', revisionSeen: await revision() };
    expect(await ledger.checkNow(check)).toMatchObject(answer);
  }
  expect((await revision()) - before).toBe(grows);
  expect(notices.map(({ kind }) => kind)).toEqual(['unknown escalated']);
  await ledger.close({ drainMs: 0 });
});
