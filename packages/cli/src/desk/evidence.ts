// `action-ledger evidence report` and `evidence list`: what a person has found out about an action that the
// provider names, and what was reported and matches no action yet.
import { parseJson } from '@action-ledger/domain';
import { usageError } from '../cli-error.ts';
import { type Cli } from '../cli.ts';
import { count } from '../format/count.ts';
import { printable } from '../format/printable.ts';
import { renderTable } from '../format/table.ts';
import { dateTime } from '../format/time.ts';
import { shortId } from '../ledger-file/find-action.ts';
import { type DoorOptions, openDoor } from './door.ts';

export interface ReportOptions extends DoorOptions {
  readonly tenant: string;
  readonly action?: string;
  readonly key?: string;
  readonly reference?: string;
  readonly tool?: string;
  readonly externalId?: string;
  readonly claims: string;
  readonly proven?: boolean;
  readonly neverHadEffect?: boolean;
  readonly source?: string;
  readonly id?: string;
  readonly data?: string;
}

interface Taken {
  readonly action?: { readonly actionId: string; readonly tool: string; readonly state: string };
  readonly waitsUntil?: number;
}

export async function reportEvidence(cli: Cli, options: ReportOptions): Promise<void> {
  const { action, key: downstreamKey, reference, tool, externalId } = options;
  const { claims, proven, neverHadEffect, source, id, data } = options;
  const said = { action, downstreamKey, reference, tool, externalId };
  const body = {
    ...said,
    ...{ claims, proven, neverHadEffect, source, id },
    ...(data === undefined ? {} : { data: jsonOf(data) }),
  };
  const door = await openDoor(cli.io, options);
  try {
    const asked = { method: 'POST', path: '/v1/evidence', body: given(body) } as const;
    const taken = (await door.ask(asked, options.tenant)) as Taken;
    if (options.json === true) cli.json(taken);
    else cli.io.out(`${lineOf(taken)}\n`);
  } finally {
    await door.close();
  }
}

function lineOf({ action, waitsUntil }: Taken): string {
  if (action === undefined)
    return `Kept. No action bears that name yet: it is matched when one does, until ${dateTime(waitsUntil ?? 0)} UTC.`;
  const { tool, actionId, state } = action;
  return `${printable(tool)} ${shortId(actionId)}: kept as evidence; it is ${state.replaceAll('_', ' ')}.`;
}

function given(members: object): object {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

function jsonOf(text: string): unknown {
  const parsed = parseJson(text);
  if (parsed.kind === 'parsed') return parsed.value;
  throw usageError(`--data: ${parsed.message}`, 'give one JSON value.');
}

export interface ListEvidenceOptions extends DoorOptions {
  readonly tenant: string;
}

interface Waiting {
  readonly at: number;
  readonly until: number;
  readonly source: string;
  readonly claims: string;
  readonly tool?: string;
  readonly downstreamKey?: string;
  readonly reference?: string;
  readonly externalId?: string;
}

export async function listEvidence(cli: Cli, options: ListEvidenceOptions): Promise<void> {
  const door = await openDoor(cli.io, options);
  try {
    const path = '/v1/evidence?limit=1000';
    const found = (await door.ask({ method: 'GET', path }, options.tenant)) as {
      readonly reports: readonly Waiting[];
    };
    if (options.json === true) cli.json(found);
    else cli.io.out(render(cli, found.reports));
  } finally {
    await door.close();
  }
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
  const rows = reports.map((each) => [
    dateTime(each.at),
    printable(each.source),
    each.claims,
    printable(namesOf(each)),
    dateTime(each.until),
  ]);
  const table = renderTable(columns, rows, { style, columns: io.columns });
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
