// What the lists and pages of actions show of texts that come from outside, and of what needs a person.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createLedger, defineTool, refused, viewsPathOf } from '@action-ledger/client';
import { createSystemRuntime } from '@action-ledger/runtime';
import { z } from 'zod';
import { run } from '../run.ts';

const folder = mkdtempSync(join(tmpdir(), 'action-ledger-actions-'));
const path = join(folder, 'ledger.db');
const code = `E-${'long'.repeat(500)}`;
const reason = `it says: ${'no '.repeat(900)}`;
let failed = '';
let voted = '';

beforeAll(async () => {
  const pay = defineTool({
    name: 'pay',
    input: z.object({ invoice: z.string() }),
    guarantee: 'manual',
    execute: ({ arguments: { invoice } }) => {
      if (invoice === 'bad') return refused(reason, { code });
      if (invoice === 'lost') throw new Error('socket hang up');
      return { paid: true };
    },
  });
  const ask = defineTool({
    name: 'ask',
    input: z.object({ invoice: z.string() }),
    guarantee: 'manual',
    approval: true,
    execute: () => null,
  });
  const ledger = await createLedger({ path, tools: { pay, ask } });
  const call = (invoice: string) => ledger.tools.pay.call({ invoice }, { run: 'r', call: invoice });
  failed = (await call('bad')).actionId ?? '';
  await call('lost');
  await ledger.tools.pay.call({ invoice: 'own' }, { tenant: 'same', run: 'same', call: 'own' });
  voted = (await ledger.tools.ask.call({ invoice: 'x' }, { run: 'r' })).actionId ?? '';
  const vote = {
    actionId: voted,
    voter: 'ann',
    vote: 'approve',
    argumentsHash: 'another',
  } as const;
  await ledger.vote(vote);
  await call('good');
  await ledger.close();
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

async function shown(args: readonly string[], columns?: number): Promise<string> {
  let out = '';
  await run([...args, '--path', path], {
    out: (text) => (out += text),
    err: (text) => (out += text),
    isTerminal: columns !== undefined,
    isColoured: false,
    columns,
    env: {},
    runtime: createSystemRuntime(),
    version: '0.0.0',
  });
  return out;
}

it.each([80, 120])('a list of %i columns keeps to them, and to few lines', async (columns) => {
  const lines = (await shown(['actions', 'list'], columns)).split('\n');
  expect(lines.length).toBeLessThan(18);
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(columns);
});

it('a vote that was refused is no call that ran nothing', async () => {
  const page = await shown(['actions', 'show', voted]);
  expect(page).toMatch(/held back +1 refused vote:\n.* refused: ann voted to approve: /);
  expect(page).not.toContain('call that');
});

it('a replay up to a time before the first event has no blank lines', async () => {
  const page = await shown(['replay', voted, '--until', '2020-01-01']);
  expect(page).toMatch(
    /^action-\S+\n0 events; 1 event came after|^action-\S+\n0 events; \d+ events came after/,
  );
});

it('does not say a run twice that is its own tenant', async () => {
  expect(await shown(['actions', 'list', '--tenant', 'same'])).not.toContain('RUN');
  expect(await shown(['actions', 'list', '--tenant', 'default'])).toContain('RUN');
});

it('a code of the provider is cut for people, and whole for programs', async () => {
  const page = await shown(['actions', 'show', failed], 80);
  expect(page).toMatch(/\(E-long[long\s]+…\)/);
  expect(page).not.toContain(code);
  expect(await shown(['actions', 'show', failed, '--json'])).toContain(code);
});

it('replays without breaking the name of an event', async () => {
  const page = await shown(['replay', failed], 80);
  expect(page).toContain('ActionDispatched');
  for (const line of page.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
});

it('lists what is open, and the same with the views as without them', async () => {
  const filters = [[], ['--open'], ['--status', 'failed'], ['--tool', 'none'], ['--limit', '2']];
  const list = (filter: readonly string[]) => shown(['actions', 'list', ...filter]);
  const json = (filter: readonly string[]) => shown(['actions', 'list', ...filter, '--json']);
  const with_ = await Promise.all(filters.flatMap((filter) => [list(filter), json(filter)]));
  expect(with_[2]).toMatch(/pay +unknown .*operator, next check/);
  expect(with_[2]).toContain('2 actions;');
  rmSync(viewsPathOf(path));
  const without = await Promise.all(filters.flatMap((filter) => [list(filter), json(filter)]));
  expect(without).toEqual(with_);
});
