// Proves what needs no event to be understood: no position is missing, the chain of every stream
// holds, and the store finds what it holds. One pass in the order of positions that keeps of a stream
// its last hash; another thread may do it, with a store of its own on the same file.
import {
  type BrokenInvariant,
  chainBefore,
  chainHash,
  chainStart,
  type Sha256,
  unsealMetadata,
} from '@action-ledger/domain';
import { type EventStore, type GivenUp, type RecordedEvent } from '@action-ledger/event-store';
import { explainGaps, type ExplainedGaps, type Gap } from './given-up.ts';
import { type DamagedEvents, readEvents } from './read-events.ts';

/** What only a store can break, beside the invariants of the domain. */
export type StoreInvariant =
  | 'positions-complete'
  | 'row-readable'
  | 'index-leads-to-row'
  | 'projection-equals-fold'
  | 'archive-holds';

export interface BrokenRecord {
  /** Empty where it is not known whose events are missing. */
  readonly stream: string;
  readonly invariant: BrokenInvariant['invariant'] | StoreInvariant;
  /** One sentence: which event, what is there, and what should be. */
  readonly detail: string;
}

/** Can be sent from thread to thread. */
export interface StoreProof {
  readonly streams: number;
  readonly events: number;
  readonly broken: readonly BrokenRecord[];
  /**
   * Of each stream with an event that breaks the chain or cannot be read: the position of the last
   * event before that, 0 where it is the first. Nothing after it proves anything.
   */
  readonly soundThrough: ReadonlyMap<string, number>;
}

export interface ProofOptions {
  readonly sha256: Sha256;
  /** The last position to look at. Default: as far as there is. */
  readonly through?: number | undefined;
}

export async function proveStore(store: EventStore, options: ProofOptions): Promise<StoreProof> {
  const proof = await proveChains(store, options);
  const faults = (await store.checkIndex?.())?.faults ?? [];
  const misplaced = faults.map(({ stream, position, what }): BrokenRecord => {
    const detail = `position ${position} ${what}`;
    return { stream, invariant: 'index-leads-to-row', detail };
  });
  return { ...proof, broken: [...proof.broken, ...misplaced] };
}

/** Positions and chains alone. */
export async function proveChains(
  store: Pick<EventStore, 'head' | 'readAll' | 'givenUp'>,
  { sha256, through }: ProofOptions,
): Promise<StoreProof> {
  const scan = createScan(sha256);
  const head = through ?? (await store.head());
  const range = { after: 0, ...(through === undefined ? {} : { through }) };
  for await (const batch of readEvents(store, { ...range, onDamaged: scan.damaged }))
    for (const event of batch) scan.see(event);
  return scan.end(await explainGaps(store, scan.gaps(head)));
}

interface StreamScan {
  /** The revision of the first event that is left. */
  begins: number;
  /** Of the last event whose chain holds. */
  revision: number;
  position: number;
  hash: string;
  isBroken: boolean;
}

interface Scan {
  readonly see: (event: RecordedEvent) => void;
  readonly damaged: (damaged: DamagedEvents) => void;
  /** Positions of which no event was seen. @param head the last one that the store says it holds */
  readonly gaps: (head: number) => readonly Gap[];
  readonly end: (explained: ExplainedGaps) => StoreProof;
}

function createScan(sha256: Sha256): Scan {
  const streams = new Map<string, StreamScan>();
  const broken: BrokenRecord[] = [];
  let events = 0;
  let next = 1;
  const gaps: Gap[] = [];
  const gap = (last: number): void => {
    if (last >= next) gaps.push([next, last]);
  };
  const scanOf = (stream: string): StreamScan => {
    const known = streams.get(stream);
    if (known !== undefined) return known;
    const hash = chainStart(stream);
    const scan = { begins: -1, revision: -1, position: 0, hash, isBroken: false };
    streams.set(stream, scan);
    return scan;
  };
  return {
    see: (event) => {
      if (event.position !== next) gap(event.position - 1);
      next = event.position + 1;
      events += 1;
      const scan = scanOf(event.stream);
      if (scan.isBroken) return;
      if (scan.begins < 0) {
        scan.begins = event.revision;
        Object.assign(scan, chainBefore(event.stream, event));
      }
      const detail = continueChain(sha256, scan, event);
      if (detail === undefined) return;
      scan.isBroken = true;
      broken.push({ stream: event.stream, invariant: 'chain-holds', detail });
    },
    damaged: ({ stream, position, through, reason }) => {
      gap(position - 1);
      next = Math.max(next, through + 1);
      scanOf(stream).isBroken = true;
      broken.push({ stream, invariant: 'row-readable', detail: reason });
    },
    gaps: (head) => {
      gap(head);
      return gaps;
    },
    end: ({ missing, givenUp }) => {
      const soundThrough = new Map<string, number>();
      for (const [stream, { isBroken, position }] of streams)
        if (isBroken) soundThrough.set(stream, position);
      const places = [...missing.map(brokenAt), ...cutElsewhere(streams, givenUp)];
      return { streams: streams.size, events, broken: [...places, ...broken], soundThrough };
    },
  };
}

function brokenAt([first, last]: Gap): BrokenRecord {
  const which = last === first ? `position ${last} is` : `positions ${first} to ${last} are`;
  const detail = `${which} missing: what was there was deleted`;
  return { stream: '', invariant: 'positions-complete', detail };
}

/** What was given up of a stream is everything before the event that it begins with, and nothing else. */
function cutElsewhere(
  streams: ReadonlyMap<string, StreamScan>,
  givenUp: readonly GivenUp[],
): readonly BrokenRecord[] {
  const next = new Map<string, number>();
  const torn = new Set<string>();
  for (const { stream, revision, count } of givenUp) {
    if (revision !== (next.get(stream) ?? 0)) torn.add(stream);
    next.set(stream, revision + count);
  }
  for (const [stream, end] of next) if (streams.get(stream)?.begins !== end) torn.add(stream);
  return Array.from(torn, (stream) => ({
    stream,
    invariant: 'chain-holds',
    detail: `the events that were emptied are not those before revision ${streams.get(stream)?.begins ?? 0}, with which it begins`,
  }));
}

/** @returns what is wrong with the event, undefined where the chain goes on */
function continueChain(sha256: Sha256, scan: StreamScan, event: RecordedEvent): string | undefined {
  if (event.revision <= scan.revision)
    return `${placeOf(event)} is there a second time: it was copied or moved`;
  if (event.revision !== scan.revision + 1) {
    const missing = scan.revision + 1;
    return `revision ${missing} is missing: the next event of the stream is ${placeOf(event)}`;
  }
  const sealed = unsealMetadata(event.metadata);
  if (sealed === undefined) return `${placeOf(event)} has no hash`;
  const { id, type, data } = event;
  const hash = chainHash(sha256, scan.hash, { id, type, data, metadata: sealed.metadata });
  if (hash !== sealed.hash) return `${placeOf(event)} was edited, removed or moved`;
  scan.revision = event.revision;
  scan.position = event.position;
  scan.hash = hash;
  return undefined;
}

function placeOf({ revision, type, position }: RecordedEvent): string {
  return `revision ${revision} (${type}, position ${position})`;
}
