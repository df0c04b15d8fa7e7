// `action-ledger actions list`: the newest actions of a ledger, by what they are and how they stand.
import { type ActionRow, rowOf } from '@action-ledger/application';
import { viewsPathOf } from '@action-ledger/client';
import { foldAction } from '@action-ledger/codec';
import {
  type Action,
  actionOfStream,
  type ActionStatus,
  streamOfAction,
} from '@action-ledger/domain';
import { type SqliteEventStore } from '@action-ledger/event-store-sqlite';
import { listFromViews, needsAttention, type ViewsListFilter } from '@action-ledger/read-models';
import { type Cli } from '../cli.ts';
import { count } from '../format/count.ts';
import { shortId } from '../ledger-file/find-action.ts';
import { foldLedger } from '../ledger-file/fold-ledger.ts';
import { type UrlOption, urlNamed } from '../ledger-file/ledger-at.ts';
import { type PathOption } from '../ledger-file/ledger-path.ts';
import { quarantined, quarantinedMax } from '../ledger-file/quarantined.ts';
import { readLedger } from '../ledger-file/read-ledger.ts';
import { sha256 } from '../sha256.ts';
import { actionsTable } from './actions-table.ts';
import { listActionsAt } from './list-actions-at.ts';

interface ActionFilter {
  readonly tenant?: string;
  readonly tool?: string;
  readonly status?: ActionStatus;
  readonly run?: string;
  /** Only those with something still to happen, or to be looked at by a person. */
  readonly open?: boolean;
}

export interface ListOptions extends ActionFilter, PathOption, UrlOption {
  readonly limit: number;
  readonly json?: boolean;
}

export async function listActions(cli: Cli, options: ListOptions): Promise<void> {
  const url = urlNamed(cli.io, options);
  if (url !== undefined) {
    await listActionsAt(cli, url, options);
    return;
  }
  await readLedger(cli.io, options, async (store, path) => {
    const list = (await fromViews(store, path, options)) ?? (await fromStreams(store, options));
    if (options.json === true) {
      cli.json({
        total: list.matching,
        actions: list.shown.map(rowOf) satisfies readonly ActionRow[],
        damaged: list.damaged,
      });
      return;
    }
    cli.io.out(actionsTable(cli, list.shown));
    cli.io.out(endOfList(cli, { path, list, options }));
  });
}

const streamsMax = 1_000;

interface Listed {
  readonly shown: readonly Action[];
  /** How many the filter fits. */
  readonly matching: number;
  /** How many there are. */
  readonly all: number;
  /** Ids of actions whose record does not hold together: they are in neither number. */
  readonly damaged: readonly string[];
}

/** Only the streams of what is shown are read. Undefined where the views cannot tell, or are not right. */
async function fromViews(
  store: SqliteEventStore,
  path: string,
  { limit, run, tenant, tool, status, open }: ListOptions,
): Promise<Listed | undefined> {
  // The views know who called first, not who joined; and reading that many streams costs more than all.
  if (run !== undefined || limit > streamsMax) return undefined;
  const filter = given({ tenant, tool, status, open });
  const list = await listFromViews({ viewsPath: viewsPathOf(path), store, filter, limit });
  if (list === undefined) return undefined;
  const shown: Action[] = [];
  for (const { action, revision } of list.shown) {
    const stream = streamOfAction(action);
    const folded = foldAction(sha256, stream, await store.readStream(stream));
    if (folded.kind === 'broken' || folded.action.revision < revision) return undefined;
    // A ledger that runs may have gone on since.
    if (fits(folded.action, filter)) shown.push(folded.action);
  }
  const damaged = await quarantined(store);
  // The views may still count them.
  if (damaged.length > 0) return undefined;
  return { shown, matching: list.matching, all: list.all, damaged };
}

function given(filter: {
  readonly [Name in keyof ViewsListFilter]: ActionFilter[Name] | undefined;
}): Omit<ActionFilter, 'run'> {
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
}

async function fromStreams(store: SqliteEventStore, options: ListOptions): Promise<Listed> {
  const { actions, broken } = await foldLedger(store, { sha256 });
  const found = [...broken.keys()].map((stream) => actionOfStream(stream) ?? stream);
  const damaged = new Set([...(await quarantined(store)), ...found]);
  const whole = actions.filter(({ id }) => !damaged.has(id));
  const matching = newestFirst(whole.filter((action) => fits(action, options)));
  const shown = matching.slice(0, options.limit);
  return { shown, matching: matching.length, all: whole.length, damaged: [...damaged].sort() };
}

function fits(action: Action, { tenant, tool, status, run, open }: ActionFilter): boolean {
  return (
    (tenant === undefined || action.tenant === tenant) &&
    (tool === undefined || action.tool === tool) &&
    (status === undefined || action.status === status) &&
    (run === undefined || action.calls.some((call) => call.run === run)) &&
    (open !== true || needsAttention(action))
  );
}

function newestFirst(actions: readonly Action[]): readonly Action[] {
  // Equal times keep the order of the store, turned round.
  return [...actions].reverse().sort((a, b) => b.plannedAt - a.plannedAt);
}

interface ListEnd {
  readonly path: string;
  readonly list: Listed;
  readonly options: ListOptions;
}

function endOfList({ style }: Cli, { path, list, options }: ListEnd): string {
  const { tenant, tool, status, run, open } = options;
  const isFiltered = [tenant, tool, status, run, open].some((filter) => filter !== undefined);
  const { matching: total, damaged } = list;
  const shown = list.shown.length;
  const all = `${path} holds ${count(list.all, 'action')}`;
  const lines: string[] = [];
  if (total === 0) lines.push(isFiltered ? `Nothing fits; ${all}.` : `No actions yet in ${path}.`);
  else if (shown < total)
    lines.push(`${shown} of ${count(total, 'action')}; --limit ${total} shows all.`);
  else
    lines.push(
      isFiltered ? `${count(total, 'action')}; ${all}.` : `${count(total, 'action')} in ${path}.`,
    );
  if (damaged.length > 0) lines.push(style.bad(damagedText(damaged)));
  return lines.map((line) => `${line}\n`).join('');
}

const damagedShown = 5;

/** Under whatever filter: what such an action is cannot be told. */
function damagedText(damaged: readonly string[]): string {
  const names = damaged.slice(0, damagedShown).map(shortId).join(', ');
  const more = damaged.length > damagedShown ? ', …' : '';
  const least = damaged.length >= quarantinedMax ? 'At least ' : '';
  return `${least}${count(damaged.length, 'damaged action')}, not listed: ${names}${more}. Nothing in a damaged one runs; action-ledger verify says what is wrong.`;
}
