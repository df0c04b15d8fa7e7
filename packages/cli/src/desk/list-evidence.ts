// `action-ledger evidence list`: reports that match no action yet. Of the file itself, beside whoever has it,
// those of every tenant; over HTTP those of the key's tenant.
import { createWaitingReports } from '@action-ledger/application';
import { type Cli } from '../cli.ts';
import { count } from '../format/count.ts';
import { printable } from '../format/printable.ts';
import { renderTable } from '../format/table.ts';
import { dateTime } from '../format/time.ts';
import { refuseTenant, urlNamed } from '../ledger-file/url-option.ts';
import { readLedger } from '../ledger-file/read-ledger.ts';
import { sha256 } from '../sha256.ts';
import { openDoor } from './door.ts';
import { type DoorOptions } from './door-options.ts';

export interface ListEvidenceOptions extends DoorOptions {
  readonly tenant?: string;
}

interface Waiting {
  /** Over HTTP there is only the key's. */
  readonly tenant?: string;
  readonly at: number;
  readonly until: number;
  readonly source: string;
  readonly claims: string;
  readonly tool?: string;
  readonly downstreamKey?: string;
  readonly reference?: string;
  readonly externalId?: string;
}

/** @throws CliError, StoreFault where the reports of a tenant cannot be read: a part would look like all */
export async function listEvidence(cli: Cli, options: ListEvidenceOptions): Promise<void> {
  const isHere = urlNamed(cli.io, options) === undefined;
  const reports = await (isHere ? reportsHere : reportsAt)(cli, options);
  if (options.json === true) cli.json({ reports });
  else cli.io.out(render(cli, reports));
}

async function reportsAt(cli: Cli, options: ListEvidenceOptions): Promise<readonly Waiting[]> {
  refuseTenant(options);
  const door = await openDoor(cli.io, options);
  try {
    const asked = { method: 'GET', path: '/v1/evidence?limit=1000' } as const;
    const said = (await door.ask(asked, '')) as { readonly reports: readonly Waiting[] };
    return said.reports;
  } finally {
    await door.close();
  }
}

async function reportsHere({ io }: Cli, options: ListEvidenceOptions): Promise<readonly Waiting[]> {
  const { tenant } = options;
  const { runtime } = io;
  const nowMs = runtime.clock.wallMs();
  return readLedger(io, options, async (store) => {
    const clock = { nowMs: () => nowMs };
    const kept = createWaitingReports({ store, sha256, clock, runtime });
    const [fault] = await kept.load();
    if (fault !== undefined) throw fault as Error;
    return kept
      .all()
      .filter(({ until }) => nowMs < until)
      .map(({ at, until, request }) => ({ ...request, at, until }))
      .filter((report) => tenant === undefined || report.tenant === tenant)
      .sort((a, b) => a.at - b.at);
  });
}

const columns = [
  { title: 'REPORTED (UTC)' },
  { title: 'BY', widthMin: 12 },
  { title: 'CLAIMS' },
  { title: 'NAMES' },
  { title: 'KEPT UNTIL (UTC)' },
] as const;

function render({ io, style }: Cli, reports: readonly Waiting[]): string {
  if (reports.length === 0) return 'No report waits for its action.\n';
  const hasTenants = new Set(reports.map(({ tenant }) => tenant)).size > 1;
  const rows = reports.map((each) => [
    ...(hasTenants ? [printable(each.tenant ?? '')] : []),
    dateTime(each.at),
    printable(each.source),
    each.claims,
    printable(namesOf(each)),
    dateTime(each.until),
  ]);
  const all = hasTenants ? [{ title: 'TENANT', widthMin: 7 }, ...columns] : columns;
  const table = renderTable(all, rows, { style, columns: io.columns });
  return `${table}${count(reports.length, 'report')} for no action yet.\n`;
}

function namesOf({ tool, downstreamKey, reference, externalId }: Waiting): string {
  const names = [
    downstreamKey === undefined ? '' : `key ${downstreamKey}`,
    reference === undefined ? '' : `reference ${reference}`,
    externalId === undefined ? '' : `id ${externalId}`,
  ].filter((name) => name !== '');
  return `${names.join(', ')}${tool === undefined ? '' : ` of ${tool}`}`;
}
