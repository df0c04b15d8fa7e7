// The one door to an action: load its state, decide, append, and on a conflict do all three again.
// States of recent actions are kept; an append at a stale revision is a conflict, so a kept state
// can be old but never wrong. Where others append too, what is decided without an append is decided
// on what the store says now. The state of a quarantined action is not used.
import { type Sealed, sealEvents } from '@action-ledger/codec';
import {
  type Action,
  type ActionCommand,
  type ActionEvent,
  type ActionRefusalCode,
  chainStart,
  decide,
  evolve,
  newAction,
  refusal,
  type Refusal,
  type Sha256,
  streamOfAction,
} from '@action-ledger/domain';
import { type EventStore, type ExpectedRevision, StoreFault } from '@action-ledger/event-store';
import { type Runtime } from '@action-ledger/runtime';
import { type Appended, appendOnce } from './append.ts';
import { type LedgerClock } from '../core/ledger-clock.ts';
import { type Quarantine } from './quarantine.ts';
import { readAction, sizeOf } from './read-action.ts';
import { createRecentMap } from './recent-map.ts';

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
  /** Of one decision that is tried until it is stored: the same one for every try. */
  readonly tries?: Tries;
  /** Where it changes nothing, an append that follows proves what it was decided on: nothing is read for it. */
  readonly isProvenNext?: boolean;
}

/** Appends of one decision that ended in a fault, by their first event's id: any of them may be stored. */
export type Tries = Map<string, Omit<Done, 'action'>>;

export interface ActionStore {
  load(actionId: string, options?: { readonly fresh?: boolean }): Promise<Loaded>;
  /** As last seen here, and read only where it is not kept: for what an append or a later look makes sure of. */
  known(actionId: string): Promise<Loaded>;
  /** The state as last seen here, without reading; undefined where it is not kept. */
  peek(actionId: string): Action | undefined;
  /** Others have appended to it: reads it, keeps its state, and tells `onMoved` of what is news here. */
  follow(actionId: string): Promise<void>;
  /** Reads the stream once, without keeping its state: a broken one is quarantined. */
  check(actionId: string): Promise<void>;
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
  /** Another process has moved it on: a read found more than was known here. */
  readonly onMoved: (before: Action, action: Action) => void;
  /** Each that is read, whoever has appended it. */
  readonly onRead: (action: Action) => void;
  /** Why what is on record may be older than what was done; absent: it never is. */
  readonly whyRecovering?: () => string | undefined;
  /** Others append too: what is kept may be behind, and only an append proves that it is not. */
  readonly isShared: () => boolean;
}

interface Held {
  readonly kind: 'held';
  readonly action: Action;
  readonly hash: string;
  /** Of the texts of its events. UTF-16 units. */
  readonly size: number;
}

/** Conflicts in a row before an action is given up on: more than any race can bring. */
const roundsMax = 64;
const heldActionsMax = 20_000;
/** UTF-16 units. A state counts at each change: in truth it is little more than half of this. */
const heldSizeMax = 96 * 1024 * 1024;
/** Of what a state takes beside them. */
const stateSize = 1_024;

