// `action-ledger unknown list`
import { type Cli } from '../cli.ts';
import { count } from '../format/count.ts';
import { printable } from '../format/printable.ts';
import { renderTable } from '../format/table.ts';
import { dateTime, duration } from '../format/time.ts';
import { shortId } from '../ledger-file/find-action.ts';
import { type DoorOptions, openDoor } from './door.ts';

export interface ListUnknownsOptions extends DoorOptions {
  readonly tenant: string;
  readonly owner?: 'operator' | 'reconciler';
}

interface Unknown {
  readonly action: string;
  readonly tool: string;
  readonly guarantee: string;
  readonly owner?: string;
  readonly nextCheckAt?: number;
  readonly ageMs: number;
  readonly checks: number;
}

export async function listUnknowns(cli: Cli, options: ListUnknownsOptions): Promise<void> {
  const door = await openDoor(cli.io, options);
  try {
    const query = new URLSearchParams({ limit: '100' });
    if (options.owner !== undefined) query.set('owner', options.owner);
    const path = `/v1/unknowns?${query.toString()}`;
    const found = (await door.ask({ method: 'GET', path }, options.tenant)) as {
      readonly unknowns: readonly Unknown[];
      readonly next?: string;
    };
    if (options.json === true) cli.json(found);
    else cli.io.out(render(cli, found.unknowns, found.next === undefined));
  } finally {
    await door.close();
  }
}

const columns = [
  { title: 'ACTION' },
  { title: 'TOOL', widthMin: 12 },
  { title: 'GUARANTEE' },
  { title: 'UNKNOWN FOR', align: 'right' },
  { title: 'CHECKS', align: 'right' },
  { title: 'LOOKS AFTER IT' },
  { title: 'NEXT CHECK (UTC)' },
] as const;

function render({ io, style }: Cli, unknowns: readonly Unknown[], isComplete: boolean): string {
  if (unknowns.length === 0) return 'Nothing is unknown.\n';
  const rows = unknowns.map((each) => [
    shortId(each.action),
    printable(each.tool),
    each.guarantee,
    duration(each.ageMs),
    String(each.checks),
    each.owner ?? '',
    each.nextCheckAt === undefined ? '' : dateTime(each.nextCheckAt),
  ]);
  const table = renderTable(columns, rows, { style, columns: io.columns });
  const more = isComplete ? '' : ', and more';
  return `${table}${count(unknowns.length, 'unknown outcome')}${more}.\n`;
}
