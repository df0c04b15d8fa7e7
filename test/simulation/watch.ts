// Watches every append and every request of a run as they happen, and says at once what must never be. It
// folds each stream by the domain's own rules, and counts which cells of the lifecycle were met.
import { unsealActionEvent } from '@action-ledger/codec';
import {
  type Action,
  type ActionEvent,
  actionOfStream,
  evolve,
  newAction,
} from '@action-ledger/domain';
import { type EventStore, type RecordedEvent } from '@action-ledger/event-store';
import { type ProviderRequest, type SandboxProvider } from '@action-ledger/sandbox';
import { isOutOfReach } from './cells.ts';
import { createSends, type Sends } from './sends.ts';

export interface Watch {
  /** Follows a store from its beginning. */
  readonly follow: (store: EventStore) => void;
  /** A request has reached the provider. */
  readonly onArrival: (request: ProviderRequest) => void;
  readonly actions: ReadonlyMap<string, Action>;
  readonly workflows: ReadonlySet<string>;
  /** `status event`, each as often as it was met. */
  readonly cells: ReadonlyMap<string, number>;
  readonly breaches: readonly string[];
  readonly breach: (what: string) => void;
  readonly events: () => number;
  readonly sends: Sends;
  /** A process sends these events to the store. */
  readonly writes: (process: string, ids: readonly string[]) => void;
  /** The action that was dispatched under this downstream key. */
  readonly ownerOfKey: (key: string) => string | undefined;
}

export interface WatchOptions {
  /** Ms of the world. */
  readonly now: () => number;
  readonly provider: () => SandboxProvider;
  /** Keys under which a second effect is possible, because a sender stood still before the socket. */
  readonly isExcused: (key: string) => boolean;
  readonly trace: (line: string) => void;
  /** An event of an action is on record. */
  readonly onMoved: (action: Action, event: ActionEvent) => void;
}

export function createWatch(options: WatchOptions): Watch {
  const { now, provider, isExcused, trace, onMoved } = options;
  const actions = new Map<string, Action>();
  const byKey = new Map<string, string>();
  const workflows = new Set<string>();
  const cells = new Map<string, number>();
  const writers = new Map<string, string>();
  const breaches: string[] = [];
  let events = 0;

  const breach = (what: string): void => {
    if (breaches.includes(what)) return;
    breaches.push(what);
    trace(`BREACH ${what}`);
  };
  const sends = createSends({
    now,
    actionOf: (key) => actions.get(byKey.get(key) ?? ''),
    actions,
    isExcused,
    breach,
  });
  const see = (recorded: RecordedEvent): void => {
    events += 1;
    trace(`${recorded.stream} ${recorded.revision} ${recorded.type}`);
    const id = actionOfStream(recorded.stream);
    if (id === undefined) {
      if (recorded.stream.startsWith('workflow-')) workflows.add(recorded.stream);
      return;
    }
    const before = actions.get(id) ?? newAction(id);
    const cell = `${before.status} ${recorded.type}`;
    cells.set(cell, (cells.get(cell) ?? 0) + 1);
    if (isOutOfReach(cell)) breach(`${id}: "${cell}" was met, and is said to be out of reach`);
    try {
      const { event, metadata, revision } = unsealActionEvent(recorded);
      const after = evolve(before, event, { revision, at: metadata.at });
      if (before.outcome !== undefined && after.outcome?.result !== before.outcome.result)
        breach(`${id}: its result has changed`);
      actions.set(id, after);
      sends.see(before, event, writers.get(recorded.id));
      if (after.downstreamKey !== undefined) byKey.set(after.downstreamKey, id);
      onMoved(after, event);
    } catch (error) {
      breach(`${id} ${recorded.revision}: ${String(error)}`);
    }
  };
  return {
    follow: (store) => {
      actions.clear();
      store.subscribe(0, {
        onEvents: async (batch) => {
          batch.forEach(see);
        },
      });
    },
    onArrival: ({ tenant, key, attempt, tool }) => {
      trace(`provider: ${tool} ${key} ${attempt} arrives`);
      const action = actions.get(byKey.get(key) ?? '');
      if (action === undefined) breach(`a request under ${key} arrives before its dispatch`);
      else if (action.attempts.length < attempt)
        breach(`${action.id}: attempt ${attempt} arrives, ${action.attempts.length} are on record`);
      const tally = provider().tallyOf(tenant, key);
      const effects = tally?.effects ?? 0;
      if (effects > 1 && action?.guarantee !== 'natural' && !isExcused(key))
        breach(`${action?.id ?? key} has had ${effects} effects`);
    },
    actions,
    workflows,
    cells,
    breaches,
    breach,
    events: () => events,
    sends,
    writes: (process, ids) => {
      for (const id of ids) writers.set(id, writers.get(id) ?? process);
    },
    ownerOfKey: (key) => byKey.get(key),
  };
}
