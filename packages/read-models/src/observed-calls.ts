// What was only observed, summed up without reading every call: counted by what the ledger would have done,
// and of those that it would have kept from going out no more rows than are asked for.
import { isHeldBack, type ObservedWord, observedWords } from '@action-ledger/domain';
import { type ActionRow, type ObservedCalls, type ObservedFilter } from './action-index.ts';

/** Undefined where the ledger did more than observe. */
export function wouldOf({
  guarantee,
  observed,
}: Pick<ActionRow, 'guarantee' | 'observed'>): ObservedWord | undefined {
  return guarantee === 'observed' ? (observed?.would ?? 'send') : undefined;
}

/** @param rows each action once, in the order of planning */
export function observedAmong(rows: Iterable<ActionRow>, filter: ObservedFilter): ObservedCalls {
  const would = noneObserved();
  const heldBack: ActionRow[] = [];
  for (const row of rows) {
    const word = wouldOf(row);
    if (word === undefined || !fitsObserved(row, filter)) continue;
    would[word] += 1;
    if (isHeldBack(row.observed)) heldBack.push(row);
  }
  return { would, heldBack: newestOf(heldBack.reverse(), filter.limit) };
}

export function newestOf(rows: readonly ActionRow[], limit: number): readonly ActionRow[] {
  return [...rows].sort((a, b) => b.plannedAt - a.plannedAt).slice(0, limit);
}

export function noneObserved(): Record<ObservedWord, number> {
  return Object.fromEntries(observedWords.map((word) => [word, 0])) as Record<ObservedWord, number>;
}

export function fitsObserved(
  { tenant, tool, plannedAt }: ActionRow,
  filter: Omit<ObservedFilter, 'limit'>,
): boolean {
  return (
    (filter.tenant === undefined || tenant === filter.tenant) &&
    (filter.tool === undefined || tool === filter.tool) &&
    (filter.since === undefined || plannedAt >= filter.since)
  );
}
