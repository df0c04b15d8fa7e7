// What the commands show of workflows, of damaged ones too; they only read.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createLedger, defineTool, refused } from '@action-ledger/client';
import { createSystemRuntime } from '@action-ledger/runtime';
import { z } from 'zod';
import { run } from '../run.ts';
import { compensationText } from './workflow-text.ts';

const folder = mkdtempSync(join(tmpdir(), 'action-ledger-workflows-'));
const path = join(folder, 'ledger.db');

const tool = (name: string, refuses: boolean) =>
  defineTool({
    name,
    input: z.object({ what: z.string() }),
    guarantee: 'manual',
    execute: ({ beforeSend }) => {
      beforeSend();
      return refuses ? refused('it says no') : { done: true };
    },
  });

beforeAll(async () => {
  const tools = { buy: tool('buy', false), give_back: tool('give_back', true) };
  const ledger = await createLedger({ path, tools });
  const buy = (id: string, isUndone: boolean) =>
    ledger.workflow({ id }, async (step) => {
      const compensate = { tool: ledger.tools.give_back, arguments: { what: 'it' } };
      await step('buy it', ledger.tools.buy, { what: id }, { compensate });
      if (isUndone) throw new Error('too dear');
    });
  await ledger.workflow({ id: 'no effect' }, async (step) => {
    await step('take it', ledger.tools.give_back, { what: 'it' }, { compensate: 'not needed' });
  });
  await buy('kept', false);
  await buy('stuck', true);
  await buy('damaged', false);
  await ledger.close();
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

async function shown(
  ...args: readonly string[]
): Promise<{ readonly text: string; readonly code: number }> {
  let text = '';
  const write = (chunk: string): void => {
    text += chunk;
  };
  const code = await run([...args, '--path', path], {
    out: write,
    err: write,
    isTerminal: false,
    isColoured: false,
    columns: 120,
    env: {},
    runtime: createSystemRuntime(),
    version: '0.0.0',
  });
  return { text, code };
}

it('lists them, the newest first, and those that wait for a person', async () => {
  const { text } = await shown('workflow', 'list');
  expect(text).toMatch(
    /damaged +completed[^]*stuck +compensation_failed[^]*operator, next check [^]*kept +completed/,
  );
  const open = JSON.parse((await shown('workflow', 'list', '--open', '--json')).text) as {
    readonly workflows: readonly unknown[];
  };
  expect(open.workflows).toMatchObject([
    { name: 'stuck', status: 'compensation_failed', steps: 1 },
  ]);
});

it('shows one by its name: its steps, what stands, and who looks after it', async () => {
  const { text } = await shown('workflow', 'show', 'stuck');
  expect(text).toMatch(/step 1 +buy it: done, its compensation failed/);
  expect(text).toMatch(/undone by: give_back \{"what":"it"\} [\w-]+\.0/);
  expect(text).toMatch(/stands +"buy it": failed: it says no/);
  expect(text).toMatch(/owner +operator/);
});

it('says of a step without effect nothing of an undo, and of another what was sent to undo it', async () => {
  const { text } = await shown('workflow', 'show', 'no effect');
  expect(text).toContain('take it: ended without effect');
  expect(text).not.toContain('undone by');
  const compensation = { kind: 'tool', tool: 'undo', arguments: { id: { $from: 'outcome.id' } } };
  const undo = { tool: 'undo', arguments: { id: 7 } };
  expect(compensationText({ compensation, settled: { undo } } as never)).toBe('undo {"id":7}');
});

it('replays one: the state after every event', async () => {
  const { id } = JSON.parse((await shown('workflow', 'show', 'stuck', '--json')).text) as {
    readonly id: string;
  };
  const { text, code } = await shown('replay', `workflow-${id}`);
  expect(code).toBe(0);
  expect(text).toMatch(
    /StepPlanned[^]*running, 0 of 1 done[^]*CompensationStarted[^]*compensating[^]*WorkflowEnded[^]*compensation_failed/,
  );
  expect((await shown('verify')).code).toBe(0);
});

it.each([
  ['nobody', 'there is no workflow nobody'],
  ['', 'fit'],
])('says what it cannot find: "%s"', async (typed, said) => {
  const { text, code } = await shown('workflow', 'show', typed);
  expect(code).toBe(1);
  expect(text).toContain(said);
});

it('a damaged one is not shown, but told, and verify names it', async () => {
  const { id } = JSON.parse((await shown('workflow', 'show', 'damaged', '--json')).text) as {
    readonly id: string;
  };
  const db = new DatabaseSync(path);
  const changed = db
    .prepare(
      `update events set events = replace(events, '"damaged"', '"cheaper"') where stream = ?`,
    )
    .run(`workflow-${id}`);
  db.close();
  expect(Number(changed.changes)).toBeGreaterThan(0);
  expect((await shown('workflow', 'list')).text).toContain('1 damaged workflow, not listed');
  expect(await shown('workflow', 'show', id)).toMatchObject({ code: 1 });
  const verified = await shown('verify');
  expect(verified.code).toBe(1);
  expect(verified.text).toContain(`workflow-${id}`);
});
