// Who follows events: one subscription to the store serves all readers, and there is none while nobody reads.
// Each event is written once, and handed on in slices, so that ten thousand readers hold nobody up. A reader
// that lags behind is brought up to date from the store, as fast as it takes it; one that takes nothing is
// dropped, and can come again with the last position that it has seen.
import { type RecordedEvent, type Subscription } from '@action-ledger/event-store';
import { type Runtime, type Timer } from '@action-ledger/runtime';
import { type Feed } from '../feed.ts';
import { type LedgerDoor } from '../ledger-door.ts';
import { type Limits } from '../limits.ts';
import { createFairTurns, type FairTurns } from './fair-turns.ts';
import { createFramer, type Frame, type Framer } from './event-frames.ts';

/** Of a response: what a reader's end of the wire can do. */
export interface Wire {
  /** Bytes that the reader has not taken yet. */
  lag(): number;
  write(text: string): void;
  end(): void;
  drop(): void;
  /** @returns true when more may be written, false where it took nothing for so long or has gone */
  drained(withinMs: number): Promise<boolean>;
}

export interface EventHub {
  readonly start: () => Promise<void>;
  stop(): void;
  readers(): number;
  /** There is no room for another reader, or none for one of this tenant. */
  isFull(tenant: string): boolean;
  /** @returns to be called when the reader has gone */
  follow(tenant: string, place: Place, wire: Wire): () => void;
}

export interface Place {
  /** The last position seen; undefined: only what comes from now on. */
  readonly after: number | undefined;
  /** Where the store ended a moment ago. */
  readonly head: number;
}

export interface HubDeps {
  readonly feed: Feed;
  readonly ledger: Pick<LedgerDoor, 'load'>;
  readonly runtime: Runtime;
  readonly limits: Limits;
  readonly onFault: (where: string, fault: unknown) => void;
}

interface Reader {
  readonly tenant: string;
  readonly wire: Wire;
  readonly since: number;
  /** Everything up to here has been written to it. */
  position: number;
  isGone: boolean;
}

interface Hub extends HubDeps {
  readonly framer: Framer;
  /** Up to date, by tenant. */
  readonly live: Map<string, Set<Reader>>;
  readonly all: Set<Reader>;
  /** Of those, by tenant. */
  readonly counts: Map<string, number>;
  /** Everything up to here has been handed to those who are live. */
  position: number;
  /** While somebody reads. */
  subscription: Subscription | undefined;
  isOpen: boolean;
  beat: Timer | undefined;
  /** So few at once read from the store, however many are behind. */
  readonly catchUps: FairTurns;
}

export function createEventHub(deps: HubDeps): EventHub {
  const hub: Hub = {
    ...deps,
    framer: createFramer(deps.ledger),
    live: new Map(),
    all: new Set(),
    counts: new Map(),
    position: 0,
    subscription: undefined,
    isOpen: false,
    beat: undefined,
    catchUps: createFairTurns(deps.limits.catchUpsMax),
  };
  return {
    start: async () => {
      hub.isOpen = true;
      nextBeat(hub);
    },
    stop: () => {
      hub.isOpen = false;
      hub.beat?.cancel();
      for (const reader of hub.all) {
        reader.wire.end();
        leave(hub, reader);
      }
    },
    readers: () => hub.all.size,
    isFull: (tenant) =>
      hub.all.size >= deps.limits.streamsMax ||
      (hub.counts.get(tenant) ?? 0) >= deps.limits.tenantStreamsMax,
    follow: (tenant, { after, head }, wire) => {
      if (hub.subscription === undefined) {
        hub.position = head;
        subscribe(hub);
      }
      const since = deps.runtime.clock.monoMs();
      const reader: Reader = {
        tenant,
        wire,
        since,
        position: after ?? hub.position,
        isGone: false,
      };
      hub.all.add(reader);
      hub.counts.set(tenant, (hub.counts.get(tenant) ?? 0) + 1);
      if (reader.position >= hub.position) goLive(hub, reader);
      else void catchUp(hub, reader);
      return () => {
        leave(hub, reader);
      };
    },
  };
}

/** A subscription that has ended never resumes: another one goes on where it ended. */
const resubscribeMs = 1_000;

function subscribe(hub: Hub): void {
  const mine = hub.feed.subscribe(hub.position, {
    onEvents: (events) => handOn(hub, events),
    onDropped: (fault) => {
      hub.onFault('following the events', fault);
      hub.runtime.timers.after(resubscribeMs, () => {
        if (hub.subscription === mine) subscribe(hub);
      });
    },
  });
  hub.subscription = mine;
}

/** So many readers are written to before others get their turn. */
const sliceMax = 500;

