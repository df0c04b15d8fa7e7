// Watches every append and every request of a run as they happen, and says at once what must never be. It
// folds each stream by the domain's own rules, and counts which cells of the lifecycle were met.
import { unsealActionEvent } from '@action-ledger/codec';
import { type Action, actionOfStream, evolve, newAction } from '@action-ledger/domain';
import { type EventStore, type RecordedEvent } from '@action-ledger/event-store';
import { type ProviderRequest, type SandboxProvider } from '@action-ledger/sandbox';

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
}

export interface WatchOptions {
  readonly provider: () => SandboxProvider;
  /** Keys under which a second effect is possible, because a sender stood still before the socket. */
  readonly isExcused: (key: string) => boolean;
  readonly trace: (line: string) => void;
}

export function createWatch({ provider, isExcused, trace }: WatchOptions): Watch {
  const actions = new Map<string, Action>();
  const byKey = new Map<string, string>();
  const workflows = new Set<string>();
  const cells = new Map<string, number>();
  const breaches: string[] = [];
  let events = 0;

  const breach = (what: string): void => {
    if (breaches.includes(what)) return;
    breaches.push(what);
    trace(`BREACH ${what}`);
  };
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
    try {
      const { event, metadata, revision } = unsealActionEvent(recorded);
      const after = evolve(before, event, { revision, at: metadata.at });
      if (before.outcome !== undefined && after.outcome?.result !== before.outcome.result)
        breach(`${id}: its result has changed`);
      actions.set(id, after);
      if (after.downstreamKey !== undefined) byKey.set(after.downstreamKey, id);
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
  };
}