export function createActionStore(deps: ActionStoreDeps): ActionStore {
  const held = createHeldActions(deps.quarantine);
  /** Nothing was appended, for a reason that others may have removed since. */
  const mayBeBehind = (
    known: object | undefined,
    performed: Performed,
    { isProvenNext = false }: PerformOptions,
  ): boolean =>
    known !== undefined &&
    deps.isShared() &&
    !isAppended(performed) &&
    !(isProvenNext && performed.kind === 'done');
  const known = async (actionId: string): Promise<Loaded> => {
    const got = held.get(actionId) ?? (await read(deps, held, actionId));
    return got.kind === 'broken' ? got : { kind: 'action', action: got.action };
  };
  return {
    load: async (actionId, options) => {
      if (options?.fresh !== true && !deps.isShared()) return known(actionId);
      const got = await read(deps, held, actionId);
      return got.kind === 'broken' ? got : { kind: 'action', action: got.action };
    },
    known,
    peek: (actionId) => held.get(actionId)?.action,
    follow: async (actionId) => {
      const known = held.get(actionId);
      const now = await read(deps, held, actionId);
      if (now.kind === 'broken' || known !== undefined || now.action.revision < 0) return;
      deps.onMoved(newAction(actionId), now.action);
    },
    check: async (actionId) => {
      if (held.get(actionId) === undefined) await read(deps, noneHeld, actionId);
    },
    perform: async (actionId, command, options = {}) => {
      for (let round = 0; round < roundsMax; round += 1) {
        const known = round > 0 ? undefined : held.get(actionId);
        const current = known ?? (await read(deps, held, actionId));
        if (current.kind === 'broken') return current;
        const { action } = current;
        const stored = known === undefined && (await storedTry(deps, actionId, options.tries));
        if (stored) return { ...stored, action };
        const wanted = command(action);
        const result =
          wanted === undefined
            ? nothingToDo(action)
            : await tryOnce(deps, held, current, wanted, options);
        if (result.kind === 'conflict') continue;
        if (!mayBeBehind(known, result, options)) return result;
      }
      throw new Error(`${actionId} met ${roundsMax} conflicts in a row`);
    },
    create: async (actionId, command, options = {}) => {
      // What lies elsewhere under another name looks new here.
      const reason = deps.quarantine.whyQuarantined(actionId);
      if (reason !== undefined) return { kind: 'broken', actionId, reason };
      const hash = chainStart(streamOfAction(actionId));
      const fresh: Held = { kind: 'held', action: newAction(actionId), hash, size: 0 };
      const result = await tryOnce(deps, held, fresh, command, options);
      return result.kind === 'conflict' ? { kind: 'taken' } : result;
    },
  };
}

function nothingToDo(action: Action): Done {
  return { kind: 'done', action, before: action, events: [] };
}

function isAppended(performed: Performed): boolean {
  return performed.kind === 'done' && performed.events.length > 0;
}

interface HeldActions {
  readonly get: (actionId: string) => Held | undefined;
  /** @returns what is known now: this, or what followed it */
  readonly keep: (next: Held) => Held;
  readonly drop: (actionId: string) => void;
}

const noneHeld: HeldActions = {
  get: () => undefined,
  keep: (next) => next,
  drop: () => undefined,
};

/** Nothing is kept of a quarantined action, whoever finds out about it. */
function createHeldActions(quarantine: Quarantine): HeldActions {
  const held = createRecentMap<Held>({ entriesMax: heldActionsMax, sizeMax: heldSizeMax });
  return {
    get: (actionId) =>
      quarantine.whyQuarantined(actionId) === undefined ? held.get(actionId) : undefined,
    keep: (next) => {
      const known = held.get(next.action.id);
      if (known !== undefined && known.action.revision > next.action.revision) return known;
      held.set(next.action.id, next, stateSize + next.size);
      return next;
    },
    drop: (actionId) => {
      held.delete(actionId);
    },
  };
}

async function read(
  deps: ActionStoreDeps,
  held: HeldActions,
  actionId: string,
): Promise<Held | Broken> {
  const folded = await readAction(deps, actionId, held.get(actionId));
  if (folded.kind === 'broken') {
    held.drop(actionId);
    const reason = `revision ${folded.revision}: ${folded.reason}`;
    await deps.quarantine.open(actionId, reason);
    return { kind: 'broken', actionId, reason };
  }
  const { action, hash, size } = folded;
  const why = deps.quarantine.whyQuarantined(actionId);
  if (why !== undefined) {
    held.drop(actionId);
    return { kind: 'broken', actionId, reason: why };
  }
  const now: Held = { kind: 'held', action, hash, size };
  const known = held.get(actionId)?.action;
  if (action.revision >= 0) held.keep(now);
  if (known !== undefined && known.revision < action.revision) deps.onMoved(known, action);
  if (action.revision >= 0) {
    deps.clock.observe(action.updatedAt);
    deps.onRead(action);
  }
  return now;
}

/** An earlier try that is in the stream after all. */
async function storedTry(
  { store }: ActionStoreDeps,
  actionId: string,
  tries: Tries | undefined,
): Promise<Omit<Done, 'action'> | undefined> {
  if (tries === undefined || tries.size === 0) return undefined;
  const events = await store.readStream(streamOfAction(actionId));
  return events.map(({ id }) => tries.get(id)).find((each) => each !== undefined);
}

