// npm run simulate: plays runs side by side and adds up what they came to; traces one, or shrinks one that
// fails. Ends with an error where a run failed.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { help, parseOptions, type SimulateOptions, WrongOption } from './options.ts';
import { printBreak, printFailure, printShrunk, printTotals } from './print.ts';
import { run } from './run.ts';
import { shrink } from './shrink.ts';
import { breaksIn } from './breaks/breaks-in.ts';
import { tryBreaks } from './breaks/try-breaks.ts';
import { addTotals, emptyTotals, type Totals } from './totals.ts';

const saidEveryMs = 60_000;
let saidAt = performance.now();

try {
  const options = parseOptions(process.argv.slice(2));
  if (options === 'help') console.log(help);
  else if (options.trace !== undefined) await trace(options, options.trace);
  else if (options.shrink) await shrinkOne(options);
  else if (options.breaks) await playBreaks(options);
  else await playAll(options);
} catch (error) {
  if (!(error instanceof WrongOption)) throw error;
  console.error(`${error.message}\n\n${help}`);
  process.exitCode = 2;
}

async function trace({ seed, stepsMin, only, idle }: SimulateOptions, file: string): Promise<void> {
  const out = createWriteStream(file);
  const report = await run({
    seed,
    stepsMin,
    only: only === undefined ? undefined : new Set(only),
    idle: new Set(idle),
    onTrace: (line) => out.write(`${line}\n`),
  });
  for (const problem of report.problems) out.write(`PROBLEM ${problem}\n`);
  out.end();
  await once(out, 'finish');
  console.log(`${report.steps} steps of seed ${seed} (${report.shape}) in ${file}`);
  if (report.problems.length === 0) return;
  console.log(printFailure(report));
  process.exitCode = 1;
}

async function shrinkOne({ seed, stepsMin }: SimulateOptions): Promise<void> {
  const shrunk = await shrink(seed, stepsMin, progress);
  progress('');
  if (shrunk === undefined) {
    console.log(`The run of seed ${seed} does not fail.`);
    return;
  }
  console.log(printShrunk(shrunk));
  process.exitCode = 1;
}

async function playBreaks({ seed, runs, stepsMin, broken }: SimulateOptions): Promise<void> {
  const known = breaksIn(join(import.meta.dirname, 'breaks')).map(({ name }) => name);
  const unknown = broken?.find((name) => !known.includes(name));
  if (unknown !== undefined) throw new WrongOption(`--break: there is no break "${unknown}"`);
  const tried = await tryBreaks(broken ?? known, { seed, runs, stepsMin }, (each) => {
    console.log(printBreak(each, runs));
  });
  if (tried.some(({ seeds }) => seeds === undefined)) process.exitCode = 1;
}

async function playAll(options: SimulateOptions): Promise<void> {
  const startedAt = performance.now();
  const totals = emptyTotals();
  const { seed, forever, runs } = options;
  console.log(`seed ${seed}${forever ? ' and on' : ` to ${seed + runs - 1}`}`);
  const workers = Math.min(options.workers, runs);
  const children = Array.from({ length: workers }, (_, index) => {
    const share = forever ? Number.MAX_SAFE_INTEGER : Math.ceil((runs - index) / workers);
    const args = [seed + index, workers, share, options.stepsMin].map(String);
    // Most of what a run makes is garbage at its end: a wide nursery spares looking through it.
    const execArgv = [...process.execArgv, '--min-semi-space-size=64', '--max-semi-space-size=64'];
    return fork(join(import.meta.dirname, 'worker-main.ts'), args, { execArgv });
  });
  const stop = (): void => {
    for (const child of children) child.kill();
  };
  if (forever) process.once('SIGINT', stop);
  const ended = children.map(async (child) => {
    child.on('message', (message) => {
      addTotals(totals, message as Totals);
      const text = `${totals.runs} runs, ${totals.failed.length} failed`;
      progress(text);
      if (forever) sayNowAndThen(text);
      if (forever && totals.failed.length > 0) stop();
    });
    const [code] = (await once(child, 'exit')) as [number | null];
    if (code !== 0 && code !== null) throw new Error(`a worker ended with ${code}`);
  });
  await Promise.all(ended);
  progress('');
  totals.failed.sort((a, b) => a.seed - b.seed);
  console.log(printTotals(totals, performance.now() - startedAt));
  if (options.json !== undefined)
    writeFileSync(options.json, `${JSON.stringify(totals, null, 2)}\n`);
  if (totals.failed.length > 0) process.exitCode = 1;
  const [first] = totals.failed;
  if (forever && first !== undefined) await shrinkOne({ ...options, seed: first.seed });
}

/** Where nobody looks: for whoever reads it later. */
function sayNowAndThen(text: string): void {
  if (process.stderr.isTTY || performance.now() - saidAt < saidEveryMs) return;
  saidAt = performance.now();
  console.log(`${new Date().toISOString()} ${text}`);
}

/** One line that is written over, where a person looks. */
function progress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${text}`);
}
