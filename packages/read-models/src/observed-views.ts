// What was only observed, as a views file has it, joined with what was noted since it was written. Both
// questions go by an index that holds all that they ask by: a million calls are counted without their rows.
import { type DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { isHeldBack, type ObservedWord, observedWords } from '@action-ledger/domain';
import { type ActionRow, type ObservedCalls, type ObservedFilter } from './action-index.ts';
import { fitsObserved, newestOf, noneObserved, wouldOf } from './observed-calls.ts';
import { rowColumns, rowFrom } from './views-reader.ts';

interface Query {
  readonly sql: string;
  readonly values: readonly SQLInputValue[];
}

/** @param noted rows that the file may not have, or not as they stand by now */
export type ObservedViews = (filter: ObservedFilter, noted: Iterable<ActionRow>) => ObservedCalls;

export function createObservedViews(db: DatabaseSync): ObservedViews {
  const statements = new Map<string, StatementSync>();
  const ask = ({ sql, values }: Query): readonly Readonly<Record<string, unknown>>[] => {
    const statement = statements.get(sql) ?? db.prepare(sql);
    statements.set(sql, statement);
    return statement.all(...values);
  };
  return (filter, allNoted) => {
    const noted = [...allNoted].filter(
      (row) => wouldOf(row) !== undefined && fitsObserved(row, filter),
    );
    const would = noneObserved();
    for (const row of ask(countQuery(filter, noted)))
      would[row['would'] as ObservedWord] += Number(row['number']);
    const rows = new Map(
      noted.filter(({ observed }) => isHeldBack(observed)).map((row) => [row.action, row]),
    );
    for (const row of ask(heldBackQuery(filter, filter.limit + rows.size)).map(rowFrom))
      if ((rows.get(row.action)?.revision ?? -1) < row.revision) rows.set(row.action, row);
    return { would, heldBack: newestOf([...rows.values()], filter.limit) };
  };
}

/** In one statement, so that what is written meanwhile is counted neither twice nor not at all. */
function countQuery(filter: ObservedFilter, noted: readonly ActionRow[]): Query {
  const { sql, values } = conditionOf(filter);
  const words = observedWords.map((word) => `'${word}'`).join(', ');
  const unwritten = noted.map((row) => {
    const { tenant, tool, plannedAt, action } = row;
    return [tenant, wouldOf(row), plannedAt, tool, action];
  });
  return {
    sql: `
      select would, count(*) as number from actions indexed by actions_observed
      where would in (${words}) ${sql} group by tenant, would
      union all
      select value ->> 1, count(*) from json_each(?) as noted
      where not exists (
        select 1 from actions indexed by actions_observed
        where tenant = noted.value ->> 0 and would = noted.value ->> 1
          and planned_at = noted.value ->> 2 and tool = noted.value ->> 3
          and action = noted.value ->> 4)
      group by value ->> 1`,
    values: [...values, JSON.stringify(unwritten)],
  };
}

function heldBackQuery(filter: ObservedFilter, max: number): Query {
  const { sql, values } = conditionOf(filter);
  return {
    sql: `
      select ${rowColumns} from actions where position in (
        select position from actions indexed by actions_held_back
        where would <> 'send' ${sql} order by planned_at desc, position desc limit ?)
      order by position desc`,
    values: [...values, max],
  };
}

function conditionOf({ tenant, tool, since }: ObservedFilter): Query {
  const terms: readonly (readonly [string, string | number | undefined])[] = [
    ['tenant = ?', tenant],
    ['tool = ?', tool],
    ['planned_at >= ?', since],
  ];
  const given = terms.flatMap(([condition, value]) =>
    value === undefined ? [] : [{ condition, value }],
  );
  return {
    sql: given.map(({ condition }) => `and ${condition}`).join(' '),
    values: given.map(({ value }) => value),
  };
}
