// Rows and the table of a large ledger beside a small one, with what it must reach.
import { scaleCosts, type ScaleCost } from './scale-messages.ts';
import { median } from './statistics.ts';
import { formatNumber, formatTable } from './table.ts';

export interface Measured {
  readonly actions: number;
  /** Microseconds, one of each round. */
  readonly costs: Readonly<Record<ScaleCost, number[]>>;
  readonly once: {
    firstAnswerMs?: number;
    residentMb?: number;
    /** Events per second. */
    views?: number;
    chain?: number;
    verify?: number;
  };
}

export interface ScaleRow {
  readonly work: 'scale';
  readonly what: string;
  readonly unit: 'µs' | 'ms' | 'events/s' | 'MB';
  readonly actions: number;
  readonly value: number;
  /** To the same of the smallest ledger: the median of the ratios within a round. */
  readonly ratio?: number;
  readonly goal?: ScaleGoal;
}

/** Of the ratio, where there is one, else of the value. */
type ScaleGoal = { readonly least: number } | { readonly most: number };

const costRows: Readonly<Record<ScaleCost, { readonly what: string; readonly most: number }>> = {
  propose: { what: 'propose a new action', most: 1.2 },
  list: { what: 'list the last 50', most: 1.2 },
  repeat: { what: 'repeat one from the file', most: 1.3 },
};

const onceRows: readonly {
  readonly name: keyof Measured['once'];
  readonly what: string;
  readonly unit: ScaleRow['unit'];
  readonly goal?: ScaleGoal;
}[] = [
  { name: 'firstAnswerMs', what: 'open to first answer', unit: 'ms', goal: { most: 600 } },
  { name: 'residentMb', what: 'resident memory', unit: 'MB', goal: { most: 250 } },
  { name: 'views', what: 'views rebuilt', unit: 'events/s', goal: { least: 150_000 } },
  { name: 'chain', what: 'chain verified', unit: 'events/s', goal: { least: 150_000 } },
  { name: 'verify', what: 'action-ledger verify, whole', unit: 'events/s' },
];

/** @param measured the smallest ledger first; goals are those of the others */
export function scaleRows(measured: readonly Measured[]): readonly ScaleRow[] {
  const [smallest] = measured;
  return measured.flatMap((each): readonly ScaleRow[] => {
    const isCompared = each !== smallest;
    const { actions, costs, once } = each;
    const timed = scaleCosts.map((cost): ScaleRow => {
      const { what, most } = costRows[cost];
      const row = { work: 'scale', what, unit: 'µs', actions, value: median(costs[cost]) } as const;
      if (!isCompared) return row;
      const ratio = median(
        costs[cost].map((value, at) => value / (smallest?.costs[cost][at] ?? NaN)),
      );
      return { ...row, ratio, goal: { most } };
    });
    const others = onceRows.flatMap(({ name, what, unit, goal }): readonly ScaleRow[] => {
      const value = once[name];
      if (value === undefined) return [];
      const row = { work: 'scale', what, unit, actions, value } as const;
      return [isCompared && goal !== undefined ? { ...row, goal } : row];
    });
    return [...timed, ...others];
  });
}

export function printScale(
  rows: readonly ScaleRow[],
  around: { readonly node: string; readonly cores: number },
): string {
  const sizes = [...new Set(rows.map(({ actions }) => actions))];
  const names = [...new Set(rows.map(({ what }) => what))];
  const table = formatTable(
    [
      { title: 'figure', align: 'left' },
      { title: 'unit', align: 'left' },
      ...sizes.map((size) => ({ title: `at ${formatNumber(size)}` })),
      { title: 'ratio' },
      { title: 'goal' },
      { title: '' },
    ],
    names.map((name) => {
      const found = sizes.map((size) =>
        rows.find(({ what, actions }) => what === name && actions === size),
      );
      const last = found.at(-1);
      return [
        name,
        last?.unit ?? '',
        ...found.map((row) => formatNumber(row?.value)),
        last?.ratio === undefined ? '' : formatNumber(last.ratio, 2),
        last?.goal === undefined ? '' : goalText(last.goal),
        last !== undefined && isMissed(last) ? 'missed' : '',
      ];
    }),
  );
  return `Node ${around.node}, ${around.cores} cores; finished actions of one tool that takes no time, in a file in the page cache\n\n${table}`;
}

export function isMissed({ value, ratio, goal }: ScaleRow): boolean {
  const judged = ratio ?? value;
  if (goal === undefined) return false;
  return 'least' in goal ? judged < goal.least : judged > goal.most;
}

function goalText(goal: ScaleGoal): string {
  return 'least' in goal ? `≥ ${formatNumber(goal.least)}` : `≤ ${goal.most}`;
}
