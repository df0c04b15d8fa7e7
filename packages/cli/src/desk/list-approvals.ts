// `action-ledger approvals`
import { type Cli } from '../cli.ts';
import { count } from '../format/count.ts';
import { printable, printableJson } from '../format/printable.ts';
import { renderTable } from '../format/table.ts';
import { dateTime, duration } from '../format/time.ts';
import { shortId } from '../ledger-file/find-action.ts';
import { type DoorOptions, openDoor } from './door.ts';

export interface ListApprovalsOptions extends DoorOptions {
  readonly tenant: string;
  readonly tool?: string;
}

interface Waiting {
  readonly action: string;
  readonly tool: string;
  readonly by?: string;
  readonly arguments: unknown;
  readonly approval: {
    readonly votesNeeded: number;
    readonly expiresAt: number;
    readonly undoWindowMs: number;
    readonly votes: readonly { readonly voter: string; readonly vote: string }[];
  };
}

export async function listApprovals(cli: Cli, options: ListApprovalsOptions): Promise<void> {
  const door = await openDoor(cli.io, options);
  try {
    const query = new URLSearchParams({ limit: '100' });
    if (options.tool !== undefined) query.set('tool', options.tool);
    const path = `/v1/approvals?${query.toString()}`;
    const found = (await door.ask({ method: 'GET', path }, options.tenant)) as {
      readonly approvals: readonly Waiting[];
      readonly next?: string;
    };
    if (options.json === true) cli.json(found);
    else cli.io.out(render(cli, found.approvals, found.next !== undefined));
  } finally {
    await door.close();
  }
}

const columns = [
  { title: 'ACTION' },
  { title: 'TOOL', widthMin: 8 },
  { title: 'ASKED BY', widthMin: 8 },
  { title: 'ARGUMENTS', widthMin: 16, wraps: true },
  { title: 'VOTES', widthMin: 8, wraps: true },
  { title: 'UNTIL (UTC)' },
  { title: 'THEN HELD', align: 'right' },
] as const;

function render({ io, style }: Cli, waiting: readonly Waiting[], isMore: boolean): string {
  if (waiting.length === 0) return 'Nothing waits for approval.\n';
  const rows = waiting.map(({ action, tool, by = '', arguments: args, approval }) => [
    shortId(action),
    printable(tool),
    printable(by),
    printableJson(args),
    votesText(approval),
    dateTime(approval.expiresAt),
    approval.undoWindowMs === 0 ? '' : duration(approval.undoWindowMs),
  ]);
  const table = renderTable(columns, rows, { style, columns: io.columns });
  const more = isMore ? ', and more' : '';
  return `${table}${count(waiting.length, 'action')}${more}.\n`;
}

function votesText({ votes, votesNeeded }: Waiting['approval']): string {
  const cast = votes.map(({ voter, vote }) => `${voter} ${vote}s`);
  return printable([`${votes.length} of ${votesNeeded}`, ...cast].join(', '));
}
