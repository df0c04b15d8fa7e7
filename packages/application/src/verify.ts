// Proves what can be proved from the events alone: no position is missing, every chain holds, every
// stream folds, and the invariants of DESIGN.md section 12. One pass over all events in the order of
// positions; reads only, mends nothing.
import { unsealActionEvent } from '@action-ledger/codec';
import {
  type Action,
  actionOfStream,
  type BrokenInvariant,
  chainStart,
  checkAction,
  checkLedger,
  evolve,
  findChainBreak,
  newAction,
  type Sha256,
  type StreamEvent,
  unsealMetadata,
} from '@action-ledger/domain';
import { type EventStore, type RecordedEvent } from '@action-ledger/event-store';
import { readEvents } from './read-events.ts';

/** What only a store can break, beside the invariants of the domain. */
export type StoreInvariant = 'positions-complete' | 'row-readable';

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
    onDamaged: ({ stream, position, reason }) => {
      scan.damaged(stream, position, reason);
    },
  })) {
    scan.see(batch);
    options.onProgress?.(scan.events());
  }
  scan.end(head);
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
  readonly events: StreamEvent[] | undefined;
}

interface Scan {
  readonly streams: ReadonlyMap<string, StreamScan>;
  readonly broken: BrokenRecord[];
  see(batch: readonly RecordedEvent[]): void;
  damaged(stream: string, position: number, reason: string): void;
  /** @param head the last position that the store says it holds */
  end(head: number): void;
  events(): number;
  newestMs(): number;
}

function createScan(sha256: Sha256): Scan {
  const streams = new Map<string, StreamScan>();
  const broken: BrokenRecord[] = [];
  let events = 0;
  let next = 1;
  let newestMs = 0;
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
    if (found === undefined) {
      newestMs = Math.max(newestMs, scan.events?.at(-1)?.place.at ?? 0);
      return;
    }
    scan.isBroken = true;
    broken.push({ stream: event.stream, ...found });
  };
  return {
    streams,
    broken,
    see: (batch) => {
      for (const event of batch) seeOne(event);
    },
    damaged: (stream, position, reason) => {
      if (position > next) gap(position - 1);
      next = Math.max(next, position);
      scanOf(streams, stream).isBroken = true;
      broken.push({ stream, invariant: 'row-readable', detail: reason });
    },
    end: (head) => {
      gap(head);
    },
    events: () => events,
    newestMs: () => newestMs,
  };
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
  const found = findChainBreak(sha256, event.stream, [event], scan);
  if (found !== undefined) {
    const at = `revision ${event.revision} (${event.type}, position ${event.position})`;
    const detail =
      found.what === 'revision missing'
        ? `revision ${found.revision} is missing: the next event is ${at}`
        : `${at}: ${found.what}`;
    return { invariant: 'chain-holds', detail };
  }
  scan.revision = event.revision;
  scan.hash = unsealMetadata(event.metadata)?.hash ?? '';
  if (scan.events === undefined) return undefined;
  try {
    const { event: unsealed, metadata, revision } = unsealActionEvent(event);
    scan.events.push({ event: unsealed, place: { revision, at: metadata.at } });
    return undefined;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const detail = `revision ${event.revision} (${event.type}) is no JSON: ${error.message}`;
    return { invariant: 'stream-folds', detail };
  }
}

function checkStreams(
  streams: ReadonlyMap<string, StreamScan>,
  now: number,
): readonly BrokenRecord[] {
  const broken: BrokenRecord[] = [];
  const actions: Action[] = [];
  for (const [stream, { events, isBroken }] of streams) {
    if (events === undefined) continue;
    // What is left of a broken stream is no whole one: only what others say of it is checked.
    if (!isBroken) broken.push(...checkAction(stream, events, { now }));
    actions.push(foldAsFarAsItGoes(stream, events));
  }
  return [...broken, ...checkLedger(actions, { now })];
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
