// The report for people.
import { type BenchOptions } from './options.ts';
import { type Figure, isReached, type Row } from './report.ts';
import { formatNumber, formatTable } from './table.ts';

export interface Surroundings {
  readonly node: string;
  readonly cores: number;
  readonly syncMs: number;
  readonly syncsAreTraced: boolean;
  readonly yardstickBytes: number;
}

export function printReport(
  options: BenchOptions,
  surroundings: Surroundings,
  rows: readonly Row[],
  figures: readonly Figure[],
): string {
  const timed = rows.filter((row) => row.work !== 'W3');
  const crashed = rows.filter((row) => row.work === 'W3');
  return [
    heading(options, surroundings),
    ...(timed.length > 0 ? [timedTable(timed)] : []),
    ...(crashed.length > 0 ? [crashTable(options, crashed)] : []),
    ...(figures.length > 0 ? [figureTable(figures)] : []),
  ].join('\n\n');
}

function heading(options: BenchOptions, around: Surroundings): string {
  const { rounds, sliceMs, client, syncDelayMs } = options;
  const delay = syncDelayMs > 0 ? `, made ${syncDelayMs} ms slower` : '';
  return [
    `Node ${around.node}, ${around.cores} cores, the disk syncs in ${around.syncMs.toFixed(2)} ms${delay}`,
    `${rounds} interleaved rounds, slices of at least ${sliceMs} ms, medians; HTTP client: ${client}`,
    'W1: new actions, 493 bytes of arguments, one HTTP call, 250 bytes of result, intent and outcome durable',
    'W2: the same keys again (the recorded result, no call)',
    `sqlite-grouped: the bare loop with grouped commits, storing ${formatNumber(around.yardstickBytes)} bytes per action`,
    `syncs: ${around.syncsAreTraced ? 'fsync and fdatasync calls counted by strace, in slices of their own' : 'commits as a contender counts them (strace is missing)'}`,
  ].join('\n');
}

function timedTable(rows: readonly Row[]): string {
  return formatTable(
    [
      { title: 'work', align: 'left' },
      { title: 'callers' },
      { title: 'contender', align: 'left' },
      { title: 'actions/s' },
      { title: 'p50 ms' },
      { title: 'p99 ms' },
      { title: 'syncs/action' },
      { title: 'CPU ms/action' },
      { title: 'bytes/action' },
      { title: 'on disk' },
    ],
    rows.map((row) => [
      row.work,
      String(row.callers),
      row.contender,
      formatNumber(row.actionsPerSecond),
      formatNumber(row.p50Ms, 3),
      formatNumber(row.p99Ms, 3),
      formatNumber(row.syncsPerAction ?? undefined, 3),
      formatNumber(row.cpuMsPerAction ?? undefined, 3),
      formatNumber(row.bytesPerAction ?? undefined),
      formatNumber(row.diskBytesPerAction ?? undefined),
    ]),
  );
}

function figureTable(figures: readonly Figure[]): string {
  const table = formatTable(
    [
      { title: 'figure', align: 'left' },
      { title: 'callers' },
      { title: 'value' },
      { title: 'goal' },
      { title: '' },
    ],
    figures.map((figure) => [
      figure.what,
      String(figure.callers),
      formatNumber(figure.value, 3),
      figure.goal ? goalText(figure.goal) : '',
      isReached(figure) === false ? 'missed' : '',
    ]),
  );
  return `A / B is the median of the ratios within a round: 1 is as much as B, 0.9 is nine tenths of it.\n${table}`;
}

function goalText(goal: NonNullable<Figure['goal']>): string {
  return 'least' in goal ? `≥ ${goal.least}` : `≤ ${goal.most}`;
}

function crashTable({ crashActions, crashRounds }: BenchOptions, rows: readonly Row[]): string {
  const table = formatTable(
    [
      { title: 'work', align: 'left' },
      { title: 'callers' },
      { title: 'contender', align: 'left' },
      { title: 'doubled' },
      { title: 'told failed' },
      { title: 'lost' },
      { title: 'flagged' },
      { title: 'open' },
      { title: 'first answer ms' },
      { title: 'actions/s' },
      { title: 'bytes/action' },
    ],
    rows.map((row) => [
      row.work,
      String(row.callers),
      row.contender,
      formatNumber(row.doubled),
      formatNumber(row.toldFailed),
      formatNumber(row.lost),
      formatNumber(row.flagged),
      formatNumber(row.open),
      formatNumber(row.firstAnswerMs),
      formatNumber(row.actionsPerSecond),
      formatNumber(row.bytesPerAction ?? undefined),
    ]),
  );
  return [
    `W3: ${formatNumber(crashActions)} actions, 1 % take effect and lose the response, kill -9 at 40 %, restart; sums of ${crashRounds} runs.`,
    'told failed: the caller was told "failed" though it took effect. flagged: answers "being checked" on the way. open: still so at the end.',
    table,
  ].join('\n');
}
