// What archiving leaves of arguments: an undoer finds the action as before, however its index was made.
import { hash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { type Action, type JsonObject } from '@action-ledger/domain';
import { createMemoryEventStore } from '@action-ledger/event-store';
import { createVirtualRuntime } from '@action-ledger/testkit';
import { defineTool, type Tool } from '@action-ledger/tools';
import { z } from 'zod';
import { createLedgerClock } from '../core/ledger-clock.ts';
import { registerTool } from '../record/registry.ts';
import { matchesOf } from '../attempt/undo.ts';
import { createShortener } from './shorten.ts';

const sha256 = (text: string): string => hash('sha256', text, 'base64url');

const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'reservation'];
const match = { 'arguments.reservation': 'arguments.reservation' };
const tool: Tool = defineTool({
  name: 'reserve',
  input: z.object(Object.fromEntries(names.map((name) => [name, z.string()]))),
  guarantee: 'manual',
  undoneBy: [{ tool: 'cancel', match }],
  execute: () => ({}),
});
const action = {
  tool: 'reserve',
  tenant: 'default',
  arguments: Object.fromEntries(names.map((name) => [name, name.slice(0, 1).repeat(30)])),
  outcome: { result: {}, at: 0 },
} as unknown as Action;

async function shortened(registered: readonly Tool[]): Promise<Action> {
  const runtime = createVirtualRuntime();
  const store = createMemoryEventStore();
  const deps = { store, sha256, runtime, clock: createLedgerClock(runtime.clock) };
  for (const each of registered) await registerTool(deps, each);
  const { arguments: args } = await createShortener(store, sha256)(action, 'archive-1.ndjson');
  return { ...action, arguments: args as JsonObject };
}

describe('what is kept of an archived action', () => {
  const withoutMatches = { ...tool, keep: [], digest: 'older' };

  it.each([
    ['a declaration that does not name it in `keep`', [withoutMatches]],
    [
      'an earlier declaration',
      [tool, { ...withoutMatches, rules: { ...tool.rules, undoneBy: [] } }],
    ],
  ])('holds what an undoer finds it by, as %s says', async (_, registered) => {
    const kept = await shortened(registered);
    expect(Object.keys(kept.arguments).length).toBeLessThan(names.length);
    expect(matchesOf(kept, tool)).toEqual(matchesOf(action, tool));
    expect(matchesOf(kept, tool)).toHaveLength(1);
  });
});
