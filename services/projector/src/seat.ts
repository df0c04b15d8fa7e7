// Who projects: one process at a time has the seat, a lease in a stream of the store. The lease only keeps the
// others from working in vain; that a process which lost it can publish nothing more is up to the log. With
// the lease goes the place: up to where everything was published. Only the last event counts, so the ones
// before it are given up from time to time.
import {
  appendOnce,
  type ProjectedPlace,
  projectorSeatStream as seatStream,
  type SeatRecord,
  seatRecordOf,
} from '@action-ledger/application';
import { sealEvents } from '@action-ledger/codec';
import { chainStart, type Sha256, unsealMetadata } from '@action-ledger/domain';
import { type EventStore, type RecordedEvent } from '@action-ledger/event-store';
import { type Runtime } from '@action-ledger/runtime';

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
  /** As it was on record when the seat was taken. */
  readonly place: ProjectedPlace;
  /** Goes on for another lease. @returns false where another process has it by now; @throws StoreFault */
  keep(place: ProjectedPlace): Promise<boolean>;
  /** Others need not wait for the end of the lease. @throws StoreFault */
  leave(place: ProjectedPlace): Promise<void>;
}

const noPlace: ProjectedPlace = { position: 0, generation: 0 };

/** After so many events the ones before the last are given up. */
const eventsMax = 100;

export function createSeat(deps: SeatDeps): Seat {
  const { store, clock, instance, leaseMs } = deps;
  return {
    take: async () => {
      const last = (await store.readStream(seatStream)).at(-1);
      // Where it cannot be read everything is published once more.
      const known = last && seatRecordOf(last);
      const isTaken =
        known !== undefined && known.holder !== instance && clock.nowMs() < known.until;
      if (isTaken) return undefined;
      const { position, generation } = known ?? noPlace;
      const until = clock.nowMs() + leaseMs;
      const data = { holder: instance, until, position, generation };
      const taken = await append(deps, last, 'SeatTaken', data);
      return taken && hold(deps, taken, { position, generation });
    },
  };
}

function hold(deps: SeatDeps, taken: Place, place: ProjectedPlace): HeldSeat {
  const { clock, instance: holder, leaseMs } = deps;
  let last = taken;
  const goOn = async (
    type: string,
    until: number,
    { position, generation }: ProjectedPlace,
  ): Promise<boolean> => {
    const next = await append(deps, last, type, { holder, until, position, generation });
    if (next !== undefined) last = next;
    return next !== undefined;
  };
  return {
    place,
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
  data: SeatRecord,
): Promise<Place | undefined> {
  const previous = last && unsealMetadata(last.metadata)?.hash;
  const context = { sha256, nextId: runtime.ids.next, at: clock.nowMs(), by: instance };
  const sealed = { type, data: { ...data } };
  const { events } = sealEvents(context, previous ?? chainStart(seatStream), [sealed]);
  const expected = last?.revision ?? 'no stream';
  const appended = await appendOnce(store, runtime.timers, seatStream, expected, events);
  const [event] = events;
  if (appended.kind === 'conflict' || event === undefined) return undefined;
  const revision = (last?.revision ?? -1) + 1;
  if (revision > 0 && revision % eventsMax === 0)
    await store.truncate([{ stream: seatStream, before: revision }]);
  return { revision, metadata: event.metadata };
}
