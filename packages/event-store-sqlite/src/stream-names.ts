// Names of streams that begin alike, by the index and by the rows that it still lacks: without reading
// what the streams hold.
import { type DatabaseSync } from 'node:sqlite';
import { soundRow } from './event-table.ts';

/** Above every character of a name. */
const afterAll = '\u{10ffff}';

/**
 * In the order of names, at most `max`. Within a transaction, or where nobody else writes.
 * @param through up to where the index goes
 */
export function streamNames(
  db: DatabaseSync,
  through: number,
  start: string,
  max: number,
): readonly string[] {
  const names = db.prepare(`
    select name from streams where name >= :start and name < :end
    union
    select stream from events
    where position > :through and ${soundRow} and stream >= :start and stream < :end
    order by 1 limit :max`);
  const found = names.all({ through, start, end: `${start}${afterAll}`, max });
  return (found as unknown as readonly { readonly name: string }[]).map(({ name }) => name);
}