async function tryOnce(
  deps: ActionStoreDeps,
  held: HeldActions,
  current: Held,
  command: ActionCommand,
  options: PerformOptions,
): Promise<Performed | { readonly kind: 'conflict' }> {
  const { action, hash, size } = current;
  const at = deps.clock.nowMs();
  const decision = decide(action, command, { wallMs: at });
  if (decision.kind === 'refusal') return decision;
  const { events } = decision;
  const done: Omit<Done, 'action'> = {
    kind: 'done',
    before: action,
    events,
    ...(decision.refused === undefined ? {} : { refused: decision.refused }),
  };
  if (events.length === 0) return { ...done, action };
  const sealed = seal(deps, hash, events, at, options);
  let next = action;
  for (const event of events) next = evolve(next, event, { revision: next.revision + 1, at });
  const early = endsTooEarly(deps, action, next);
  if (early !== undefined) return early;
  const expected: ExpectedRevision = action.revision < 0 ? 'no stream' : action.revision;
  const appended = await appendWhole(deps, action.id, expected, sealed.events).catch(
    (fault: unknown) => {
      options.tries?.set(sealed.events[0]?.id ?? '', done);
      throw fault;
    },
  );
  if (appended.kind === 'broken') return appended;
  if (appended.kind === 'conflict') return appended;
  const kept = held.keep({
    kind: 'held',
    action: next,
    hash: sealed.hash,
    size: size + sizeOf(sealed.events),
  });
  deps.onAppended(action, next, events);
  // While it was in doubt, what followed it came to be known here: that is how things stand.
  if (kept.action !== next) deps.onMoved(next, kept.action);
  if (!appended.uncertain) return { ...done, action: next };
  const now = await read(deps, held, action.id);
  return now.kind === 'broken' ? now : { ...done, action: now.action };
}

const unsent: ReadonlySet<Action['status']> = new Set([
  'planned',
  'awaiting_approval',
  'ready',
  'claimed',
]);
const withoutEffect: ReadonlySet<Action['status']> = new Set([
  'cancelled',
  'rejected',
  'expired',
  'denied',
]);

/** What looks unsent may have been sent in the time that is lost: nobody is told that nothing was done (DESIGN.md section 6). */
function endsTooEarly(
  { whyRecovering }: ActionStoreDeps,
  before: Action,
  after: Action,
): Refusal<ActionRefusalCode> | undefined {
  if (!unsent.has(before.status) || !withoutEffect.has(after.status)) return undefined;
  const reason = whyRecovering?.();
  if (reason === undefined) return undefined;
  const message = `The ledger is recovering: ${reason} It may have been sent since; ask again once that is confirmed.`;
  const { id, status, revision } = before;
  return refusal('ledger.recovering', message, { action: id, status, revision });
}

/** A stream whose rows cannot be read takes no events: it is quarantined. */
async function appendWhole(
  deps: ActionStoreDeps,
  actionId: string,
  expected: ExpectedRevision,
  events: Sealed['events'],
): Promise<Appended | Broken> {
  const { store, runtime } = deps;
  try {
    return await appendOnce(store, runtime.timers, streamOfAction(actionId), expected, events);
  } catch (fault) {
    if (!(fault instanceof StoreFault) || fault.code !== 'store.corrupt') throw fault;
    await deps.quarantine.open(actionId, fault.message);
    return { kind: 'broken', actionId, reason: fault.message };
  }
}

function seal(
  { sha256, runtime }: ActionStoreDeps,
  hash: string,
  events: readonly ActionEvent[],
  at: number,
  { by, argumentsText }: PerformOptions,
): Sealed {
  const context = { sha256, nextId: runtime.ids.next, at };
  const spliced =
    argumentsText === undefined
      ? events
      : events.map((event) =>
          event.type === 'ActionPlanned' ? { ...event, argumentsText } : event,
        );
  return sealEvents(by === undefined ? context : { ...context, by }, hash, spliced);
}
