// A record that was edited behind the ledger's back: every command that a person asks first says so.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { createLedger, defineTool } from '@action-ledger/client';
import { createSystemRuntime } from '@action-ledger/runtime';
import { z } from 'zod';
import { run } from '../run.ts';

const pay = defineTool({
  name: 'pay',
  input: z.object({ invoice: z.string() }),
  guarantee: 'manual',
  execute: () => ({ paid: true }),
});

let folder = '';
let path = '';

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'action-ledger-damaged-'));
  path = join(folder, 'ledger.db');
  await payAll('good', 'bad');
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

async function payAll(...invoices: readonly string[]): Promise<void> {
  const ledger = await createLedger({ path, tools: { pay } });
  for (const invoice of invoices) await ledger.tools.pay.call({ invoice }, { run: 'r' });
  await ledger.close();
}

function damage(): void {
  const db = new DatabaseSync(path);
  // In its quotes: an id may hold these letters too, and LIKE takes large ones for small ones.
  const edit = `update events set events = replace(events, '"bad"', '"BAD"') where instr(events, '"bad"') > 0`;
  expect(db.prepare(edit).run().changes).toBe(1);
  db.close();
}

async function told(...args: readonly string[]): Promise<{ code: number; out: string }> {
  let out = '';
  const code = await run([...args, '--path', path], {
    out: (text) => (out += text),
    err: (text) => (out += text),
    isTerminal: false,
    isColoured: false,
    columns: undefined,
    env: {},
    runtime: createSystemRuntime(),
    version: '0.0.0',
  });
  return { code, out };
}

it('says nothing of damage where there is none', async () => {
  expect((await told('actions', 'list')).out).not.toContain('damaged action');
  const { code, out } = await told('doctor');
  expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining('All is well') });
});

it.each(['before any ledger has seen it', 'once it is in quarantine'])(
  'tells of it %s',
  async (when) => {
    damage();
    const isKnown = when === 'once it is in quarantine';
    if (isKnown) await payAll('bad', 'good');
    for (const args of [[], ['--status', 'succeeded'], ...(isKnown ? [['--open']] : [])]) {
      const { out } = await told('actions', 'list', ...args);
      expect(out).toMatch(/1 damaged action, not listed: \S+\.0\. .*action-ledger verify says/);
    }
    const { total, damaged } = JSON.parse((await told('actions', 'list', '--json')).out) as {
      readonly total: number;
      readonly damaged: readonly string[];
    };
    expect({ total, damaged: damaged.length }).toEqual({ total: 1, damaged: 1 });
    expect((await told('doctor')).code).toBe(1);
    expect((await told('verify')).code).toBe(1);
  },
);

it('fails a doctor by the quarantine alone, where the damage is out of its sight', async () => {
  damage();
  await payAll('bad', ...Array.from({ length: 260 }, (_, index) => `more-${index}`));
  const { code, out } = await told('doctor');
  expect(code).toBe(1);
  expect(out).toMatch(/FAIL {2}quarantine +1 action on record as damaged/);
  expect(out).toMatch(
    /chain +holds in the streams of the newest 1,000 events; \d+ older events not checked/,
  );
});
