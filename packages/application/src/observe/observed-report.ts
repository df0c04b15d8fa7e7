// What the ledger only observed, in numbers and as a list: how many calls went out, and which of them it
// would have kept from going out.
import { type ObservedWord } from '@action-ledger/domain';
import { type Parts } from '../core/parts.ts';
import { type ActionIndex, type ActionRow, type ObservedFilter } from '../record/action-index.ts';
import { type SideEntry } from '../record/side-table.ts';

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

/** @param entries that tell of calls without a record */
export function observedReport(
  index: Pick<ActionIndex, 'observed'>,
  entries: readonly SideEntry[],
  filter: ObservedFilter,
): ObservedReport {
  const { would, heldBack: actions } = index.observed(filter);
  const calls = Object.values(would).reduce((sum, number) => sum + number, 0);
  const lost = entries.filter(({ kind, action }) => kind === 'observed' && action === '');
  return {
    calls,
    heldBack: calls - would.send,
    would,
    unrecorded: lost.filter((entry) => isUnrecorded(entry) && fits(entry, filter)).length,
    actions,
  };
}

/** Of those that met no action, only what could not be recorded was refused. */
function isUnrecorded({ reason }: SideEntry): boolean {
  return reason.startsWith('refused');
}

function fits({ tenant, tool, at }: SideEntry, filter: ObservedFilter): boolean {
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
  return observedReport(index, sides.recent(entriesMax), filter);
}
