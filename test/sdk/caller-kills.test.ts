// A program that carries its tools out itself is killed with -9 in the middle of its sends, and comes back. Every
// action has one effect: what was in doubt is looked up by whoever has the tool, or rests with a person.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { invoices, linesOf, mortalTools, origin } from './mortal-caller.ts';
import { openWorld, type World } from './world.ts';

let world: World;
let folder: string;

beforeEach(async () => {
  world = await openWorld('remote', 'memory');
  folder = mkdtempSync(join(tmpdir(), 'action-ledger-caller-'));
});
afterEach(async () => {
  await world.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Started, and killed when it is in the middle of all its sends. */
async function liveAndDie(effects: string): Promise<void> {
  const main = join(__dirname, 'mortal-caller-main.ts');
  const told = JSON.stringify({ url: world.url, effects, hangs: true });
  const args = ['--conditions=source', '--disable-warning=ExperimentalWarning', main, told];
  const program = spawn('node', args, { stdio: ['ignore', 'inherit', 'inherit'] });
  const gone = once(program, 'exit');
  while (linesOf(effects).length < 4) await new Promise((resolve) => setTimeout(resolve, 5));
  program.kill('SIGKILL');
  await gone;
}

it('a program that is killed in the middle of its sends comes back: as many effects as actions', async () => {
  const effects = join(folder, 'effects.txt');
  await liveAndDie(effects);
  const tools = mortalTools({ url: world.url, effects, hangs: false });
  const ledger = await world.remote({ tools });
  const found: unknown[] = [];
  for (const { name: tool } of tools)
    for (const invoice of invoices) {
      const call = { tool, arguments: { invoice }, origin, waitMs: 0 };
      const { actionId = '' } = await ledger.propose(call);
      await ledger.rest(actionId, 60_000);
      found.push(await ledger.propose(call));
    }
  expect(found).toMatchObject([
    { word: 'already-done', result: { paid: 'late' } },
    { word: 'already-done', result: { paid: 'early' } },
    { word: 'checking', owner: 'operator' },
    { word: 'checking', owner: 'operator' },
  ]);
  const had = linesOf(effects).filter((line) => !line.endsWith('?'));
  expect([...had].sort()).toEqual(['by-hand late', 'looked-up early', 'looked-up late']);
});
