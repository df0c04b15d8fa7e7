// Lists, histories and pauses. Of the tenant of the key, and as promises: what an embedded ledger knows at
// once has to be asked for here.
import type {
  ActionRow,
  EvidenceRequest,
  Ledger as Core,
  ListFilter,
  ObservedFilter,
  ObservedReport,
  Pause,
  SideEntry,
  UnknownFilter,
} from '@action-ledger/application';
import { type JsonObject } from '@action-ledger/domain';
import { type Ask } from './ask.ts';
import { noNames, notRemote, type WithoutNames } from './names-by-key.ts';
import { refusalOf, thrownFor, unreadable } from './read-answer.ts';
import { actionOf, given, listIn, type RemoteAction } from './shown.ts';
import { pathOf } from './until-rested.ts';

export type RemoteListFilter = Omit<ListFilter, 'tenant' | 'plannedUntil'>;
export type RemoteUnknownFilter = Omit<UnknownFilter, 'tenant' | 'after'>;
export type RemoteObservedFilter = Partial<Omit<ObservedFilter, 'tenant'>>;

/** Of the key's own tenant. */
export interface RemotePauseRequest {
  /** Without it: every tool. */
  readonly tool?: string;
  readonly reason: string;
}

export interface RemoteResumeRequest extends RemotePauseRequest {
  /** The `revision` of the pause that its author saw. */
  readonly revisionSeen: number;
}

export interface RecordedActionEvent {
  readonly revision: number;
  readonly position: number;
  readonly type: string;
  readonly at: number;
  readonly by?: string;
  readonly data: JsonObject;
  /** After this event, where it was asked for. */
  readonly state?: RemoteAction;
}

export interface EventsFilter {
  /** The first revision wanted. Default 0. */
  readonly from?: number;
  /** With the state after each event. */
  readonly state?: boolean;
}

/** A report as it was sent, when, and until when it is kept; both in wall-clock ms since the epoch. */
export type RemoteWaitingReport = WithoutNames<EvidenceRequest> & {
  readonly at: number;
  readonly until: number;
};

export interface Reading {
  /** Newest first. */
  list(filter: RemoteListFilter): Promise<readonly ActionRow[]>;
  /** What is not known: what waits for a person first, then the oldest before. */
  unknowns(filter: RemoteUnknownFilter): Promise<readonly ActionRow[]>;
  sideEntries(limit: number): Promise<readonly SideEntry[]>;
  /** What was only observed, and what the ledger would have done. */
  observed(filter?: RemoteObservedFilter): Promise<ObservedReport>;
  /** Reports of the tenant that match no action yet, oldest first. */
  waitingReports(): Promise<readonly RemoteWaitingReport[]>;
  /** Oldest first; empty where there is no such action. */
  events(actionId: string, filter?: EventsFilter): Promise<readonly RecordedActionEvent[]>;
  /** Of the tenant, and of every tenant. */
  pauses(): Promise<readonly Pause[]>;
  pause(request: RemotePauseRequest): ReturnType<Core['pause']>;
  resume(request: RemoteResumeRequest): ReturnType<Core['resume']>;
}

