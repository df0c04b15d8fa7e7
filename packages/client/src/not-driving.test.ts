// A ledger that does not drive: what is said to it is on record, nothing runs, and one that is opened
// on the file later does the rest.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import {
  createLedger,
  type CreateLedgerOptions,
  defineTool,
  inDoubt,
  type Ledger,
} from './index.ts';

let folder = '';
let sent: string[] = [];
const open: Ledger[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'not-driving-'));
  sent = [];
});
afterEach(async () => {
  for (const ledger of open.splice(0)) await ledger.close();
  rmSync(folder, { recursive: true });
});

const pay = defineTool({
  name: 'pay',
  input: z.object({ invoice: z.string() }),
  guarantee: 'manual',
  approval: { when: ({ invoice }) => invoice.startsWith('big') },
  execute: ({ arguments: { invoice }, beforeSend }) => {
    beforeSend();
    sent.push(invoice);
    return invoice === 'lost' ? inDoubt('no answer') : { invoice };
  },
});

async function openAt(options: Partial<CreateLedgerOptions<never>> = {}): Promise<Ledger> {
  const ledger = await createLedger({
    path: join(folder, 'ledger.db'),
    tools: [pay],
    ...options,
  });
  open.push(ledger);
  return ledger;
}

/** @param waitMs for one that acts: as long as a busy machine needs */
const call = (ledger: Ledger, invoice: string, waitMs = 20): ReturnType<Ledger['propose']> =>
  ledger.propose({
    tool: 'pay',
    arguments: { invoice },
    tenant: 'default',
    origin: { run: 'r' },
    waitMs,
  });

describe('a ledger that does not drive', () => {
  it('records a call and sends nothing, until one that drives is opened', async () => {
    const quiet = await openAt({ drives: false });
    expect(await call(quiet, '1')).toMatchObject({ word: 'in-progress' });
    quiet.sweep();
    await quiet.close();
    expect(sent).toEqual([]);
    const driving = await openAt();
    expect(await call(driving, '1', 10_000)).toMatchObject({ word: 'already-done', repeat: true });
    expect(sent).toEqual(['1']);
  });

  it('takes what people say, without a tool, and leaves an unknown as it was', async () => {
    const first = await openAt();
    const waiting = await call(first, 'big', 10_000);
    const unknown = await call(first, 'lost', 10_000);
    await first.close();
    const before = unknown.revision ?? -1;
    const desk = await openAt({ drives: false, tools: [] });
    const { actionId = '', revision: revisionSeen = -1 } = unknown;
    expect(await desk.load(actionId)).toMatchObject({ action: { revision: before } });
    const argumentsHash = await hashOf(desk, waiting.actionId);
    const vote = { actionId: waiting.actionId ?? '', voter: 'ann', vote: 'approve' } as const;
    expect(await desk.vote({ ...vote, argumentsHash })).toMatchObject({
      kind: 'done',
      action: { status: 'ready' },
    });
    const found = {
      verdict: 'found',
      by: 'ann',
      reason: 'seen at the bank',
      revisionSeen,
    } as const;
    expect(await desk.settle({ actionId, ...found })).toMatchObject({
      action: { status: 'succeeded' },
    });
    await desk.close();
    expect(sent).toEqual(['lost']);
    const driving = await openAt();
    expect(await call(driving, 'big', 10_000)).toMatchObject({ state: 'succeeded' });
    expect(sent).toEqual(['lost', 'big']);
  });
});

async function hashOf(ledger: Ledger, actionId = ''): Promise<string> {
  const loaded = await ledger.load(actionId);
  return loaded.kind === 'action' ? loaded.action.argumentsHash : '';
}
