// What a views file answers. Every question goes by an index that yields its rows in the order of
// planning, so that an answer costs what it returns, however large the file is.
import { type DatabaseSync, type StatementSync } from 'node:sqlite';
import { type ActionStatus } from '@action-ledger/domain';
import {
  type ActionRow,
  knownAsMax,
  type ListFilter,
  type ProviderName,
  type UnknownFilter,
} from './action-index.ts';
import { type SideEntry } from './side-entry.ts';

/** What the file says of an action, by which an overlay tells whether it knows better. */
export interface ActionRevision {
  readonly action: string;
  readonly revision: number;
}

export interface ActionState extends ActionRevision {
  readonly status: ActionStatus;
}

export interface ViewsReader {
  needingAttention(): readonly ActionRevision[];
  /** Oldest first. */
  undoable(match: string): readonly (ActionRevision & { readonly plannedAt: number })[];
  ownerOfExternalId(tenant: string, tool: string, externalId: string): string | undefined;
  /** At most two, oldest first. */
  knownAs(name: ProviderName): readonly (ActionRevision & { readonly plannedAt: number })[];
  /** Newest first, those that are wanted, without a bound: read what you need. */
  list(filter: ListFilter, isWanted: (row: ActionRevision) => boolean): Iterable<ActionRow>;
  /** In their order, those that are wanted, without a bound: read what you need. */
  unknowns(filter: UnknownFilter, isWanted: (row: ActionRevision) => boolean): Iterable<ActionRow>;
  /** Of every action, in the order of planning. */
  states(): Iterable<ActionState>;
  /** Newest first. */
  sideEntries(options: { readonly before: number; readonly limit: number }): readonly SideEntry[];
  /** 0 where there is none. */
  lastSideNumber(): number;
}

export const rowColumns = `action, tenant, tool, run, epoch, status, guarantee, attempts,
  planned_at as plannedAt, updated_at as updatedAt, revision, owner,
  next_check_at as nextCheckAt, unknown_since as unknownSince, external_id as externalId, incidents, observed`;

export function createViewsReader(db: DatabaseSync): ViewsReader {
  const attention = db.prepare(
    'select action, revision from actions where needs_attention = 1 order by position',
  );
  const undoable = db.prepare(`
    select action, revision, planned_at as plannedAt from undoable join actions using (position)
    where match = ? order by position`);
  const owner = db.prepare(`
    select action from actions where external_id = ? and tenant = ? and tool = ?
    order by outcome_at, position limit 1`);
  const byKey = db.prepare(`
    select action, revision, planned_at as plannedAt
    from actions indexed by actions_by_downstream_key
    where downstream_key = ? and tenant = ? order by position limit ${knownAsMax}`);
  const byId = db.prepare(`
    select action, revision, planned_at as plannedAt from actions
    where position in (
      select position from actions indexed by actions_by_external_id where external_id = ?1
      union select position from reported_ids where external_id = ?1
    ) and tenant = ?2 and tool = ?3 order by position limit ${knownAsMax}`);
  const states = db.prepare('select action, revision, status from actions order by position');
  const sides = db.prepare(
    'select entry from side_entries where number < ? order by number desc limit ?',
  );
  const lastSide = db.prepare('select max(number) as number from side_entries');
  const lists = new Map<string, StatementSync>();

  return {
    needingAttention: () => attention.all() as unknown as readonly ActionRevision[],
    undoable: (match) => undoable.all(match) as unknown as ReturnType<ViewsReader['undoable']>,
    ownerOfExternalId: (tenant, tool, externalId) =>
      owner.get(externalId, tenant, tool)?.['action'] as string | undefined,
    knownAs: (name) => {
      const { tenant, value } = name;
      const rows =
        name.as === 'downstream key'
          ? byKey.all(value, tenant)
          : byId.all(value, tenant, name.tool);
      return rows as unknown as ReturnType<ViewsReader['knownAs']>;
    },
    list: (filter, isWanted) => {
      const { sql, values } = listQuery(filter);
      const statement = lists.get(sql) ?? db.prepare(sql);
      lists.set(sql, statement);
      return rowsOf(statement, values, isWanted);
    },
    unknowns: (filter, isWanted) => {
      const { sql, values } = unknownQuery(filter);
      const statement = lists.get(sql) ?? db.prepare(sql);
      lists.set(sql, statement);
      return rowsOf(statement, values, isWanted);
    },
    states: () => states.iterate() as unknown as Iterable<ActionState>,
    lastSideNumber: () => (lastSide.get()?.['number'] ?? 0) as number,
    sideEntries: ({ before, limit }) =>
      sides.all(before, limit).map((row) => JSON.parse(row['entry'] as string) as SideEntry),
  };
}

