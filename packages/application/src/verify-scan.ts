// One pass over the events of all streams, in the order of positions: whether positions are missing
// and every chain holds, and, where trails are wanted, the fold of every action. It keeps no event;
// of a stream it keeps its last hash and its trail, a few hundred bytes where the action succeeded.
import { createUnsealer } from '@action-ledger/codec';
import {
  actionOfStream,
  type ActionTrail,
  type BrokenInvariant,
  chainHash,
  chainStart,
  followTrail,
  type Sha256,
  shortenTrail,
  startTrail,
  unsealMetadata,
} from '@action-ledger/domain';
import { type RecordedEvent } from '@action-ledger/event-store';
import { type DamagedEvents } from './read-events.ts';

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

export interface StreamScan {
  /** Of the last event whose chain holds. */
  revision: number;
  position: number;
  hash: string;
  /** An event breaks the chain, or cannot be read: nothing after it proves anything. */
  isBroken: boolean;
  /** Its chain holds, but this is no JSON: it is folded as far as this. */
  unreadable: string | undefined;
  /** Of an action, where trails are wanted. */
  readonly trail: ActionTrail | undefined;
}

export interface Scan {
  readonly streams: ReadonlyMap<string, StreamScan>;
  readonly broken: BrokenRecord[];
  readonly see: (batch: readonly RecordedEvent[]) => void;
  readonly damaged: (damaged: DamagedEvents) => void;
  /** @param head the last position that the store says it holds */
  readonly end: (head: number) => void;
  readonly events: () => number;
  readonly newest: () => RecordedEvent | undefined;
}

export function createScan(sha256: Sha256, wants: { readonly trails: boolean }): Scan {
  const streams = new Map<string, StreamScan>();
  const broken: BrokenRecord[] = [];
  const unseal = createUnsealer();
  let events = 0;
  let next = 1;
  let newest: RecordedEvent | undefined;

  const gap = (last: number): void => {
    if (last < next) return;
    const which = last === next ? `position ${last} is` : `positions ${next} to ${last} are`;
    const detail = `${which} missing: what was there was deleted`;
    broken.push({ stream: '', invariant: 'positions-complete', detail });
  };
  const scanOf = (stream: string): StreamScan => {
    const known = streams.get(stream);
    if (known !== undefined) return known;
    const isFolded = wants.trails && actionOfStream(stream) !== undefined;
    const scan = newScan(stream, isFolded ? startTrail(stream) : undefined);
    streams.set(stream, scan);
    return scan;
  };
  const seeOne = (event: RecordedEvent): void => {
    if (event.position !== next) gap(event.position - 1);
    next = event.position + 1;
    events += 1;
    const scan = scanOf(event.stream);
    if (scan.isBroken) return;
    const link = continueChain(sha256, scan, event);
    if (link.metadata !== undefined) {
      if (scan.trail !== undefined) follow(unseal, scan, scan.trail, event, link.metadata);
      return;
    }
    scan.isBroken = true;
    broken.push({ stream: event.stream, invariant: 'chain-holds', detail: link.broken });
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
      scanOf(stream).isBroken = true;
      broken.push({ stream, invariant: 'row-readable', detail: reason });
    },
    end: (head) => {
      gap(head);
    },
    events: () => events,
    newest: () => newest,
  };
}

function newScan(stream: string, trail: ActionTrail | undefined): StreamScan {
  const hash = chainStart(stream);
  return { revision: -1, position: 0, hash, isBroken: false, unreadable: undefined, trail };
}

/** The text of the event's metadata without its hash, or what is wrong with the event. */
type Link =
  | { readonly metadata: string; readonly broken?: undefined }
  | { readonly metadata?: undefined; readonly broken: string };

function continueChain(sha256: Sha256, scan: StreamScan, event: RecordedEvent): Link {
  if (event.revision <= scan.revision)
    return { broken: `${placeOf(event)} is there a second time: it was copied or moved` };
  if (event.revision !== scan.revision + 1) {
    const missing = scan.revision + 1;
    const next = `the next event of the stream is ${placeOf(event)}`;
    return { broken: `revision ${missing} is missing: ${next}` };
  }
  const sealed = unsealMetadata(event.metadata);
  if (sealed === undefined) return { broken: `${placeOf(event)} has no hash` };
  const { id, type, data } = event;
  const hash = chainHash(sha256, scan.hash, { id, type, data, metadata: sealed.metadata });
  if (hash !== sealed.hash) return { broken: `${placeOf(event)} was edited, removed or moved` };
  scan.revision = event.revision;
  scan.position = event.position;
  scan.hash = hash;
  return sealed;
}

function placeOf({ revision, type, position }: RecordedEvent): string {
  return `revision ${revision} (${type}, position ${position})`;
}

function follow(
  unseal: ReturnType<typeof createUnsealer>,
  scan: StreamScan,
  trail: ActionTrail,
  recorded: RecordedEvent,
  metadata: string,
): void {
  if (scan.unreadable !== undefined) return;
  const { revision, type } = recorded;
  try {
    const { event, at } = unseal(recorded, metadata);
    followTrail(trail, event, { revision, at });
    shortenTrail(trail);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    scan.unreadable = `revision ${revision} (${type}) is no JSON: ${error.message}`;
  }
}
