// `action-ledger approvals`: of the file itself, beside whoever has it, those of every tenant; over HTTP
// those of the key's tenant.
import { answerFor, rowOf } from '@action-ledger/application';
import { type Action } from '@action-ledger/domain';
import { type Cli } from '../cli.ts';
import { printable, printableJson } from '../format/printable.ts';
import { dateTime, duration } from '../format/time.ts';
import { type DoorOptions } from './door-options.ts';
import { listDesk } from './list-desk.ts';

export interface ListApprovalsOptions extends DoorOptions {
  readonly tenant?: string;
  readonly tool?: string;
}

interface Waiting {
  readonly action: string;
  readonly tenant: string;
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
  const { tool } = options;
  await listDesk<Waiting>(cli, options, {
    name: 'approvals',
    status: 'awaiting_approval',
    query: tool === undefined ? {} : { tool },
    fits: (action) => tool === undefined || action.tool === tool,
    rowsOf: (actions) => actions.flatMap(waitingOf),
    columns,
    cellsOf,
    none: 'Nothing waits for approval.',
    one: 'action',
  });
}

/** As the HTTP API lists it. */
function waitingOf(action: Action): readonly Waiting[] {
  const { approval, arguments: args, argumentsHash, by } = action;
  if (approval === undefined) return [];
  const { messageForModel } = answerFor(action, { repeat: true });
  const said = { arguments: args, argumentsHash, approval, messageForModel };
  return [{ ...rowOf(action), ...said, ...(by === undefined ? {} : { by }) }];
}

const columns = [
  { title: 'TOOL', widthMin: 8 },
  { title: 'ASKED BY', widthMin: 8 },
  { title: 'ARGUMENTS', widthMin: 16, wraps: true },
  { title: 'VOTES', widthMin: 8, wraps: true },
  { title: 'UNTIL (UTC)' },
  { title: 'THEN HELD', align: 'right' },
] as const;

function cellsOf({ tool, by = '', arguments: args, approval }: Waiting): string[] {
  return [
    printable(tool),
    printable(by),
    printableJson(args),
    votesText(approval),
    dateTime(approval.expiresAt),
    approval.undoWindowMs === 0 ? '' : duration(approval.undoWindowMs),
  ];
}

function votesText({ votes, votesNeeded }: Waiting['approval']): string {
  const cast = votes.map(({ voter, vote }) => `${voter} ${vote}s`);
  return printable([`${votes.length} of ${votesNeeded}`, ...cast].join(', '));
}
