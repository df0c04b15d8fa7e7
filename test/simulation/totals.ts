// What many runs amount to, added up report by report. Plain data, so that workers can send it.
import { type RunReport } from './report.ts';

export type Counts = Record<string, number>;

export interface Totals {
  runs: number;
  steps: number;
  stepsLeast: number;
  simulatedMs: number;
  events: number;
  readonly shapes: Counts;
  readonly faults: Counts;
  readonly endStates: Counts;
  /** `status event`. */
  readonly cells: Counts;
  /** `guarantee`, then effects of one action: how many actions. */
  readonly effects: Record<string, Counts>;
  /** Of actions whose sender stood still before the socket: effects, how many actions. */
  readonly stalledSends: Counts;
  readonly failed: { readonly seed: number; readonly problems: readonly string[] }[];
}

export function emptyTotals(): Totals {
  return {
    runs: 0,
    steps: 0,
    stepsLeast: Infinity,
    simulatedMs: 0,
    events: 0,
    shapes: {},
    faults: {},
    endStates: {},
    cells: {},
    effects: {},
    stalledSends: {},
    failed: [],
  };
}

export function addRun(totals: Totals, report: RunReport): void {
  totals.runs += 1;
  totals.steps += report.steps;
  totals.stepsLeast = Math.min(totals.stepsLeast, report.steps);
  totals.simulatedMs += report.simulatedMs;
  totals.events += report.events;
  add(totals.shapes, report.shape, 1);
  for (const { kind } of report.struck) add(totals.faults, kind, 1);
  for (const [status, count] of report.endStates) add(totals.endStates, status, count);
  for (const [cell, count] of report.cells) add(totals.cells, cell, count);
  for (const { guarantee, effects } of report.effects)
    add((totals.effects[guarantee] ??= {}), String(effects), 1);
  for (const { effects } of report.stalledSends) add(totals.stalledSends, String(effects), 1);
  const { seed, problems } = report;
  if (problems.length > 0) totals.failed.push({ seed, problems });
}

export function addTotals(into: Totals, more: Totals): void {
  into.runs += more.runs;
  into.steps += more.steps;
  into.stepsLeast = Math.min(into.stepsLeast, more.stepsLeast);
  into.simulatedMs += more.simulatedMs;
  into.events += more.events;
  for (const name of ['shapes', 'faults', 'endStates', 'cells', 'stalledSends'] as const)
    for (const [key, count] of Object.entries(more[name])) add(into[name], key, count);
  for (const [guarantee, counts] of Object.entries(more.effects))
    for (const [key, count] of Object.entries(counts))
      add((into.effects[guarantee] ??= {}), key, count);
  into.failed.push(...more.failed);
}

function add(counts: Counts, key: string, count: number): void {
  counts[key] = (counts[key] ?? 0) + count;
}
