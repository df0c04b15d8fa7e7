// The order of what is not known, for people who work it off: what waits for a person first, then the
// oldest before. A place in it names a row, so that a list goes on where it was cut.
import { type ActionRow, type UnknownFilter, type UnknownPlace } from './action-index.ts';

export function unknownPlace({ owner, unknownSince, updatedAt, action }: ActionRow): UnknownPlace {
  return { owner: owner ?? 'operator', since: unknownSince ?? updatedAt, action };
}

export function isListedUnknown(row: ActionRow, filter: UnknownFilter): boolean {
  const { tenant, tool, owner, after } = filter;
  const place = unknownPlace(row);
  return (
    row.status === 'unknown' &&
    row.tenant === tenant &&
    (tool === undefined || row.tool === tool) &&
    (owner === undefined || place.owner === owner) &&
    (after === undefined || compareUnknowns(place, after) > 0)
  );
}

/** As the names of owners are sorted: operator, then reconciler. */
export function compareUnknowns(a: UnknownPlace, b: UnknownPlace): number {
  if (a.owner !== b.owner) return a.owner < b.owner ? -1 : 1;
  if (a.since !== b.since) return a.since - b.since;
  if (a.action === b.action) return 0;
  return a.action < b.action ? -1 : 1;
}

/** @param rows that fit */
export function firstUnknowns(rows: readonly ActionRow[], limit: number): readonly ActionRow[] {
  return [...rows]
    .sort((a, b) => compareUnknowns(unknownPlace(a), unknownPlace(b)))
    .slice(0, limit);
}
