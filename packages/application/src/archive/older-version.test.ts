// An archived action whose identity version its tool no longer accepts is still met under a caller's key.
import { hash } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { createLedger, defineTool, type ToolDefinition } from '@action-ledger/client';
import { createMemoryEventStore } from '@action-ledger/event-store';
import { createVirtualRuntime } from '@action-ledger/testkit';
import { z } from 'zod';
import { archiveActions } from './archive-actions.ts';

const day = 24 * 3_600_000;

type Mail = { to: string; subject: string; text: string };

const mail = (more: Partial<ToolDefinition<Mail>>) =>
  defineTool<Mail>({
    name: 'mail',
    input: z.object({ to: z.string(), subject: z.string(), text: z.string() }),
    guarantee: 'manual',
    execute: () => 'sent',
    ...more,
  });

it('the same arguments get its outcome, though only a part of them is kept, and others are refused', async () => {
  const runtime = createVirtualRuntime();
  const store = { ...createMemoryEventStore(), close: async () => undefined };
  const call = async (tool: ReturnType<typeof mail>, changes: Partial<Mail> = {}) => {
    const ledger = await createLedger({ store, runtime, tools: { tool } });
    const args = { to: 'Ann', subject: 's', text: 'x'.repeat(1_000), ...changes };
    const answer = await ledger.tools.tool.call(args, { key: 'k-1' });
    await ledger.close();
    return answer;
  };
  const { actionId } = await call(mail({ normalize: { to: 'lowercase' } }));
  runtime.setWall(runtime.clock.wallMs() + 60 * day);
  const folder = { write: async () => 'archive-1.ndjson', read: async () => undefined };
  const sha256 = (text: string): string => hash('sha256', text, 'base64url');
  const deps = { store, runtime, sha256, folder };
  const settledBefore = runtime.clock.wallMs() - 30 * day;
  expect(await archiveActions(deps, { settledBefore, by: 'ada' })).toMatchObject({ actions: 1 });

  const newer = mail({ identityVersion: 2, free: ['subject'] });
  expect(await call(newer)).toMatchObject({ word: 'already-done', actionId });
  expect(await call(newer, { text: 'y'.repeat(1_000) })).toMatchObject({ word: 'other-arguments' });
});