export function reading(ask: Ask): Reading {
  const get = (path: string): Promise<Page> => askedFor(ask, path);
  return {
    list: async (filter) => {
      noFilter('list', filter, ['tenant', 'plannedUntil']);
      const { limit, tool, status, run } = filter;
      return pages(get, 'v1/actions', 'actions', given({ tool, status, run }), limit, 200);
    },
    unknowns: async (filter) => {
      noFilter('unknowns', filter, ['tenant', 'after']);
      const { limit, tool, owner } = filter;
      return pages(get, 'v1/unknowns', 'unknowns', given({ tool, owner }), limit, 100);
    },
    sideEntries: async (limit) => {
      const most = Math.min(Math.max(Math.trunc(limit), 1), sideEntriesMax);
      return listIn<SideEntry>(await get(`v1/side-entries?limit=${most}`), 'entries').slice(
        0,
        limit,
      );
    },
    observed: async (filter = {}) => {
      noFilter('observed', filter, ['tenant']);
      const { tool, since, limit } = filter;
      const query = new URLSearchParams(
        given({ tool, since: since?.toString(), limit: limit?.toString() }),
      );
      return (await get(`v1/observed?${query.toString()}`)) as unknown as ObservedReport;
    },
    waitingReports: async () =>
      listIn<RemoteWaitingReport>(await get('v1/evidence?limit=1000'), 'reports'),
    events: (actionId, filter = {}) => eventsOf(ask, actionId, filter),
    pauses: async () => listIn<Pause>(await get('v1/pauses'), 'pauses'),
    pause: (request) => ofPause(ask, 'v1/pauses', request),
    resume: (request) => ofPause(ask, 'v1/pauses/resume', request),
  };
}

const sideEntriesMax = 1_000;

export type Page = Readonly<Record<string, unknown>>;

export async function askedFor(ask: Ask, path: string): Promise<Page> {
  const told = await ask({ method: 'GET', path });
  if (told.kind !== 'answer') throw thrownFor(told);
  return told.body;
}

/** What cannot be asked is told, and not left out: the list would be another one. */
export function noFilter(what: string, filter: object, names: readonly string[]): void {
  const name = names.find((each) => (filter as Page)[each] !== undefined);
  if (name !== undefined) throw notRemote(`\`${name}\` of ${what} cannot be asked over HTTP.`);
}

/** Rows that are asked for at once, and pages that are asked for at the most. */
const pagesMax = 1_000;

export async function pages<Row>(
  get: (path: string) => Promise<Page>,
  path: string,
  name: string,
  filter: Readonly<Record<string, string>>,
  limit: number,
  pageMax: number,
): Promise<readonly Row[]> {
  const rows: Row[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < pagesMax && rows.length < limit; page += 1) {
    const size = String(Math.min(limit - rows.length, pageMax));
    const query = new URLSearchParams({ ...filter, limit: size, ...given({ cursor }) });
    const found = await get(`${path}?${query.toString()}`);
    rows.push(...listIn<Row>(found, name));
    const next = found['next'];
    if (typeof next !== 'string') break;
    cursor = next;
  }
  return rows;
}

const eventsAtOnce = 1_000;

async function eventsOf(
  ask: Ask,
  actionId: string,
  { from = 0, state = false }: EventsFilter,
): Promise<readonly RecordedActionEvent[]> {
  const events: RecordedActionEvent[] = [];
  let next: unknown = from;
  for (let page = 0; page < pagesMax && typeof next === 'number'; page += 1) {
    const query = `from=${next}&limit=${eventsAtOnce}&state=${state}`;
    const told = await ask({ method: 'GET', path: `${pathOf(actionId, '/events')}?${query}` });
    if (told.kind === 'problem' && told.problem.code === 'action.unknown') return [];
    if (told.kind !== 'answer') throw thrownFor(told);
    const found = listIn<RecordedActionEvent>(told.body, 'events');
    events.push(...found.map((each) => (each.state === undefined ? each : withState(each))));
    next = told.body['next'];
  }
  return events;
}

function withState(event: RecordedActionEvent): RecordedActionEvent {
  return { ...event, state: actionOf(event.state) };
}

async function ofPause(
  ask: Ask,
  path: string,
  request: RemotePauseRequest & { readonly revisionSeen?: number },
): ReturnType<Core['pause']> {
  noNames('a pause', request);
  const { tool, reason, revisionSeen } = request;
  const told = await ask({ method: 'POST', path, body: given({ tool, reason, revisionSeen }) });
  if (told.kind === 'fault') throw thrownFor(told);
  if (told.kind === 'problem') return refusalOf(told);
  const { pause } = told.body;
  if (typeof pause !== 'object' || pause === null) throw unreadable();
  return pause as Pause;
}
