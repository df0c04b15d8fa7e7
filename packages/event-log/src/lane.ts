// One partition as one consumer has it in one generation: reads what comes next, has it delivered,
// commits, waits for more. Lanes know nothing of one another, so a slow one holds up no other.
import { type Runtime } from '@action-ledger/runtime';
import { type Bell, createBell } from './bell.ts';
import { deliver, type DeliveryParts, keepTrying, pauseFor } from './deliver.ts';
import {
  batchMaxUsual,
  type ConsumeOptions,
  type ConsumerFault,
  type Delivery,
} from './event-log.ts';
import { type LogSource, type OffsetStore, type Page } from './log-source.ts';

export interface Lane extends Pick<Delivery, 'topic' | 'partition' | 'generation'> {
  /** Something may have been added, or changed about pausing. */
  readonly wake: () => void;
  /** The partition is another consumer's from now on. */
  readonly lose: () => void;
  /** Resolves when its last call of the handler has ended. */
  readonly ended: Promise<void>;
}

export interface LaneParts {
  readonly options: ConsumeOptions;
  readonly place: Pick<Delivery, 'topic' | 'partition' | 'generation'>;
  readonly source: LogSource;
  readonly offsets: OffsetStore;
  readonly runtime: Pick<Runtime, 'timers'>;
  /** Aborted when the consumer closes. */
  readonly closing: AbortSignal;
  readonly isPaused: () => boolean;
  readonly onFault: (fault: ConsumerFault) => void;
  /** An earlier lane of this consumer for the same partition, whose handler may still run. */
  readonly after: Promise<void> | undefined;
}

export function startLane(parts: LaneParts): Lane {
  const lost = new AbortController();
  const bell = createBell();
  const stop = AbortSignal.any([lost.signal, parts.closing]);
  stop.addEventListener('abort', bell.ring);
  return {
    ...parts.place,
    wake: bell.ring,
    lose: () => {
      lost.abort();
    },
    ended: run(parts, deliveryPartsOf(parts, lost.signal, stop, bell), bell),
  };
}

async function run(parts: LaneParts, delivery: DeliveryParts, bell: Bell): Promise<void> {
  await parts.after;
  // The consumer is handed over before its first record.
  await nextTurn();
  let next = parts.offsets.get(parts.options.group, parts.place) ?? 0;
  while (!delivery.stop.aborted) {
    const heard = bell.rings();
    const page = await read(next, parts, delivery);
    if (page === undefined) return;
    if (page.next === next) {
      await bell.after(heard);
      await linger(parts.options, delivery);
      continue;
    }
    if (!(await deliver(page.records, delivery))) return;
    // Beyond the last record, where the log knows that nothing else is there.
    if (!(await delivery.commit(page.next))) return;
    ({ next } = page);
    await nextTurn();
  }
}

async function linger({ lingerMs = 0 }: ConsumeOptions, delivery: DeliveryParts): Promise<void> {
  if (lingerMs > 0) await pauseFor(lingerMs, delivery.runtime, delivery.stop);
}

async function read(
  from: number,
  parts: LaneParts,
  delivery: DeliveryParts,
): Promise<Page | undefined> {
  const { topic, partition } = parts.place;
  const { batchMax: max = batchMaxUsual, passesBy } = parts.options;
  const request = { topic, partition, from, max, ...(passesBy === undefined ? {} : { passesBy }) };
  let page: Page | undefined;
  await keepTrying(delivery, async () => {
    page = await parts.source.read(request);
  });
  return delivery.stop.aborted ? undefined : page;
}

function deliveryPartsOf(
  parts: LaneParts,
  lost: AbortSignal,
  stop: AbortSignal,
  bell: Bell,
): DeliveryParts {
  const { options, place, offsets, runtime, source, onFault, isPaused } = parts;
  return {
    group: options.group,
    delivery: { ...place, signal: lost },
    handler: options.handler,
    retry: options.retry ?? {},
    runtime,
    stop,
    mayCall: async () => {
      while (isPaused() && !stop.aborted) await bell.after(bell.rings());
    },
    commit: (next) => {
      if (lost.aborted) return false;
      offsets.set(options.group, place, next);
      return true;
    },
    publishDeadLetter: (record) => source.publishDeadLetter(record),
    onFault,
  };
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
