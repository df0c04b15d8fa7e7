// Proves what can be proved from the events alone: no position is missing, every chain holds, every
// stream folds, and the invariants of DESIGN.md section 12. One pass over all events in the order of
// positions; reads only, mends nothing.
import { unsealActionEvent } from '@action-ledger/codec';
import {
  type Action,
  actionOfStream,
  type BrokenInvariant,
  chainHash,
  chainStart,
  checkAction,
  checkLedger,
  evolve,
  newAction,
  type Sha256,
  type StreamEvent,
  unsealMetadata,
} from '@action-ledger/domain';
import { type EventStore, type RecordedEvent } from '@action-ledger/event-store';
import { type DamagedEvents, readEvents } from './read-events.ts';

/** What only a store can break, beside the invariants of the domain. */
export type StoreInvariant =
  'positions-complete' | 'row-readable' | 'index-leads-to-row' | 'projection-equals-fold';

export interface BrokenRecord {
  /** Empty where it is not known whose events are missing. */
  readonly stream: string;
  readonly invariant: BrokenInvariant['invariant'] | StoreInvariant;
  /** One sentence: which event, what is there, and what should be. */
  readonly detail: string;
}

export interface Verification {
  readonly streams: number;
  readonly events: number;
  readonly brokenInvariants: readonly BrokenRecord[];
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
}

export async function verifyLedger(
  store: EventStore,
  options: VerifyOptions,
): Promise<Verification> {
  const scan = createScan(options.sha256);
  const condition = store.condition();
  const head = await store.head();
  for await (const batch of readEvents(store, {
    after: 0,
    onDamaged: scan.damaged,
  })) {
    scan.see(batch);
    options.onProgress?.(scan.events());
  }
  scan.end(head);
  for (const { stream, position, what } of (await store.checkIndex?.())?.faults ?? [])
    scan.broken.push({
      stream,
      invariant: 'index-leads-to-row',
      detail: `position ${position} ${what}`,
    });
  if (condition.kind === 'recovering' && scan.broken.length === 0)
    scan.broken.push({ stream: '', invariant: 'positions-complete', detail: condition.reason });
  const now = Math.max(options.nowMs ?? 0, scan.newestMs());
  return {
    streams: scan.streams.size,
    events: scan.events(),
    brokenInvariants: [...scan.broken, ...checkStreams(scan.streams, now)],
  };
}

interface StreamScan {
  /** Of the last event whose chain holds. */
  revision: number;
  hash: string;
  /** An event that breaks the chain, or cannot be read: nothing after it proves anything. */
  isBroken: boolean;
  /** Of an action; undefined for other streams. */
  readonly events: RecordedEvent[] | undefined;
}

interface Scan {
  readonly streams: ReadonlyMap<string, StreamScan>;
  readonly broken: BrokenRecord[];
  readonly see: (batch: readonly RecordedEvent[]) => void;
  readonly damaged: (damaged: DamagedEvents) => void;
  /** @param head the last position that the store says it holds */
  readonly end: (head: number) => void;
  readonly events: () => number;
  /** When the last event was recorded. */
  readonly newestMs: () => number;
}

function createScan(sha256: Sha256): Scan {
  const streams = new Map<string, StreamScan>();
  const broken: BrokenRecord[] = [];
  let events = 0;
  let next = 1;
  let newest: RecordedEvent | undefined;
  const gap = (last: number): void => {
    if (last < next) return;
    const which = last === next ? `position ${last} is` : `positions ${next} to ${last} are`;
    const detail = `${which} missing: what was there was deleted`;
    broken.push({ stream: '', invariant: 'positions-complete', detail });
  };
  const seeOne = (event: RecordedEvent): void => {
    if (event.position !== next) gap(event.position - 1);
    next = event.position + 1;
    events += 1;
    const scan = scanOf(streams, event.stream);
    if (scan.isBroken) return;
    const found = continueChain(sha256, scan, event);
    if (found === undefined) return;
    scan.isBroken = true;
    broken.push({ stream: event.stream, ...found });
  };
  return {
    streams,
    broken,
    see: (batch) => {
      for (const event of batch) seeOne(event);
      newest = batch.at(-1) ?? newest;
    },
    damaged: ({ stream, position, through, reason }) => {
      gap(position - 1);
      next = Math.max(next, through + 1);
      scanOf(streams, stream).isBroken = true;
      broken.push({ stream, invariant: 'row-readable', detail: reason });
    },
    end: (head) => {
      gap(head);
    },
    events: () => events,
    newestMs: () => timeOf(newest),
  };
}

