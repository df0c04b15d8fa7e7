// What one action, or a record beside it, cannot do: end the whole run, or let go of what is not over.
import { hash } from 'node:crypto';
import { beforeAll, expect, it } from '@jest/globals';
import { createLedger, defineTool } from '@action-ledger/client';
import { createMemoryEventStore, type EventStore, StoreFault } from '@action-ledger/event-store';
import { createVirtualRuntime } from '@action-ledger/testkit';
import { z } from 'zod';
import { createLedgerClock } from '../core/ledger-clock.ts';
import { type ChooserDeps, createChooser } from './choose.ts';
import { createShortener } from './shorten.ts';

const sha256 = (text: string): string => hash('sha256', text, 'base64url');
const runtime = createVirtualRuntime();
const memory = createMemoryEventStore();
let stream = '';

beforeAll(async () => {
  const tool = defineTool({
    name: 'pay',
    input: z.object({ note: z.string() }),
    guarantee: 'manual',
    execute: () => 'paid',
  });
  const store = { ...memory, close: async () => undefined };
  const ledger = await createLedger({ store, runtime, tools: { tool } });
  await ledger.workflow({ id: 'w-1', run: 'r' }, (step) =>
    step('pay', ledger.tools.tool, { note: 'x'.repeat(2_000) }, { compensate: 'impossible' }),
  );
  await ledger.close();
  const planned = (await memory.readAll({ after: 0, max: 100 })).find(
    ({ type }) => type === 'ActionPlanned',
  );
  stream = planned?.stream ?? '';
  runtime.setWall(runtime.clock.wallMs() + 10 * 24 * 3_600_000);
});

/** With a stream whose name begins so damaged. */
function damaged(name: string): EventStore {
  return {
    ...memory,
    readStream: async (each, from) => {
      if (each.startsWith(name)) throw new StoreFault('store.corrupt', 'never', 'damaged');
      return memory.readStream(each, from);
    },
  };
}

function choose(store: EventStore, more: Partial<ChooserDeps> = {}) {
  const clock = createLedgerClock(runtime.clock);
  const files = { find: async () => ({ kind: 'missing', reason: '' }) as const };
  const shorten = createShortener(store, sha256);
  const rest = { settledBefore: runtime.clock.wallMs(), isAnySize: true, ...more };
  return createChooser({ store, sha256, clock, files, shorten, ...rest })(stream);
}

it('keeps what is damaged, what belongs to a workflow that cannot be read, and what no event can hold', async () => {
  expect(await choose(memory)).toMatchObject({ kind: 'archive' });
  expect(await choose(damaged('tool-'))).toMatchObject({ kind: 'archive' });
  expect(await choose(damaged('quarantine-'))).toEqual({ kind: 'keep', why: 'damaged' });
  expect(await choose(damaged('workflow-'))).toEqual({ kind: 'keep', why: 'in a workflow' });
  const shorten = async () => ({ arguments: { note: 'ä'.repeat(300_000) } });
  expect(await choose(memory, { shorten })).toEqual({ kind: 'keep', why: 'too large' });
});
