// The index of a ledger: in a file beside its store, or in memory where there is no file.
import {
  type ActionIndex,
  createMemoryActionIndex,
  matchesOf,
  rebuildIndex,
  type SideEntry,
} from '@action-ledger/application';
import { type EventStore } from '@action-ledger/event-store';
import { openSqliteActionIndex } from '@action-ledger/read-models';
import { type Runtime } from '@action-ledger/runtime';
import { type ToolSet } from '@action-ledger/tools';
import { matchRulesOf } from './match-rules.ts';
import { startViewsThread } from './views-thread.ts';

export interface OpenIndexOptions {
  /** Of the store's file; undefined where the store has none. */
  readonly path: string | undefined;
  readonly store: EventStore;
  readonly runtime: Runtime;
  readonly tools: ToolSet;
  readonly onFault: (where: string, fault: unknown) => void;
}

export interface OpenIndex {
  readonly index: ActionIndex;
  readonly addSideEntries: (entries: readonly SideEntry[]) => void;
  /** Of earlier processes on this file, newest first. */
  readonly earlierSideEntries: (limit: number) => readonly SideEntry[];
}

export function viewsPathOf(storePath: string): string {
  return `${storePath}.views`;
}

/** Caught up with the store when it resolves. */
export async function openIndex(options: OpenIndexOptions): Promise<OpenIndex> {
  const { path, store, runtime, tools, onFault } = options;
  if (path === undefined || path === ':memory:') {
    const index = createMemoryActionIndex();
    await rebuildIndex(store, tools, index);
    return { index, addSideEntries: () => undefined, earlierSideEntries: () => [] };
  }
  const viewsPath = viewsPathOf(path);
  const matchRules = matchRulesOf(tools.all);
  const index = await openSqliteActionIndex({
    path: viewsPath,
    store,
    runtime,
    matchesOf: (action) => matchesOf(action, tools.get(action.tool)),
    matchRules,
    onAhead: (position) => noteAhead(store, position),
    startFollower: () => startViewsThread({ storePath: path, viewsPath, matchRules }),
    onFault,
  });
  return {
    index,
    addSideEntries: (entries) => {
      index.addSideEntries(entries);
    },
    earlierSideEntries: (limit) => index.earlierSideEntries(limit),
  };
}

/** What the index has seen was stored: calls for it would look new. */
async function noteAhead(store: EventStore, position: number): Promise<void> {
  const head = await store.head();
  const reason = `The index beside the file has seen position ${position}, and the file ends at ${head}: it went back in time, or another file was put in its place.`;
  await store.noteLoss?.({ first: head + 1, last: position, reason });
}
