// Who projects: one process at a time has the seat, a lease in a stream of the store. The lease only keeps the
// others from working in vain; that a process which lost it can publish nothing more is up to the log. With
// the lease goes the place: up to where everything was published. Only the last event counts, so the ones
// before it are given up from time to time.
import { appendOnce } from '@action-ledger/application';
import { sealEvents } from '@action-ledger/codec';
import { chainStart, type Sha256, unsealMetadata } from '@action-ledger/domain';
import { type EventStore, type RecordedEvent } from '@action-ledger/event-store';
import { type Runtime } from '@action-ledger/runtime';

export const seatStream = 'projector-seat';

export interface SeatDeps {
  readonly store: EventStore;
  readonly sha256: Sha256;
  /** Wall-clock ms since the epoch, never going back. */
  readonly clock: { nowMs(): number };
  readonly runtime: Pick<Runtime, 'ids' | 'timers'>;
  /** Of this process, among all that project. */
  readonly instance: string;
  readonly leaseMs: number;
}

export interface Seat {
  /** Undefined where another process has it. @throws StoreFault where it may not be on record */
  take(): Promise<HeldSeat | undefined>;
}

export interface HeldSeat {
  /** Up to this position of the store everything was published when the seat was taken. */
  readonly position: number;
  /** Goes on for another lease. @returns false where another process has it by now; @throws StoreFault */
  keep(position: number): Promise<boolean>;
  /** Others need not wait for the end of the lease. @throws StoreFault */
  leave(position: number): Promise<void>;
}

interface SeatData {
  readonly holder: string;
  /** Wall-clock ms; 0 where it was left. */
  readonly until: number;
  readonly position: number;
}

/** After so many events the ones before the last are given up. */
const eventsMax = 100;

export function createSeat(deps: SeatDeps): Seat {
  const { store, clock, instance, leaseMs } = deps;
  return {
    take: async () => {
      const last = (await store.readStream(seatStream)).at(-1);
      const known = last && dataOf(last);
      const isTaken =
        known !== undefined && known.holder !== instance && clock.nowMs() < known.until;
      if (isTaken) return undefined;
      const position = known?.position ?? 0;
      const until = clock.nowMs() + leaseMs;
      const taken = await append(deps, last, 'SeatTaken', { holder: instance, until, position });
      return taken && hold(deps, taken, position);
    },
  };
}

function hold(deps: SeatDeps, taken: Place, position: number): HeldSeat {
  const { clock, instance: holder, leaseMs } = deps;
  let last = taken;
  const goOn = async (type: string, until: number, through: number): Promise<boolean> => {
    const next = await append(deps, last, type, { holder, until, position: through });
    if (next !== undefined) last = next;
    return next !== undefined;
  };
  return {
    position,
    keep: (through) => goOn('SeatKept', clock.nowMs() + leaseMs, through),
    leave: async (through) => {
      await goOn('SeatLeft', 0, through);
    },
  };
}

type Place = Pick<RecordedEvent, 'revision' | 'metadata'>;

/** @returns undefined where another process was faster */
async function append(
  { store, sha256, clock, runtime, instance }: SeatDeps,
  last: Place | undefined,
  type: string,
  data: SeatData,
): Promise<Place | undefined> {
  const previous = last && unsealMetadata(last.metadata)?.hash;
  const context = { sha256, nextId: runtime.ids.next, at: clock.nowMs(), by: instance };
  const { events } = sealEvents(context, previous ?? chainStart(seatStream), [{ type, data }]);
  const expected = last?.revision ?? 'no stream';
  const appended = await appendOnce(store, runtime.timers, seatStream, expected, events);
  const [event] = events;
  if (appended.kind === 'conflict' || event === undefined) return undefined;
  const revision = (last?.revision ?? -1) + 1;
  if (revision > 0 && revision % eventsMax === 0)
    await store.truncate([{ stream: seatStream, before: revision }]);
  return { revision, metadata: event.metadata };
}

/** Undefined where it cannot be read: then everything is published once more. */
function dataOf({ data }: RecordedEvent): SeatData | undefined {
  try {
    const { holder, until, position } = JSON.parse(data) as Partial<SeatData>;
    if (typeof holder !== 'string' || typeof until !== 'number') return undefined;
    if (!Number.isSafeInteger(position)) return undefined;
    return { holder, until, position: position as number };
  } catch {
    return undefined;
  }
}
