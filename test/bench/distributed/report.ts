// Rows of the distributed size, and their table with what each must reach.
import { formatNumber, formatTable } from '../table.ts';

export interface DistributedRow {
  readonly work: 'distributed';
  readonly what: string;
  readonly unit: 'appends' | '/s' | 'ms' | 'ratio';
  readonly value: number;
  readonly goal?: { readonly least: number } | { readonly most: number };
}

export function isMissed({ value, goal }: DistributedRow): boolean {
  if (goal === undefined) return false;
  return 'least' in goal ? !(value >= goal.least) : !(value <= goal.most);
}

export function printDistributed(
  rows: readonly DistributedRow[],
  around: { readonly node: string; readonly cores: number },
): string {
  const table = formatTable(
    [
      { title: 'figure', align: 'left' },
      { title: 'unit', align: 'left' },
      { title: 'value' },
      { title: 'goal' },
      { title: '' },
    ],
    rows.map((row) => [
      row.what,
      row.unit,
      formatNumber(row.value, row.unit === '/s' ? 0 : 2),
      row.goal === undefined ? '' : goalText(row.goal),
      isMissed(row) ? 'missed' : '',
    ]),
  );
  return [
    `Node ${around.node}, ${around.cores} cores, shared by all of: a Kafka broker, the protocol double of EventStoreDB, services, callers`,
    'Payments with 493 bytes of arguments and 250 bytes of result; medians over the rounds',
    '',
    table,
  ].join('\n');
}

function goalText(goal: NonNullable<DistributedRow['goal']>): string {
  return 'least' in goal ? `≥ ${formatNumber(goal.least, 2)}` : `≤ ${formatNumber(goal.most, 2)}`;
}
