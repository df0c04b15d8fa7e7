// `action-ledger observed` beside `verify`: of a file with calls that were only observed.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createLedger, defineTool } from '@action-ledger/client';
import { createSystemRuntime } from '@action-ledger/runtime';
import { z } from 'zod';
import { run } from '../run.ts';

const folder = mkdtempSync(join(tmpdir(), 'action-ledger-observed-'));
const path = join(folder, 'ledger.db');

beforeAll(async () => {
  const pay = defineTool({
    name: 'pay',
    input: z.object({ invoice: z.string(), cents: z.int() }),
    identity: ['invoice'],
    guarantee: 'manual',
    execute: () => ({ paid: true }),
  });
  const ledger = await createLedger({ path, tools: { pay }, observe: true });
  for (const cents of [1, 1, 2]) await ledger.tools.pay.call({ invoice: 'A', cents }, { run: 'r' });
  await ledger.tools.pay.call({ invoice: 'B', cents: 1 });
  await ledger.close();
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

async function shown(...args: readonly string[]): Promise<string> {
  let out = '';
  const write = (text: string): void => void (out += text);
  const code = await run([...args, '--path', path], {
    out: write,
    err: write,
    isTerminal: false,
    isColoured: false,
    columns: undefined,
    env: {},
    runtime: createSystemRuntime(),
    version: '0.0.0',
  });
  expect(code).toBe(0);
  return out;
}

it('counts what would have been held back, and lists it', async () => {
  const page = await shown('observed');
  expect(page).toContain('3 calls went out; the ledger would have held back 2:');
  expect(page).toMatch(/ 1 {2}suppressed as duplicates\n +1 {2}refused as conflicts\n/);
  expect(page).toContain('1 call went out without a record besides.');
  expect(page).toMatch(
    /pay +conflict +\S+\.0 .*other cents\n\S+ +pay +duplicate .*that one is succeeded\n/,
  );
  const report = JSON.parse(await shown('observed', '--since', '2100-01-01', '--json')) as object;
  expect(report).toMatchObject({ calls: 0, heldBack: 0, actions: [] });
});

it('is no broken invariant, and is told apart', async () => {
  expect(await shown('verify')).toMatch(
    /^Whole: .*\n.*\n3 calls only observed; .*held back 2: action-ledger observed --path \S/,
  );
  expect(await shown('actions', 'list')).toMatch(/NOTE\n(.* only observed\n){3}/);
  const { actions } = JSON.parse(await shown('actions', 'list', '--json')) as {
    readonly actions: readonly { readonly action: string }[];
  };
  expect(await shown('actions', 'show', actions[0]?.action ?? '')).toMatch(
    /observed +only observed: would be conflict with \S+ \(cents\)/,
  );
});
