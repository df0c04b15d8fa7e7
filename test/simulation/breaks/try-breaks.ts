// Plays runs with one deliberate break of our own rules at a time, each until a run fails: a check that
// would not notice a break is no check.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { type Totals } from '../totals.ts';

export interface TriedBreak {
  readonly name: string;
  /** Runs until the first that failed; undefined where none did. */
  readonly seeds: number | undefined;
  /** What was said of that run. */
  readonly said: string;
}

export async function tryBreaks(
  names: readonly string[],
  range: { readonly seed: number; readonly runs: number; readonly stepsMin: number },
  onTried: (tried: TriedBreak) => void,
): Promise<readonly TriedBreak[]> {
  const all: TriedBreak[] = [];
  for (const name of names) {
    const tried = await tryOne(name, range);
    onTried(tried);
    all.push(tried);
  }
  return all;
}

async function tryOne(
  name: string,
  { seed, runs, stepsMin }: { readonly seed: number; readonly runs: number; stepsMin: number },
): Promise<TriedBreak> {
  const main = join(import.meta.dirname, '..', 'worker-main.ts');
  const child = fork(main, [seed, 1, runs, stepsMin].map(String), {
    execArgv: [...process.execArgv, '--import', join(import.meta.dirname, 'mutate.mjs')],
    env: { ...process.env, SIMULATED_BREAK: name },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let caught: TriedBreak | undefined;
  let complaint = '';
  child.stderr?.on('data', (text) => (complaint += String(text)));
  child.on('message', (message) => {
    const [failed] = (message as Totals).failed;
    if (failed === undefined || caught !== undefined) return;
    caught = { name, seeds: failed.seed - seed + 1, said: failed.problems[0] ?? '' };
    child.kill();
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (caught === undefined && code !== 0)
    throw new Error(`The runs with "${name}" ended with ${String(code)}: ${complaint}`);
  return caught ?? { name, seeds: undefined, said: '' };
}
