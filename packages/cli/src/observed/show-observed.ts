// `action-ledger observed`: how many calls were only observed, and which the ledger would have held back.
import {
  type ActionRow,
  createMemoryActionIndex,
  observedReport,
  type ObservedReport,
} from '@action-ledger/application';
import { viewsPathOf } from '@action-ledger/client';
import { type ObservedWord } from '@action-ledger/domain';
import { readSideEntries } from '@action-ledger/read-models';
import { type Cli } from '../cli.ts';
import { count } from '../format/count.ts';
import { printable } from '../format/printable.ts';
import { type Column, renderTable } from '../format/table.ts';
import { dateTime } from '../format/time.ts';
import { shortId } from '../ledger-file/find-action.ts';
import { foldLedger } from '../ledger-file/fold-ledger.ts';
import { askLedgerAt } from '../ledger-file/ledger-at.ts';
import { refuseTenant, type UrlOption, urlNamed } from '../ledger-file/url-option.ts';
import { type PathOption } from '../ledger-file/ledger-path.ts';
import { readLedger } from '../ledger-file/read-ledger.ts';

export interface ObservedOptions extends PathOption, UrlOption {
  readonly tenant?: string;
  readonly tool?: string;
  /** Wall-clock ms since the epoch. */
  readonly since?: number;
  readonly limit: number;
  readonly json?: boolean;
}

export async function showObserved(cli: Cli, options: ObservedOptions): Promise<void> {
  const report = await reportFor(cli, options);
  if (options.json === true) cli.json(report);
  else cli.io.out(render(cli, report));
}

async function reportFor(cli: Cli, options: ObservedOptions): Promise<ObservedReport> {
  const { tenant, tool, since, limit } = options;
  const filter = {
    ...(tool === undefined ? {} : { tool }),
    ...(since === undefined ? {} : { since }),
    limit,
  };
  const url = urlNamed(cli.io, options);
  if (url !== undefined) {
    refuseTenant(options);
    return askLedgerAt(cli.io, url, (ledger) => ledger.observed(filter));
  }
  return readLedger(cli.io, options, async (store, path) => {
    const { actions } = await foldLedger(store);
    const index = createMemoryActionIndex();
    for (const action of actions) index.note(action, []);
    const unmet = readSideEntries(viewsPathOf(path), '') ?? [];
    return observedReport(index, unmet, { ...filter, ...(tenant === undefined ? {} : { tenant }) });
  });
}

const texts: Readonly<Record<Exclude<ObservedWord, 'send'>, string>> = {
  duplicate: 'suppressed as duplicates',
  conflict: 'refused as conflicts',
  approval: 'held for approval',
  denied: 'denied by policy',
  paused: 'refused by a pause',
  refused: 'refused for another reason',
};

function render({ style, io }: Cli, report: ObservedReport): string {
  const { calls, heldBack, would, unrecorded, actions } = report;
  const lost =
    unrecorded === 0 ? '' : `${count(unrecorded, 'call')} went out without a record besides.\n`;
  if (calls === 0) return `No call was only observed.\n${lost}`;
  const lines = Object.entries(texts).flatMap(([word, text]) => {
    const number = would[word as ObservedWord];
    return number === 0 ? [] : [`  ${String(number).padStart(6)}  ${text}\n`];
  });
  const sum = `${count(calls, 'call')} went out; the ledger would have held back ${heldBack}${lines.length === 0 ? '.' : ':'}\n`;
  const table =
    actions.length === 0
      ? ''
      : `\n${renderTable(columns, actions.map(cellsOf), { style, columns: io.columns })}`;
  const more = heldBack > actions.length ? `${actions.length} of ${heldBack} shown.\n` : '';
  return `${sum}${lines.join('')}${lost}${table}${more}`;
}

const columns: readonly Column[] = [
  { title: 'ACTION' },
  { title: 'TOOL', widthMin: 12 },
  { title: 'WOULD BE' },
  { title: 'OF' },
  { title: 'SENT (UTC)' },
  { title: 'WHY', widthMin: 12, wraps: true, linesMax: 3 },
];

function cellsOf({ action, tool, plannedAt, observed }: ActionRow): readonly string[] {
  return [
    shortId(action),
    printable(tool),
    observed?.would ?? '',
    observed?.action === undefined ? '' : shortId(observed.action),
    dateTime(plannedAt),
    printable(observed === undefined ? '' : whyText(observed)),
  ];
}

type Observed = NonNullable<ActionRow['observed']>;

/** What is on record of a duplicate is the status of the other, of a conflict the members that differ. */
function whyText({ would, action, reason = '' }: Observed): string {
  if (reason === 'epochs.exhausted') return 'too many epochs ended without effect';
  if (would === 'duplicate') return `that one is ${reason}`;
  return would !== 'conflict' || action === undefined || reason.includes(' ')
    ? reason
    : `other ${reason}`;
}
