// What has to be found without knowing an action's id: open actions, external ids, effects that an
// undoer can undo, lists. Rebuildable from the streams; `note` is told every append of this process
// before anyone is answered, so what it says is never behind.
import {
  type Action,
  type ActionStatus,
  isOpen,
  type ObservedWord,
  type ToldObserved,
  toldObserved,
} from '@action-ledger/domain';
import { type WorkflowIndex } from './workflow-index.ts';

export interface ActionRow {
  readonly action: string;
  readonly tenant: string;
  readonly tool: string;
  readonly run?: string;
  readonly epoch: number;
  readonly status: ActionStatus;
  readonly guarantee: string;
  readonly attempts: number;
  readonly plannedAt: number;
  readonly updatedAt: number;
  readonly revision: number;
  readonly owner?: 'reconciler' | 'operator';
  readonly nextCheckAt?: number;
  readonly unknownSince?: number;
  readonly externalId?: string;
  readonly incidents: number;
  /** The ledger only observed its call. */
  readonly observed?: ToldObserved;
}

export interface ListFilter {
  readonly tenant?: string;
  readonly tool?: string;
  readonly status?: ActionStatus;
  readonly run?: string;
  /** Planned then or earlier, in ms since the epoch: to go on from a list that was cut. */
  readonly plannedUntil?: number;
  /** Newest first, by when they were planned. */
  readonly limit: number;
}

export interface UnknownPlace {
  readonly owner: 'reconciler' | 'operator';
  /** Wall-clock ms since the epoch. */
  readonly since: number;
  readonly action: string;
}

export interface UnknownFilter {
  readonly tenant: string;
  readonly tool?: string;
  readonly owner?: 'reconciler' | 'operator';
  /** Only what comes after it. */
  readonly after?: UnknownPlace;
  readonly limit: number;
}

export interface ObservedFilter {
  readonly tenant?: string;
  readonly tool?: string;
  /** Planned then or later, in wall-clock ms since the epoch. */
  readonly since?: number;
  /** So many rows at most; the numbers count all. */
  readonly limit: number;
}

export interface ObservedCalls {
  readonly would: Readonly<Record<ObservedWord, number>>;
  /** Those that would have been held back, newest first. */
  readonly heldBack: readonly ActionRow[];
}

/** A field of an undoable effect, by which its undoer names it. */
export interface MatchKey {
  readonly tenant: string;
  readonly tool: string;
  /** `arguments.x` or `outcome.x`. */
  readonly path: string;
  /** Canonical text of the value. */
  readonly value: string;
}

/** What the provider of a tool knows an action by: the downstream key, or its own id of the effect. */
export type ProviderName = {
  readonly tenant: string;
  readonly value: string;
} & ({ readonly as: 'downstream key' } | { readonly as: 'external id'; readonly tool: string });

export interface ActionIndex {
  /**
   * @param matches all keys by which an undoer can find it. Streams that only reserve a name are
   *   passed over.
   */
  note(action: Action, matches: readonly MatchKey[]): void;
  /**
   * Those with something still to happen, with an incident that is open, or whose compensation failed;
   * in no set order.
   */
  openActions(): readonly string[];
  /** Succeeded actions that declared the match and are not undone, oldest first. */
  undoable(key: MatchKey): readonly string[];
  /** The action that recorded it first. */
  ownerOfExternalId(tenant: string, tool: string, externalId: string): string | undefined;
  /**
   * The actions that a provider knows by this name, oldest first, at most two: an external id counts
   * where it is the outcome's, and where a proven success was reported with it.
   */
  knownAs(name: ProviderName): readonly string[];
  list(filter: ListFilter): readonly ActionRow[];
  /** What waits for a person first, then the oldest before. */
  unknowns(filter: UnknownFilter): readonly ActionRow[];
  /** What the ledger only observed. */
  observed(filter: ObservedFilter): ObservedCalls;
  readonly workflows: WorkflowIndex;
  /** What is not written yet is written first. Calling it again changes nothing. */
  close(): Promise<void>;
}

export function rowOf(action: Action): ActionRow {
  const run = action.calls[0]?.run;
  const externalId = action.outcome?.externalId;
  return {
    action: action.id,
    tenant: action.tenant,
    tool: action.tool,
    epoch: action.epoch,
    status: action.status,
    guarantee: action.guarantee,
    attempts: action.attempts.length,
    plannedAt: action.plannedAt,
    updatedAt: action.updatedAt,
    revision: action.revision,
    incidents: action.incidents.length,
    ...(run === undefined ? none : { run }),
    ...(action.watch === undefined ? none : action.watch),
    ...(action.unknownSince === undefined ? none : { unknownSince: action.unknownSince }),
    ...(externalId === undefined ? none : { externalId }),
    ...(action.observed === undefined ? none : { observed: toldObserved(action.observed) }),
  };
}

const none = {};

/** Not a name that is only kept from being taken. */
export function isIndexed(action: Action): boolean {
  return action.status !== 'new' && action.status !== 'reserved';
}

/** Also where nothing happens by itself any more: a compensation that failed has an owner, a person. */
export function needsAttention(action: Action): boolean {
  return isOpen(action) || action.incidents.length > 0 || action.status === 'compensation_failed';
}

/** Its effect stands: also where what was to undo it has failed. */
export function isUndoable({ status, undoneBy }: Action): boolean {
  return (status === 'succeeded' || status === 'compensation_failed') && undoneBy === undefined;
}

export function matchText({ tenant, tool, path, value }: MatchKey): string {
  return JSON.stringify([tenant, tool, path, value]);
}

export function externalIdText(tenant: string, tool: string, externalId: string): string {
  return JSON.stringify([tenant, tool, externalId]);
}

/** More than one is all that needs to be known: a name that is not one action's matches none. */
export const knownAsMax = 2;

export function providerNameText(name: ProviderName): string {
  const { tenant, value } = name;
  return name.as === 'downstream key'
    ? JSON.stringify([tenant, value])
    : externalIdText(tenant, name.tool, value);
}

/** Each once. */
export function providerNamesOf(action: Action): readonly ProviderName[] {
  const { tenant, tool, downstreamKey } = action;
  const ids = [action.outcome?.externalId, ...reportedIds(action)];
  return [
    ...(downstreamKey === undefined
      ? []
      : [{ as: 'downstream key', tenant, value: downstreamKey } as const]),
    ...[...new Set(ids)].flatMap((value) =>
      value === undefined ? [] : [{ as: 'external id', tenant, tool, value } as const],
    ),
  ];
}

/** Of proven successes, as they were reported. */
export function reportedIds({ evidence }: Action): readonly string[] {
  return evidence.flatMap(({ claims, externalId }) =>
    claims === 'success' && externalId !== undefined ? [externalId] : [],
  );
}

export function fits(row: ActionRow, filter: ListFilter): boolean {
  const { tenant, tool, status, run, plannedUntil } = filter;
  return (
    (tenant === undefined || row.tenant === tenant) &&
    (tool === undefined || row.tool === tool) &&
    (status === undefined || row.status === status) &&
    (run === undefined || row.run === run) &&
    (plannedUntil === undefined || row.plannedAt <= plannedUntil)
  );
}
