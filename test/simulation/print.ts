// What a simulation came to, as text for people.
import { type TriedBreak } from './breaks/try-breaks.ts';
import { type RunReport } from './report.ts';
import { type Shrunk } from './shrink.ts';
import { type Counts, type Totals } from './totals.ts';
import { reachedOf } from './cells.ts';

const shownMax = 10;
const cellsShownMax = 12;

export function printTotals(totals: Totals, ms: number): string {
  const { runs, steps, stepsLeast, failed } = totals;
  const cells = reachedOf(totals.cells);
  return [
    `${n(runs)} runs, ${n(steps)} steps (at least ${n(stepsLeast)} each) in ${seconds(ms)}`,
    `simulated time ${days(totals.simulatedMs)}, ${n(totals.events)} events`,
    '',
    'Faults',
    ...table(totals.faults),
    '',
    'Actions by the state they rest in',
    ...table(totals.endStates),
    '',
    'Effects per action',
    ...Object.entries(totals.effects)
      .sort(([a], [b]) => a.localeCompare(b))
      .map(([guarantee, counts]) => `  ${guarantee.padEnd(24)} ${effects(counts)}`),
    `  stood still before the socket: ${effects(totals.stalledSends) || 'none'}`,
    '',
    `Lifecycle: ${n(cells.reached)} of ${n(cells.all)} cells were met` + missing(cells.missing),
    '',
    ...failed.slice(0, shownMax).map(({ seed, problems }) => failure(seed, problems)),
    failed.length === 0
      ? 'No run failed.'
      : `${n(failed.length)} of ${n(runs)} runs failed. Smaller: npm run simulate -- --seed ${failed[0]?.seed ?? 0} --shrink`,
  ].join('\n');
}

export function printFailure({ seed, problems }: RunReport): string {
  return failure(seed, problems);
}

export function printBreak({ name, seeds, said }: TriedBreak, runs: number): string {
  const found = seeds === undefined ? `not in ${n(runs)}` : n(seeds).padStart(4);
  return `${name.padEnd(48)} ${found}  ${said.slice(0, 140)}`.trimEnd();
}

export function printShrunk({ report, only, idle, runs }: Shrunk): string {
  const left = [
    ...[...idle].map((agent) => `--idle ${agent}`),
    ...[...only].map((name) => `--only ${JSON.stringify(name)}`),
  ];
  return [
    `Seed ${report.seed} fails with ${report.struck.length} faults and ${report.agents - idle.size} agents (${runs} runs tried):`,
    ...report.struck.map(({ name }) => `  ${name}`),
    failure(report.seed, report.problems),
    'Again, with everything that happens:',
    `  npm run simulate -- --seed ${report.seed} --trace trace.txt ${left.join(' ')}`,
  ].join('\n');
}

function failure(seed: number, problems: readonly string[]): string {
  const more = problems.length > shownMax ? [`  and ${problems.length - shownMax} more`] : [];
  return [`Seed ${seed}:`, ...problems.slice(0, shownMax).map((each) => `  ${each}`), ...more].join(
    '\n',
  );
}

function missing(cells: readonly string[]): string {
  if (cells.length === 0) return '';
  const more = cells.length > cellsShownMax ? ` and ${cells.length - cellsShownMax} more` : '';
  return `; not met: ${cells.slice(0, cellsShownMax).join(', ')}${more}`;
}

function table(counts: Counts): readonly string[] {
  const entries = Object.entries(counts).sort(([a], [b]) => a.localeCompare(b));
  const width = Math.max(0, ...entries.map(([name]) => name.length));
  return entries.map(([name, count]) => `  ${name.padEnd(width)} ${n(count).padStart(9)}`);
}

function effects(counts: Counts): string {
  return Object.entries(counts)
    .sort(([a], [b]) => Number(a) - Number(b))
    .map(([each, count]) => `${each}: ${n(count)}`)
    .join('  ');
}

function n(value: number): string {
  return value.toLocaleString('en-US');
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}

function days(ms: number): string {
  return `${(ms / 86_400_000).toFixed(1)} days`;
}
