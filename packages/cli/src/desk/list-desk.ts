// A list of what waits for people. Of a file it is read from the file itself, beside whoever has it, and
// holds every tenant; an all-clear is one for all. Over HTTP it is what the key may see, with whole ids.
import { type Action, type ActionStatus } from '@action-ledger/domain';
import { damagedText, listedIn } from '../actions/listed-actions.ts';
import { type Cli } from '../cli.ts';
import { count } from '../format/count.ts';
import { printable } from '../format/printable.ts';
import { type Column, renderTable } from '../format/table.ts';
import { shortId } from '../ledger-file/find-action.ts';
import { refuseTenant, urlNamed } from '../ledger-file/url-option.ts';
import { readLedger } from '../ledger-file/read-ledger.ts';
import { openDoor } from './door.ts';
import { type DoorOptions } from './door-options.ts';

interface Row {
  readonly action: string;
  readonly tenant: string;
}

export interface DeskList<Each extends Row> {
  /** Of the route and of the member that holds the rows. */
  readonly name: string;
  readonly status: ActionStatus;
  /** What narrows the list, over HTTP and by `fits`. */
  readonly query: Readonly<Record<string, string>>;
  readonly fits: (action: Action) => boolean;
  /** In the order in which they are shown. @param actions newest first */
  readonly rowsOf: (actions: readonly Action[]) => readonly Each[];
  readonly columns: readonly Column[];
  readonly cellsOf: (row: Each) => readonly string[];
  readonly none: string;
  readonly one: string;
}

interface Found<Each> {
  readonly rows: readonly Each[];
  /** There are more of them. */
  readonly isMore?: boolean;
  /** Of the same kind, that are not asked for. */
  readonly others?: number;
  readonly damaged?: readonly string[];
}

/** @throws CliError, StoreFault */
export async function listDesk<Each extends Row>(
  cli: Cli,
  options: DoorOptions & { readonly tenant?: string },
  list: DeskList<Each>,
): Promise<void> {
  if (urlNamed(cli.io, options) === undefined) await listHere(cli, options, list);
  else await listAt(cli, options, list);
}

async function listAt<Each extends Row>(
  cli: Cli,
  options: DoorOptions & { readonly tenant?: string },
  list: DeskList<Each>,
): Promise<void> {
  refuseTenant(options);
  const door = await openDoor(cli.io, options);
  try {
    const query = new URLSearchParams({ limit: '100', ...list.query });
    const path = `/v1/${list.name}?${query.toString()}`;
    const said = await door.ask({ method: 'GET', path }, '');
    if (options.json === true) {
      cli.json(said);
      return;
    }
    const { [list.name]: rows, next } = said as Readonly<Record<string, unknown>>;
    const found = { rows: rows as readonly Each[], isMore: next !== undefined };
    cli.io.out(render(cli, list, found, (id) => id));
  } finally {
    await door.close();
  }
}

const listedMax = 1_000;

async function listHere<Each extends Row>(
  cli: Cli,
  options: DoorOptions & { readonly tenant?: string },
  list: DeskList<Each>,
): Promise<void> {
  const { tenant } = options;
  await readLedger(cli.io, options, async (store, path) => {
    const { status } = list;
    let listed = await listedIn(store, path, { status, limit: listedMax });
    if (listed.matching > listed.shown.length)
      listed = await listedIn(store, path, { status, limit: Infinity });
    const asked = listed.shown.filter(
      (action) => (tenant === undefined || action.tenant === tenant) && list.fits(action),
    );
    const rows = list.rowsOf(asked);
    const { damaged } = listed;
    if (options.json === true) {
      cli.json({ [list.name]: rows, damaged });
      return;
    }
    const others = listed.shown.length - asked.length;
    cli.io.out(render(cli, list, { rows, others, damaged }, shortId));
  });
}

function render<Each extends Row>(
  { io, style }: Cli,
  { columns, cellsOf, none, one }: DeskList<Each>,
  { rows, isMore = false, others = 0, damaged = [] }: Found<Each>,
  idOf: (actionId: string) => string,
): string {
  const hasTenants = new Set(rows.map(({ tenant }) => tenant)).size > 1;
  const tenantOf = ({ tenant }: Each): string[] => (hasTenants ? [printable(tenant)] : []);
  const all = [
    { title: 'ACTION' },
    ...(hasTenants ? [{ title: 'TENANT', widthMin: 7 }] : []),
    ...columns,
  ];
  const cells = rows.map((row) => [idOf(row.action), ...tenantOf(row), ...cellsOf(row)]);
  const table = rows.length === 0 ? '' : renderTable(all, cells, { style, columns: io.columns });
  const rest = others === 0 ? '' : ` Not asked for: ${count(others, `other ${one}`)}.`;
  const sum = `${count(rows.length, one)}${isMore ? ', and more' : ''}.`;
  const text = rows.length > 0 ? sum : others === 0 ? none : 'Nothing fits.';
  const broken = damaged.length === 0 ? '' : `${style.bad(damagedText(damaged))}\n`;
  return `${table}${text}${rest}\n${broken}`;
}
