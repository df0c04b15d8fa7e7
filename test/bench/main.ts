// npm run bench: measures the contenders against each other in one run; prints tables for people and
// writes rows for programs. Only the ratios hold from one machine to the next.
import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { canTrace, countAll } from './counts.ts';
import { runCrashes } from './crash.ts';
import { measureDistributed } from './distributed/distributed.ts';
import { printDistributed } from './distributed/report.ts';
import { type BenchOptions, help, parseOptions, WrongOption } from './options.ts';
import { printReport, type Surroundings } from './print.ts';
import { crashRow, limits, ratios, type Row, timedRows } from './report.ts';
import { runRounds } from './rounds.ts';
import { measureScale } from './scale.ts';
import { printScale } from './scale-report.ts';
import { openWorld, type World } from './world.ts';

try {
  const options = parseOptions(process.argv.slice(2));
  if (options === 'help') console.log(help);
  else if (options.distributed) await benchDistributed(options);
  else if (options.scale !== undefined) await benchScale(options, options.scale);
  else await bench(options);
} catch (error) {
  if (!(error instanceof WrongOption)) throw error;
  console.error(`${error.message}\n\n${help}`);
  process.exitCode = 2;
}

async function bench(options: BenchOptions): Promise<void> {
  const world = await openWorld(options);
  try {
    const isTimed = options.works.some((work) => work !== 'W3');
    const counted = isTimed ? await countAll(world, options, progress) : new Map<never, never>();
    const samples = isTimed ? await runRounds(world, options, progress) : [];
    const crashed = options.works.includes('W3') ? await crashRows(world, options) : [];
    const rows = [...timedRows(samples, counted), ...crashed];
    progress('');
    console.log(
      printReport(options, surroundings(world), rows, [...ratios(samples), ...limits(rows)]),
    );
    if (options.json) writeFileSync(options.json, `${JSON.stringify(rows, null, 2)}\n`);
  } finally {
    await world.close();
  }
}

async function benchScale(options: BenchOptions, actions: number): Promise<void> {
  const rows = await measureScale({ ...options, actions }, progress);
  progress('');
  console.log(printScale(rows, { node: process.versions.node, cores: availableParallelism() }));
  if (options.json) writeFileSync(options.json, `${JSON.stringify(rows, null, 2)}\n`);
}

async function benchDistributed(options: BenchOptions): Promise<void> {
  const rows = await measureDistributed(options, progress);
  progress('');
  if (typeof rows === 'string') {
    console.log(`Nothing was measured: ${rows}.`);
    return;
  }
  console.log(
    printDistributed(rows, { node: process.versions.node, cores: availableParallelism() }),
  );
  if (options.json) writeFileSync(options.json, `${JSON.stringify(rows, null, 2)}\n`);
}

async function crashRows(world: World, options: BenchOptions): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const callers of options.callers) {
    // The service's own kills are tests, not a measure: test/play/server-kills.test.ts.
    for (const contender of options.contenders.filter((name) => name !== 'gateway')) {
      progress(`W3, ${contender}, ${callers} callers`);
      rows.push(crashRow(await runCrashes(world, options, contender, callers)));
    }
  }
  return rows;
}

function surroundings(world: World): Surroundings {
  return {
    node: process.versions.node,
    cores: availableParallelism(),
    syncMs: world.syncMs,
    syncsAreTraced: canTrace(),
    yardstickBytes: world.yardstickBytes(),
  };
}

/** One line that is written over; nothing where nobody looks. */
function progress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`);
}
