// What `start` prints first, and what it leaves behind where it may not run.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { defineTool, inDoubt } from '@action-ledger/client';
import { createSystemRuntime } from '@action-ledger/runtime';
import { createToolSet } from '@action-ledger/tools';
import { z } from 'zod';
import { createCli, type Cli } from '../cli.ts';
import { serve } from './serve.ts';

const pay = defineTool({
  name: 'pay',
  input: z.object({ invoice: z.string() }),
  guarantee: 'manual',
  execute: () => inDoubt('no answer'),
});

let folder = '';
let out = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'action-ledger-serve-'));
  out = '';
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function cli(): Cli {
  const write = (text: string): void => void (out += text);
  const io = { out: write, err: write, isTerminal: false, isColoured: false, columns: undefined };
  const outside = { env: {}, runtime: createSystemRuntime(), version: '0.0.0' };
  return createCli({ ...io, ...outside }, () => undefined);
}

it('prints its screen before what came up while it was opened', async () => {
  const path = join(folder, 'ledger.db');
  const served = await serve(cli(), path, createToolSet([pay]), { host: '127.0.0.1', port: 0 });
  await served.ledger.tool(pay).call({ invoice: 'A' }, { run: 'r' });
  const before = out;
  served.announce('the screen\n');
  await served.stop();
  expect(before).toBe('');
  expect(out).toMatch(/^the screen\n.* a person is needed: pay; .*\n$/);
});

it('leaves no file behind where everyone would be let in', async () => {
  const path = join(folder, 'ledger.db');
  const everywhere = { host: '0.0.0.0', port: 0, open: true };
  const served = serve(cli(), path, createToolSet([pay]), everywhere);
  await expect(served).rejects.toMatchObject({ code: 'cli.usage' });
  expect(readdirSync(folder)).toEqual([]);
});