function* rowsOf(
  statement: StatementSync,
  values: readonly (string | number)[],
  isWanted: (row: ActionRevision) => boolean,
): Generator<ActionRow> {
  for (const row of statement.iterate(...values)) {
    if (isWanted(row as unknown as ActionRevision)) yield rowFrom(row);
  }
}

/**
 * One index is named, the one that leaves fewest rows; the planner has no statistics to choose by.
 * The condition of a partial index must stand in the query as it stands in the index.
 */
function listQuery({ tenant, tool, status, run, plannedUntil }: ListFilter): {
  readonly sql: string;
  readonly values: readonly (string | number)[];
} {
  const terms: [string, string | number | undefined][] = [
    ['tenant = ?', tenant],
    ['tool = ?', tool],
    ['status = ?', status],
    ['run = ?', run],
    ['planned_at <= ?', plannedUntil],
  ];
  const given = terms.filter((term): term is [string, string | number] => term[1] !== undefined);
  const isUnusual = status !== undefined && status !== 'succeeded';
  const conditions = given.map(([condition]) => condition);
  if (isUnusual) conditions.push(`status <> 'succeeded'`);
  const index = indexFor(tenant !== undefined, tool !== undefined, isUnusual, run !== undefined);
  const where = conditions.length === 0 ? '' : `where ${conditions.join(' and ')}`;
  return {
    sql: `select ${rowColumns} from actions ${index} ${where} order by position desc`,
    values: given.map(([, value]) => value),
  };
}

function unknownQuery({ tenant, tool, owner, after }: UnknownFilter): {
  readonly sql: string;
  readonly values: readonly (string | number)[];
} {
  const conditions = [
    `status = 'unknown' and tenant = ?`,
    ...(owner === undefined ? [] : ['owner = ?']),
    ...(after === undefined ? [] : ['(owner, unknown_since, action) > (?, ?, ?)']),
    ...(tool === undefined ? [] : ['tool = ?']),
  ];
  return {
    sql: `select ${rowColumns} from actions indexed by actions_unknown
      where ${conditions.join(' and ')} order by owner, unknown_since, action`,
    values: [
      tenant,
      ...(owner === undefined ? [] : [owner]),
      ...(after === undefined ? [] : [after.owner, after.since, after.action]),
      ...(tool === undefined ? [] : [tool]),
    ],
  };
}

function indexFor(tenant: boolean, tool: boolean, unusual: boolean, run: boolean): string {
  if (run) return 'indexed by actions_by_run';
  if (unusual) return `indexed by ${tenant ? 'actions_by_tenant_status' : 'actions_by_status'}`;
  if (tool) return `indexed by ${tenant ? 'actions_by_tenant_tool' : 'actions_by_tool'}`;
  return tenant ? 'indexed by actions_by_tenant' : 'not indexed';
}

export function rowFrom(row: Readonly<Record<string, unknown>>): ActionRow {
  const given: Record<string, unknown> = {};
  for (const name in row) if (row[name] !== null) given[name] = row[name];
  const { observed } = given;
  if (typeof observed === 'string') given['observed'] = JSON.parse(observed);
  return given as unknown as ActionRow;
}
