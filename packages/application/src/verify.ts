// Proves what can be proved from the events alone: no position is missing, every chain holds, every
// stream folds, and the invariants of DESIGN.md section 12. One pass over all events in the order of
// positions; reads only, mends nothing.
import { unsealActionEvent } from '@action-ledger/codec';
import {
  type ActionStatus,
  type AuditedAction,
  checkLedger,
  checkTrail,
  type Sha256,
  streamOfAction,
} from '@action-ledger/domain';
import { type EventStore, type RecordedEvent } from '@action-ledger/event-store';
import { readEvents } from './read-events.ts';
import { type BrokenRecord, createScan, type Scan, type StreamScan } from './verify-scan.ts';

export { type BrokenRecord, type StoreInvariant } from './verify-scan.ts';

export interface Verification {
  readonly streams: number;
  readonly events: number;
  readonly brokenInvariants: readonly BrokenRecord[];
}

/** Where the events of an action lead to. */
export interface ProvenState {
  /** -1 where the action has no event. */
  readonly revision: number;
  readonly status: ActionStatus;
  /** Of its last event. */
  readonly position: number;
}

export interface VerifyOptions {
  readonly sha256: Sha256;
  /**
   * Wall-clock ms since the epoch, where a ledger is running on the store: then nothing may rest
   * without a live lease. Default: the time of the newest event.
   */
  readonly nowMs?: number;
  /** Told now and then, with the number of events seen. */
  readonly onProgress?: (events: number) => void;
  /**
   * Compares what projections say with the states that the events lead to: `stateOf` gives undefined
   * for an action of which something has been found broken.
   */
  readonly compare?: (
    stateOf: (actionId: string) => ProvenState | undefined,
  ) => AsyncIterable<BrokenRecord>;
}

export async function verifyLedger(
  store: EventStore,
  options: VerifyOptions,
): Promise<Verification> {
  const condition = store.condition();
  const scan = await scanned(store, options, { trails: true });
  const { broken, streams } = scan;
  for (const { stream, position, what } of (await store.checkIndex?.())?.faults ?? [])
    broken.push({
      stream,
      invariant: 'index-leads-to-row',
      detail: `position ${position} ${what}`,
    });
  if (condition.kind === 'recovering' && broken.length === 0)
    broken.push({ stream: '', invariant: 'positions-complete', detail: condition.reason });
  const now = Math.max(options.nowMs ?? 0, timeOf(scan.newest()));
  for (const each of checkStreams(streams, now)) broken.push(each);
  const known = new Set(broken.map(({ stream }) => stream));
  const compared = options.compare?.((actionId) => {
    const stream = streamOfAction(actionId);
    return known.has(stream) ? undefined : stateOf(streams.get(stream));
  });
  for await (const each of compared ?? []) broken.push(each);
  return { streams: streams.size, events: scan.events(), brokenInvariants: broken };
}

/** Positions and chains alone: nothing is folded, no index is looked at. */
export async function verifyChains(
  store: Pick<EventStore, 'head' | 'readAll'>,
  options: Pick<VerifyOptions, 'sha256' | 'onProgress'>,
): Promise<Verification> {
  const { streams, events, broken } = await scanned(store, options, { trails: false });
  return { streams: streams.size, events: events(), brokenInvariants: broken };
}

async function scanned(
  store: Pick<EventStore, 'head' | 'readAll'>,
  { sha256, onProgress }: Pick<VerifyOptions, 'sha256' | 'onProgress'>,
  wants: { readonly trails: boolean },
): Promise<Scan> {
  const scan = createScan(sha256, wants);
  const head = await store.head();
  for await (const batch of readEvents(store, { after: 0, onDamaged: scan.damaged })) {
    scan.see(batch);
    onProgress?.(scan.events());
  }
  scan.end(head);
  return scan;
}

function timeOf(event: RecordedEvent | undefined): number {
  try {
    return event === undefined ? 0 : unsealActionEvent(event).metadata.at;
  } catch {
    return 0;
  }
}

function checkStreams(
  streams: ReadonlyMap<string, StreamScan>,
  now: number,
): readonly BrokenRecord[] {
  const broken: BrokenRecord[] = [];
  const actions: AuditedAction[] = [];
  for (const [stream, { trail, isBroken, unreadable }] of streams) {
    if (trail === undefined) continue;
    actions.push(trail.action);
    if (unreadable !== undefined)
      broken.push({ stream, invariant: 'stream-folds', detail: unreadable });
    // What is left of a broken stream is no whole one: only what others say of it is checked.
    else if (!isBroken) broken.push(...checkTrail(stream, trail, { now }));
  }
  return [...broken, ...checkLedger(actions, { now })];
}

function stateOf(scan: StreamScan | undefined): ProvenState {
  const { status, revision } = scan?.trail?.action ?? nothingYet;
  return { status, revision, position: scan?.position ?? 0 };
}

const nothingYet = { status: 'new', revision: -1 } as const;
