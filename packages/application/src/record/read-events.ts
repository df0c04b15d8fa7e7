// All events in the order of positions, past damage: a row that cannot be read is reported and passed
// over, because it concerns its own stream only.
import { type EventStore, type RecordedEvent, StoreFault } from '@action-ledger/event-store';

export interface DamagedEvents {
  readonly stream: string;
  /** Of the first event that cannot be read. */
  readonly position: number;
  /** Of the last one. */
  readonly through: number;
  readonly reason: string;
}

export interface ReadEventsOptions {
  /** Exclusive. */
  readonly after: number;
  /** The last position read; default: as far as there is. */
  readonly through?: number;
  readonly batch?: number;
  readonly onDamaged?: (damaged: DamagedEvents) => void;
}

const defaultBatch = 1_000;

export async function* readEvents(
  store: Pick<EventStore, 'readAll'>,
  options: ReadEventsOptions,
): AsyncGenerator<readonly RecordedEvent[]> {
  const { through = Infinity, batch = defaultBatch } = options;
  let after = options.after;
  while (after < through) {
    const read = await readBatch(store, after, Math.min(batch, through - after));
    if (read.damaged !== undefined) {
      options.onDamaged?.(read.damaged);
      after = Math.max(read.damaged.through, after + 1);
      continue;
    }
    const last = read.events.at(-1);
    if (last === undefined) return;
    // Where positions have gaps, a batch may reach beyond.
    if (last.position <= through) yield read.events;
    else yield read.events.filter(({ position }) => position <= through);
    after = last.position;
  }
}

type Batch =
  | { readonly events: readonly RecordedEvent[]; readonly damaged?: undefined }
  | { readonly damaged: DamagedEvents };

async function readBatch(
  store: Pick<EventStore, 'readAll'>,
  after: number,
  max: number,
): Promise<Batch> {
  try {
    return { events: await store.readAll({ after, max }) };
  } catch (fault) {
    if (!(fault instanceof StoreFault) || fault.code !== 'store.corrupt') throw fault;
    const { stream, position, through } = fault.detail;
    if (typeof stream !== 'string' || typeof position !== 'number' || typeof through !== 'number')
      throw fault;
    return { damaged: { stream, position, through, reason: fault.message } };
  }
}
