// The one door to an action: load its state, decide, append, and on a conflict do all three again.
// States of recent actions are kept; an append at a stale revision is a conflict, so a kept state
// can be old but never wrong.
import { LRUCache } from 'lru-cache';
import { foldAction, sealEvents } from '@action-ledger/codec';
import {
  type Action,
  type ActionCommand,
  type ActionEvent,
  type ActionRefusalCode,
  chainStart,
  decide,
  evolve,
  newAction,
  type Refusal,
  type Sha256,
  streamOfAction,
} from '@action-ledger/domain';
import { type EventStore, type ExpectedRevision } from '@action-ledger/event-store';
import { type Runtime } from '@action-ledger/runtime';
import { appendOnce } from './append.ts';
import { type LedgerClock } from './ledger-clock.ts';
import { type Quarantine } from './quarantine.ts';

export interface Broken {
  readonly kind: 'broken';
  readonly actionId: string;
  readonly reason: string;
}

export type Loaded = { readonly kind: 'action'; readonly action: Action } | Broken;

export interface Done {
  readonly kind: 'done';
  /** The state after the events; where the append was uncertain, what the stream now says. */
  readonly action: Action;
  readonly before: Action;
  /** Empty where there was nothing to do. */
  readonly events: readonly ActionEvent[];
  /** The command was refused, though events came to light with it. */
  readonly refused?: Refusal<ActionRefusalCode>;
}

export type Performed = Done | Refusal<ActionRefusalCode> | Broken;

export interface PerformOptions {
  readonly by?: string;
  /** Canonical text of a plan's arguments, where it is known. */
  readonly argumentsText?: string;
}

export interface ActionStore {
  load(actionId: string, options?: { readonly fresh?: boolean }): Promise<Loaded>;
  /** Decided again on every conflict. `undefined`: nothing to do for this state. */
  perform(
    actionId: string,
    command: (action: Action) => ActionCommand | undefined,
    options?: PerformOptions,
  ): Promise<Performed>;
  /** Only where the stream is new: a conflict is handed back as `taken`. */
  create(
    actionId: string,
    command: ActionCommand,
    options?: PerformOptions,
  ): Promise<Performed | { readonly kind: 'taken' }>;
}

export interface ActionStoreDeps {
  readonly store: EventStore;
  readonly sha256: Sha256;
  readonly clock: LedgerClock;
  readonly runtime: Runtime;
  readonly quarantine: Quarantine;
  /** After each append, before anyone is answered. */
  readonly onAppended: (before: Action, action: Action, events: readonly ActionEvent[]) => void;
}

interface Held {
  readonly action: Action;
  readonly hash: string;
}

/** Conflicts in a row before an action is given up on: more than any race can bring. */
const roundsMax = 64;
const heldActionsMax = 20_000;
const heldBytesMax = 64 * 1024 * 1024;

export function createActionStore(deps: ActionStoreDeps): ActionStore {
  const held = new LRUCache<string, Held>({
    max: heldActionsMax,
    maxSize: heldBytesMax,
    sizeCalculation: ({ action }) => 2_048 + sizeOf(action),
  });

  const read = async (actionId: string): Promise<Held | Broken> => {
    const stream = streamOfAction(actionId);
    const folded = foldAction(deps.sha256, stream, await deps.store.readStream(stream));
    if (folded.kind === 'broken') {
      held.delete(actionId);
      const reason = `revision ${folded.revision}: ${folded.reason}`;
      await deps.quarantine.open(actionId, reason);
      return { kind: 'broken', actionId, reason };
    }
    if (folded.action.revision >= 0) keep(folded);
    return folded;
  };
  const keep = (next: Held): void => {
    const known = held.get(next.action.id);
    if (known === undefined || known.action.revision <= next.action.revision)
      held.set(next.action.id, next);
  };
  const get = (actionId: string, fresh: boolean): Held | Promise<Held | Broken> => {
    const known = fresh ? undefined : held.get(actionId);
    return known ?? read(actionId);
  };

  const tryOnce = async (
    current: Held,
    command: ActionCommand,
    options: PerformOptions,
  ): Promise<Performed | { readonly kind: 'conflict' }> => {
    const { action, hash } = current;
    const at = deps.clock.nowMs();
    const decision = decide(action, command, { wallMs: at });
    if (decision.kind === 'refusal') return decision;
    const { events } = decision;
    const refused = decision.refused === undefined ? {} : { refused: decision.refused };
    if (events.length === 0) return { kind: 'done', action, before: action, events, ...refused };
    const sealed = sealEvents(
      {
        sha256: deps.sha256,
        nextId: deps.runtime.ids.next,
        at,
        ...(options.by === undefined ? {} : { by: options.by }),
      },
      hash,
      events.map((event) => ({ ...event, ...spliced(event, options) })),
    );
    let next = action;
    for (const event of events) next = evolve(next, event, { revision: next.revision + 1, at });
    const expected: ExpectedRevision = action.revision < 0 ? 'no stream' : action.revision;
    const stream = streamOfAction(action.id);
    const appended = await appendOnce(
      deps.store,
      deps.runtime.timers,
      stream,
      expected,
      sealed.events,
    );
    if (appended.kind === 'conflict') return appended;
    keep({ action: next, hash: sealed.hash });
    deps.onAppended(action, next, events);
    if (!appended.uncertain)
      return { kind: 'done', action: next, before: action, events, ...refused };
    const now = await read(action.id);
    if ('kind' in now && now.kind === 'broken') return now;
    return { kind: 'done', action: (now as Held).action, before: action, events, ...refused };
  };

  return {
    load: async (actionId, options) => {
      const got = await get(actionId, options?.fresh === true);
      return isBroken(got) ? got : { kind: 'action', action: got.action };
    },
    perform: async (actionId, command, options = {}) => {
      for (let round = 0; round < roundsMax; round += 1) {
        const current = await get(actionId, round > 0);
        if (isBroken(current)) return current;
        const wanted = command(current.action);
        if (wanted === undefined) {
          return { kind: 'done', action: current.action, before: current.action, events: [] };
        }
        const result = await tryOnce(current, wanted, options);
        if (result.kind !== 'conflict') return result;
      }
      throw new Error(`${actionId} met ${roundsMax} conflicts in a row`);
    },
    create: async (actionId, command, options = {}) => {
      const fresh = { action: newAction(actionId), hash: chainStart(streamOfAction(actionId)) };
      const result = await tryOnce(fresh, command, options);
      return result.kind === 'conflict' ? { kind: 'taken' } : result;
    },
  };
}

function isBroken(value: Held | Broken): value is Broken {
  return 'kind' in value && value.kind === 'broken';
}

function spliced(event: ActionEvent, options: PerformOptions): { readonly argumentsText?: string } {
  if (event.type !== 'ActionPlanned' || options.argumentsText === undefined) return {};
  return { argumentsText: options.argumentsText };
}

function sizeOf(action: Action): number {
  const { outcome } = action;
  const result = outcome === undefined ? 0 : roughSize(outcome.result);
  return roughSize(action.arguments) + result;
}

/** Enough to keep large actions from filling the cache; strings count, structure hardly. */
function roughSize(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 8;
  let size = 16;
  for (const member of Object.values(value)) size += 16 + roughSize(member);
  return size;
}