function timeOf(event: RecordedEvent | undefined): number {
  try {
    return event === undefined ? 0 : unsealActionEvent(event).metadata.at;
  } catch {
    return 0;
  }
}

function scanOf(streams: Map<string, StreamScan>, stream: string): StreamScan {
  const known = streams.get(stream);
  if (known !== undefined) return known;
  const events = actionOfStream(stream) === undefined ? undefined : [];
  const scan = { revision: -1, hash: chainStart(stream), isBroken: false, events };
  streams.set(stream, scan);
  return scan;
}

/** @returns what is wrong with the event, undefined where the chain goes on */
function continueChain(
  sha256: Sha256,
  scan: StreamScan,
  event: RecordedEvent,
): Omit<BrokenRecord, 'stream'> | undefined {
  const { id, type, data } = event;
  const at = `revision ${event.revision} (${type}, position ${event.position})`;
  if (event.revision <= scan.revision)
    return chainBroken(`${at} is there a second time: it was copied or moved`);
  if (event.revision !== scan.revision + 1) {
    const missing = scan.revision + 1;
    return chainBroken(`revision ${missing} is missing: the next event of the stream is ${at}`);
  }
  const sealed = unsealMetadata(event.metadata);
  if (sealed === undefined) return chainBroken(`${at} has no hash`);
  const hash = chainHash(sha256, scan.hash, { id, type, data, metadata: sealed.metadata });
  if (hash !== sealed.hash) return chainBroken(`${at} was edited, removed or moved`);
  scan.revision = event.revision;
  scan.hash = hash;
  // Kept as text: trees of objects, for so long, would cost more than reading them twice.
  scan.events?.push(event);
  return undefined;
}

function chainBroken(detail: string): Omit<BrokenRecord, 'stream'> {
  return { invariant: 'chain-holds', detail };
}

function checkStreams(
  streams: ReadonlyMap<string, StreamScan>,
  now: number,
): readonly BrokenRecord[] {
  const broken: BrokenRecord[] = [];
  const actions: Action[] = [];
  for (const [stream, { events, isBroken }] of streams) {
    if (events === undefined) continue;
    const { unsealed, unreadable } = unsealAll(events);
    if (unreadable !== undefined)
      broken.push({ stream, invariant: 'stream-folds', detail: unreadable });
    const told = actions.length;
    const onFolded = (action: Action): void => {
      actions.push(action);
    };
    // What is left of a broken stream is no whole one: only what others say of it is checked.
    if (!isBroken && unreadable === undefined)
      broken.push(...checkAction(stream, unsealed, { now, onFolded }));
    if (actions.length === told) actions.push(foldAsFarAsItGoes(stream, unsealed));
  }
  return [...broken, ...checkLedger(actions, { now })];
}

function unsealAll(events: readonly RecordedEvent[]): {
  readonly unsealed: readonly StreamEvent[];
  readonly unreadable?: string;
} {
  const unsealed: StreamEvent[] = [];
  for (const recorded of events) {
    try {
      const { event, metadata, revision } = unsealActionEvent(recorded);
      unsealed.push({ event, place: { revision, at: metadata.at } });
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      const { revision, type } = recorded;
      return {
        unsealed,
        unreadable: `revision ${revision} (${type}) is no JSON: ${error.message}`,
      };
    }
  }
  return { unsealed };
}

/** Where it stops has been reported. */
function foldAsFarAsItGoes(stream: string, events: readonly StreamEvent[]): Action {
  let action = newAction(actionOfStream(stream) ?? stream);
  for (const { event, place } of events) {
    try {
      action = evolve(action, event, place);
    } catch {
      break;
    }
  }
  return action;
}
