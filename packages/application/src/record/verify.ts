// Proves what can be proved from the events alone: no position is missing, every chain holds, every
// stream folds, and the invariants of DESIGN.md section 12. Reads only, mends nothing.
import { unsealActionEvent } from '@action-ledger/codec';
import {
  type ActionStatus,
  type AuditedAction,
  checkLedger,
  checkTrail,
  checkWorkflows,
  isHeldBack,
  type Sha256,
  streamOfAction,
} from '@action-ledger/domain';
import {
  type EventStore,
  type RecordedEvent,
  type StoreCondition,
} from '@action-ledger/event-store';
import { foldAgain, type FoldedStream, type FoldedStreams, foldStreams } from './fold-streams.ts';
import { type BrokenRecord, proveStore, type StoreProof } from './prove-store.ts';
import { soundWorkflows } from '../workflow/follow-workflow.ts';

export interface Verification {
  readonly streams: number;
  readonly events: number;
  readonly brokenInvariants: readonly BrokenRecord[];
  /** It is a copy, of the ledger as it was then (wall-clock ms): that more happened later breaks nothing. */
  readonly copy?: { readonly takenAt: number; readonly reason: string };
  /** Calls that the ledger only observed, and how many of them it would have held back: no promise covers them. */
  readonly observed: { readonly calls: number; readonly heldBack: number };
}

/** Where the events of an action lead to. */
export interface ProvenState {
  /** -1 where the action has no event. */
  readonly revision: number;
  readonly status: ActionStatus;
  /** Of its last event. */
  readonly position: number;
}

export interface ProvenStates {
  /** Undefined for an action of which something has been found broken. */
  readonly stateOf: (actionId: string) => ProvenState | undefined;
  /** The last position that they take into account. */
  readonly through: number;
}

export interface VerifyOptions {
  readonly sha256: Sha256;
  /**
   * Wall-clock ms since the epoch, where a ledger is running on the store: then nothing may rest
   * without a live lease, and what is appended meanwhile is left out. Default: the time of the newest
   * event.
   */
  readonly nowMs?: number;
  /**
   * Does what `proveStore` does at the same time, in another thread. Never rejects: undefined where
   * there is none, or where it failed.
   */
  readonly proveElsewhere?: (
    through: number | undefined,
  ) => Promise<StoreProof | undefined> | undefined;
  /** Compares what projections say with the states that the events lead to. */
  readonly compare?: (states: ProvenStates) => AsyncIterable<BrokenRecord>;
}

export async function verifyLedger(
  store: EventStore,
  options: VerifyOptions,
): Promise<Verification> {
  const condition = store.condition();
  const { proof, folded } = await proveAndFold(store, options);
  const broken = [...proof.broken];
  const copy = copyOf(condition, await store.head());
  if (condition.kind === 'recovering' && copy === undefined && broken.length === 0)
    broken.push({ stream: '', invariant: 'positions-complete', detail: condition.reason });
  const now = Math.max(options.nowMs ?? 0, timeOf(folded.newest));
  for (const each of checkStreams(folded, proof, now)) broken.push(each);
  const known = new Set(broken.map(({ stream }) => stream));
  const compared = options.compare?.({
    stateOf: (actionId) => {
      const stream = streamOfAction(actionId);
      return known.has(stream) ? undefined : stateOf(folded.streams.get(stream));
    },
    through: folded.newest?.position ?? 0,
  });
  for await (const each of compared ?? []) broken.push(each);
  const { streams, events } = proof;
  return {
    streams,
    events,
    brokenInvariants: broken,
    ...(copy === undefined ? {} : { copy }),
    observed: observedIn(folded),
  };
}

/** A backup, or what was restored from one, that still holds all that was copied. */
function copyOf(condition: StoreCondition, head: number): Verification['copy'] {
  if (condition.kind !== 'recovering') return undefined;
  const { takenAt, lost = [], reason } = condition;
  if (takenAt === undefined || lost.length > 0 || head < condition.head) return undefined;
  return { takenAt, reason };
}

async function proveAndFold(
  store: EventStore,
  { sha256, nowMs, proveElsewhere }: VerifyOptions,
): Promise<{ readonly proof: StoreProof; readonly folded: FoldedStreams }> {
  const through = nowMs === undefined ? undefined : await store.head();
  const proving = proveElsewhere?.(through);
  // Alone one comes after the other: then both need not be held in memory.
  const proved = proving === undefined ? await proveStore(store, { sha256, through }) : undefined;
  const folded = await foldStreams(store, through);
  const proof = proved ?? (await proving) ?? (await proveStore(store, { sha256, through }));
  await foldAgain(store, folded, proof.soundThrough);
  return { proof, folded };
}

function observedIn({ streams }: FoldedStreams): Verification['observed'] {
  let calls = 0;
  let heldBack = 0;
  for (const { trail } of streams.values()) {
    const { guarantee, observed } = trail.action;
    if (guarantee === 'observed') calls += 1;
    if (isHeldBack(observed)) heldBack += 1;
  }
  return { calls, heldBack };
}

function timeOf(event: RecordedEvent | undefined): number {
  try {
    return event === undefined ? 0 : unsealActionEvent(event).metadata.at;
  } catch {
    return 0;
  }
}

function checkStreams(
  { streams, workflows }: FoldedStreams,
  { soundThrough }: StoreProof,
  now: number,
): readonly BrokenRecord[] {
  const broken: BrokenRecord[] = [];
  const actions: AuditedAction[] = [];
  for (const [stream, { trail, unreadable, error }] of streams) {
    if (error !== undefined) throw error;
    actions.push(trail.action);
    if (unreadable !== undefined)
      broken.push({ stream, invariant: 'stream-folds', detail: unreadable });
    // What is left of a broken stream is no whole one: only what others say of it is checked.
    else if (!soundThrough.has(stream)) broken.push(...checkTrail(stream, trail, { now }));
  }
  const sound = soundWorkflows(workflows, soundThrough);
  const byId = new Map(actions.map((action) => [action.id, action]));
  return [
    ...broken,
    ...sound.broken,
    ...checkLedger(actions, { now }),
    ...checkWorkflows(sound.workflows, byId, { now, damaged: sound.damaged }),
  ];
}

function stateOf(folded: FoldedStream | undefined): ProvenState {
  if (folded === undefined) return { status: 'new', revision: -1, position: 0 };
  const { status, revision } = folded.trail.action;
  return { status, revision, position: folded.position };
}
