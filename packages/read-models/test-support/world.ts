// A memory store with actions in it, and the index that is told of each append, as a ledger does it.
import { hash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sealEvents } from '@action-ledger/codec';
import {
  type Action,
  actionIdOf,
  type ActionEvent,
  canonicalJson,
  chainStart,
  evolve,
  type EventData,
  type JsonValue,
  newAction,
  streamOfAction,
} from '@action-ledger/domain';
import {
  createMemoryEventStore,
  type EventStore,
  type MemoryEventStore,
} from '@action-ledger/event-store';
import {
  type ActionIndex,
  type MatchKey,
  openSqliteActionIndex,
  type SqliteActionIndex,
  type SqliteActionIndexOptions,
} from '../src/index.ts';
import { planned } from './samples.ts';

const sha256 = (text: string): string => hash('sha256', text, 'base64url');

export function idOf(name: string): string {
  return actionIdOf(sha256(name), 0);
}

/** An undoer finds a booking by its order, once it has an outcome. */
export function matchesOf(action: Action): readonly MatchKey[] {
  if (action.tool !== 'book' || action.outcome === undefined) return [];
  return [orderKey(action.tenant, action.arguments['order'])];
}

export function orderKey(tenant: string, order: JsonValue | undefined): MatchKey {
  return {
    tenant,
    tool: 'book',
    path: '["arguments.order"]',
    value: canonicalJson([order ?? null]),
  };
}

export interface World {
  readonly store: MemoryEventStore;
  readonly actions: ReadonlyMap<string, Action>;
  /** Appends, then tells the indexes. Time goes on by 10 ms. */
  append(name: string, ...events: readonly ActionEvent[]): Promise<Action>;
  /** Told of each append from now on; the append has ended when `noted` has. */
  tell(index: Pick<ActionIndex, 'note'>, noted?: () => Promise<void>): void;
}

export function createWorld(
  store = createMemoryEventStore(),
  { at: start = 1_000 }: { readonly at?: number } = {},
): World {
  const actions = new Map<string, Action>();
  const hashes = new Map<string, string>();
  const told: (readonly [Pick<ActionIndex, 'note'>, () => Promise<void>])[] = [];
  let at = start;
  let ids = 0;
  const nextId = (): string => {
    ids += 1;
    return `e-${start}-${ids}`;
  };
  return {
    store,
    actions,
    tell: (index, noted = () => Promise.resolve()) => told.push([index, noted]),
    append: async (name, ...events) => {
      at += 10;
      const id = idOf(name);
      const stream = streamOfAction(id);
      const before = actions.get(id) ?? newAction(id);
      let action = before;
      for (const event of events)
        action = evolve(action, event, { revision: action.revision + 1, at });
      const sealed = sealEvents(
        { sha256, nextId, at },
        hashes.get(id) ?? chainStart(stream),
        events,
      );
      const expected = before.revision < 0 ? 'no stream' : before.revision;
      await store.append(stream, expected, sealed.events);
      actions.set(id, action);
      hashes.set(id, sealed.hash);
      for (const [index, noted] of told) {
        index.note(action, matchesOf(action));
        await noted();
      }
      return action;
    },
  };
}

export const plan = (changes: Partial<EventData['ActionPlanned']> = {}): ActionEvent => ({
  type: 'ActionPlanned',
  data: { ...planned(1), tenant: 't-1', tool: 'book', ...changes },
});

export const send: readonly ActionEvent[] = [
  { type: 'ActionClaimed', data: { worker: 'w', leaseUntil: 1 } },
  {
    type: 'ActionDispatched',
    data: { attempt: 1, downstreamKey: 'key', deadlineAt: 1, inFlightMs: 1 },
  },
];

export const done = (externalId?: string): ActionEvent => ({
  type: 'ActionSucceeded',
  data: { attempt: 1, result: null, ...(externalId === undefined ? {} : { externalId }) },
});

export const doubt: ActionEvent = {
  type: 'ActionOutcomeUnknown',
  data: { attempt: 1, reason: 'timeout', answered: false, owner: 'reconciler', nextCheckAt: 7 },
};

export const undone: ActionEvent = { type: 'ActionUndone', data: { by: 'undoer' } };

/** Planned, sent and succeeded, in two appends. */
export async function finish(
  world: World,
  name: string,
  changes: Partial<EventData['ActionPlanned']> & { readonly externalId?: string } = {},
): Promise<Action> {
  const { externalId, ...planning } = changes;
  await world.append(name, plan(planning), ...send);
  return world.append(name, done(externalId));
}

export interface Folder {
  readonly path: string;
  open(store: EventStore, options?: Partial<SqliteActionIndexOptions>): Promise<SqliteActionIndex>;
  remove(): void;
}

/** A folder for views files. */
export function createFolder(runtime: SqliteActionIndexOptions['runtime']): Folder {
  const folder = mkdtempSync(join(tmpdir(), 'action-ledger-views-'));
  const path = join(folder, 'ledger.views');
  return {
    path,
    open: (store, options = {}) =>
      openSqliteActionIndex({ path, store, runtime, matchesOf, matchRules: 'rules', ...options }),
    remove: () => {
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
