// What the ledger only observed, in numbers and as a list: how many calls went out, and which of them it
// would have kept from going out.
import { isHeldBack, type ObservedWord, observedWords } from '@action-ledger/domain';
import { type ActionRow } from '@action-ledger/read-models';
import { type Parts } from '../core/parts.ts';
import { type SideEntry } from '../record/side-table.ts';

export interface ObservedFilter {
  readonly tenant?: string;
  readonly tool?: string;
  /** Planned then or later, in wall-clock ms since the epoch. */
  readonly since?: number;
  /** So many rows at most; the numbers count all. */
  readonly limit: number;
}

export interface ObservedReport {
  /** On record. */
  readonly calls: number;
  /** Of these the ledger would have kept so many from going out. */
  readonly heldBack: number;
  readonly would: Readonly<Record<ObservedWord, number>>;
  /** Went out without a record, as far as that is still known; not among the calls. */
  readonly unrecorded: number;
  /** Those that would have been held back, newest first. */
  readonly actions: readonly ActionRow[];
}

/** @param rows of observed actions, newest first */
export function observedReport(
  rows: readonly ActionRow[],
  entries: readonly SideEntry[],
  filter: ObservedFilter,
): ObservedReport {
  const would = Object.fromEntries(observedWords.map((word) => [word, 0])) as Record<
    ObservedWord,
    number
  >;
  const held: ActionRow[] = [];
  let calls = 0;
  for (const row of rows) {
    if (row.guarantee !== 'observed' || !fits(row, row.plannedAt, filter)) continue;
    calls += 1;
    would[row.observed?.would ?? 'send'] += 1;
    if (isHeldBack(row.observed)) held.push(row);
  }
  const lost = entries.filter(({ kind, action }) => kind === 'observed' && action === '');
  return {
    calls,
    heldBack: held.length,
    would,
    unrecorded: lost.filter((entry) => isUnrecorded(entry) && fits(entry, entry.at, filter)).length,
    actions: held.slice(0, filter.limit),
  };
}

/** Of those that met no action, only what could not be recorded was refused. */
function isUnrecorded({ reason }: SideEntry): boolean {
  return reason.startsWith('refused');
}

function fits(
  { tenant, tool }: { readonly tenant: string; readonly tool: string },
  at: number,
  filter: ObservedFilter,
): boolean {
  return (
    (filter.tenant === undefined || tenant === filter.tenant) &&
    (filter.tool === undefined || tool === filter.tool) &&
    (filter.since === undefined || at >= filter.since)
  );
}

const entriesMax = 10_000;

export function observedIn(
  { index, sides }: Pick<Parts, 'index' | 'sides'>,
  filter: ObservedFilter,
): ObservedReport {
  const { tenant, tool } = filter;
  const rows = index.list({
    ...(tenant === undefined ? {} : { tenant }),
    ...(tool === undefined ? {} : { tool }),
    guarantee: 'observed',
    limit: Infinity,
  });
  return observedReport(rows, sides.recent(entriesMax), filter);
}
