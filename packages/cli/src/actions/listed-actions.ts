// The actions of a file that fit a filter, newest first: by its views where they can tell, else by every stream.
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
import { count } from '../format/count.ts';
import { shortId } from '../ledger-file/find-action.ts';
import { foldLedger } from '../ledger-file/fold-ledger.ts';
import { quarantined, quarantinedMax } from '../ledger-file/quarantined.ts';
import { sha256 } from '../sha256.ts';

export interface ActionFilter {
  readonly tenant?: string;
  readonly tool?: string;
  readonly status?: ActionStatus;
  readonly run?: string;
  /** Only those with something still to happen, or to be looked at by a person. */
  readonly open?: boolean;
}

export interface ListedOptions extends ActionFilter {
  readonly limit: number;
}

/** @throws StoreFault */
export async function listedIn(
  store: SqliteEventStore,
  path: string,
  options: ListedOptions,
): Promise<Listed> {
  return (await fromViews(store, path, options)) ?? fromStreams(store, options);
}

const streamsMax = 1_000;

export interface Listed {
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
  { limit, run, tenant, tool, status, open }: ListedOptions,
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

async function fromStreams(store: SqliteEventStore, options: ListedOptions): Promise<Listed> {
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

const damagedShown = 5;

/** Under whatever filter: what such an action is cannot be told. */
export function damagedText(damaged: readonly string[]): string {
  const names = damaged.slice(0, damagedShown).map(shortId).join(', ');
  const more = damaged.length > damagedShown ? ', …' : '';
  const least = damaged.length >= quarantinedMax ? 'At least ' : '';
  return `${least}${count(damaged.length, 'damaged action')}, not listed: ${names}${more}. Nothing in a damaged one runs; action-ledger verify says what is wrong.`;
}