async function handOn(hub: Hub, events: readonly RecordedEvent[]): Promise<void> {
  const last = events.at(-1);
  if (last === undefined) return;
  const byTenant = framesByTenant(await hub.framer.frames(events));
  // From here on those who come join with what is after these.
  hub.position = Math.max(hub.position, last.position);
  for (const [tenant, own] of byTenant) {
    const text = own.map((frame) => frame.text).join('');
    await inSlices([...(hub.live.get(tenant) ?? [])], (reader) => {
      const isBehind = reader.position < (own[0]?.position ?? 0);
      handTo(hub, reader, isBehind ? text : textAfter(own, reader.position), last.position);
    });
  }
}

function framesByTenant(frames: readonly Frame[]): ReadonlyMap<string, readonly Frame[]> {
  const byTenant = new Map<string, Frame[]>();
  for (const frame of frames) {
    const own = byTenant.get(frame.tenant);
    if (own === undefined) byTenant.set(frame.tenant, [frame]);
    else own.push(frame);
  }
  return byTenant;
}

function textAfter(frames: readonly Frame[], position: number): string {
  return frames
    .filter((frame) => frame.position > position)
    .map(({ text }) => text)
    .join('');
}

async function inSlices(readers: readonly Reader[], act: (reader: Reader) => void): Promise<void> {
  for (let from = 0; from < readers.length; from += sliceMax) {
    if (from > 0) await new Promise((resolve) => setImmediate(resolve));
    for (const reader of readers.slice(from, from + sliceMax)) if (!reader.isGone) act(reader);
  }
}

/** Whoever has not taken what came before goes on at their own pace; one long text alone is no lag. */
function handTo(hub: Hub, reader: Reader, text: string, position: number): void {
  if (reader.wire.lag() > hub.limits.streamLagBytesMax) {
    hub.live.get(reader.tenant)?.delete(reader);
    void catchUp(hub, reader);
    return;
  }
  reader.wire.write(text);
  reader.position = Math.max(reader.position, position);
}

function goLive(hub: Hub, reader: Reader): void {
  const readers = hub.live.get(reader.tenant) ?? new Set<Reader>();
  readers.add(reader);
  hub.live.set(reader.tenant, readers);
}

function leave(hub: Hub, reader: Reader): void {
  reader.isGone = true;
  if (hub.all.delete(reader)) countOff(hub, reader.tenant);
  const readers = hub.live.get(reader.tenant);
  readers?.delete(reader);
  if (readers?.size === 0) hub.live.delete(reader.tenant);
  if (hub.all.size > 0) return;
  hub.subscription?.close();
  hub.subscription = undefined;
}

function countOff({ counts }: Hub, tenant: string): void {
  const left = (counts.get(tenant) ?? 1) - 1;
  if (left > 0) counts.set(tenant, left);
  else counts.delete(tenant);
}

const pageMax = 64;

/** From the store, as fast as the reader takes it, until it has what those who are live have. */
async function catchUp(hub: Hub, reader: Reader): Promise<void> {
  try {
    while (await reader.wire.drained(hub.limits.streamStuckMs)) {
      if (reader.isGone) return;
      // Nothing may be awaited between this look and going live.
      if (reader.position >= hub.position) {
        goLive(hub, reader);
        return;
      }
      await inTurn(hub, reader, () => writePage(hub, reader));
    }
  } catch (fault) {
    hub.onFault('bringing a reader up to date', fault);
  }
  reader.wire.drop();
  leave(hub, reader);
}

async function writePage(hub: Hub, reader: Reader): Promise<void> {
  const events = await hub.feed.readAll({ after: reader.position, max: pageMax });
  const frames = await hub.framer.frames(events);
  if (reader.isGone) return;
  reader.wire.write(textAfter(frames.filter(isOf(reader)), reader.position));
  reader.position = events.at(-1)?.position ?? hub.position;
}

function isOf({ tenant }: Reader): (frame: Frame) => boolean {
  return (frame) => frame.tenant === tenant;
}

async function inTurn({ catchUps }: Hub, reader: Reader, read: () => Promise<void>): Promise<void> {
  const end = await catchUps.take(reader.tenant);
  try {
    if (!reader.isGone) await read();
  } finally {
    end();
  }
}

function nextBeat(hub: Hub): void {
  hub.beat = hub.runtime.timers.after(hub.limits.heartbeatMs, () => {
    const now = hub.runtime.clock.monoMs();
    void inSlices([...hub.all], (reader) => {
      if (now - reader.since >= hub.limits.streamMsMax) {
        reader.wire.end();
        leave(hub, reader);
      } else if (reader.wire.lag() === 0) reader.wire.write(': beat\n\n');
    });
    nextBeat(hub);
  });
}
