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
import { foldInto } from './judge-fold.ts';
import { createSends, type Sends } from './sends.ts';

export interface Watch {
  /** Follows a store from here on. @param held what it holds: earlier than what was followed before, where it was restored */
  readonly follow: (store: EventStore, held: readonly RecordedEvent[]) => void;
  /** A request has reached the provider. */
  readonly onArrival: (request: ProviderRequest) => void;
  readonly actions: ReadonlyMap<string, Action>;
  /** As they were when the store went back in time, of those that it lacks something of. */
  readonly lost: ReadonlyMap<string, Action>;
  /** Of the world, when it did. */
  readonly wentBackAt: () => number;
  /** `status event`, each as often as it was met. */
  readonly cells: ReadonlyMap<string, number>;
  readonly met: (cell: string) => void;
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
  const lost = new Map<string, Action>();
  const lostKeys = new Set<string>();
  const cells = new Map<string, number>();
  const writers = new Map<string, string>();
  const breaches: string[] = [];
  let events = 0;
  let wentBackAt = 0;

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
  const met = (cell: string): void => {
    cells.set(cell, (cells.get(cell) ?? 0) + 1);
  };
  const goBack = (held: readonly RecordedEvent[]): void => {
    const restored = new Map<string, Action>();
    for (const event of held) foldInto(restored, event);
    for (const [id, action] of actions) {
      if (restored.get(id)?.revision === action.revision) continue;
      lost.set(id, action);
      lostKeys.add(action.downstreamKey ?? '');
    }
    actions.clear();
    for (const [id, action] of restored) actions.set(id, action);
    sends.goBack();
    wentBackAt = now();
  };
  const see = (recorded: RecordedEvent): void => {
    events += 1;
    trace(`${recorded.stream} ${recorded.revision} ${recorded.type}`);
    const id = actionOfStream(recorded.stream);
    if (id === undefined) return;
    const before = actions.get(id) ?? newAction(id);
    const cell = `${before.status} ${recorded.type}`;
    met(cell);
    if (isOutOfReach(cell)) breach(`${id}: "${cell}" was met, and is said to be out of reach`);
    try {
      const { event, metadata, revision } = unsealActionEvent(recorded);
      const after = evolve(before, event, { revision, at: metadata.at });
      if (hasChanged(before, after)) breach(`${id}: its result has changed`);
      actions.set(id, after);
      const { id: eventId } = recorded;
      sends.see(before, event, { eventId, writer: writers.get(eventId) });
      if (after.downstreamKey !== undefined) byKey.set(after.downstreamKey, id);
      onMoved(after, event);
    } catch (error) {
      breach(`${id} ${recorded.revision}: ${String(error)}`);
    }
  };
  return {
    follow: (store, held) => {
      if (actions.size > 0) goBack(held);
      store.subscribe(held.at(-1)?.position ?? 0, {
        onEvents: async (batch) => {
          batch.forEach(see);
        },
      });
    },
    onArrival: ({ tenant, key, attempt, tool }) => {
      trace(`provider: ${tool} ${key} ${attempt} arrives`);
      const {
        id,
        attempts: { length },
        guarantee,
      } = actions.get(byKey.get(key) ?? '') ?? newAction(key);
      if (length < attempt && !lostKeys.has(key))
        breach(`${id}: attempt ${attempt} arrives, ${length} are on record`);
      const { effects = 0 } = provider().tallyOf(tenant, key) ?? {};
      if (effects > 1 && guarantee !== 'natural' && !isExcused(key))
        breach(`${id} has had ${effects} effects`);
    },
    actions,
    lost,
    wentBackAt: () => wentBackAt,
    cells,
    met,
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

function hasChanged({ outcome: before }: Action, { outcome: after }: Action): boolean {
  if (before === undefined || before === after) return false;
  return JSON.stringify(before.result) !== JSON.stringify(after?.result);
}
