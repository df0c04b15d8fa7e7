// One partition as this consumer has it in one generation: what has come waits here, and is delivered
// and committed one call after the other. Nothing of it runs inside the client's own loop, so a handler
// may take as long as it likes: the client goes on saying that the consumer lives. Where more waits than
// is good, the client is told to bring nothing for a while.
import {
  batchMaxUsual,
  type Bell,
  type ConsumeOptions,
  type ConsumerFault,
  createBell,
  deliver,
  type DeliveryParts,
  type Delivery,
  type NewRecord,
  pauseAfter,
  pauseFor,
  type TopicPartition,
} from '@action-ledger/event-log';
import { type Runtime } from '@action-ledger/runtime';
import { isLost } from './faults.ts';
import { type Arrival, createInbox, type Inbox, type Taken } from './inbox.ts';

/** What a lane asks of the client. */
export interface Line {
  /** Goes on from this offset. */
  readonly seek: (place: TopicPartition, offset: number) => void;
  /** Brings nothing of the partition while it is held. */
  readonly hold: (places: readonly TopicPartition[], isHeld: boolean) => void;
  /** @throws whatever the client throws; under the generation of this moment */
  readonly commit: (place: TopicPartition, next: number) => Promise<void>;
}

export interface Lane extends Pick<Delivery, 'topic' | 'partition' | 'generation'> {
  /** Nothing is taken before. */
  readonly begin: (start: number) => void;
  readonly arrived: (arrival: Arrival) => boolean;
  readonly wake: () => void;
  /** The partition is another's from now on. */
  readonly lose: () => void;
  /** Resolves when its last call of the handler has ended. */
  readonly ended: Promise<void>;
  readonly progress: () => Progress;
}

export interface Progress extends TopicPartition {
  /** From which offset on records are wanted; undefined where the lane does not want any. */
  readonly wanted: number | undefined;
}

export interface LaneParts {
  readonly options: ConsumeOptions;
  readonly place: Pick<Delivery, 'topic' | 'partition' | 'generation'>;
  readonly line: Line;
  readonly runtime: Pick<Runtime, 'timers' | 'clock'>;
  /** Aborted when the consumer closes. */
  readonly closing: AbortSignal;
  /** How long commits are tried after that. */
  readonly closeMs: number;
  readonly isPaused: () => boolean;
  readonly publishDeadLetter: (record: NewRecord) => Promise<void>;
  readonly onFault: (fault: ConsumerFault) => void;
  /** An earlier lane of this consumer for the same partition, whose handler may still run. */
  readonly after: Promise<void> | undefined;
}

interface State {
  inbox: Inbox | undefined;
  isHeld: boolean;
  isBusy: boolean;
  hasEnded: boolean;
}

export function startLane(parts: LaneParts): Lane {
  const { place, line } = parts;
  const lost = new AbortController();
  const bell = createBell();
  const stop = AbortSignal.any([lost.signal, parts.closing]);
  stop.addEventListener('abort', bell.ring);
  const state: State = { inbox: undefined, isHeld: true, isBusy: false, hasEnded: false };
  const ended = run(parts, state, bell, lost.signal, stop).finally(() => {
    state.hasEnded = true;
  });
  return {
    ...place,
    begin: (start) => {
      if (stop.aborted) return;
      state.inbox = createInbox(start);
      line.seek(place, start);
      hold(parts, state, false);
    },
    arrived: (arrival) => {
      const { inbox } = state;
      // Nobody wants it: without this the client would bring it again and again.
      if (inbox === undefined || state.hasEnded || stop.aborted) {
        hold(parts, state, true);
        return false;
      }
      const isTaken = inbox.offer(arrival);
      if (!isTaken) line.seek(place, inbox.expected());
      else bell.ring();
      if (isFull(parts, inbox)) hold(parts, state, true);
      return isTaken;
    },
    wake: bell.ring,
    lose: () => {
      lost.abort();
    },
    ended,
    progress: () => {
      const isWanting = state.inbox?.count() === 0 && !state.isBusy && !parts.isPaused();
      return { ...place, wanted: isWanting ? state.inbox?.expected() : undefined };
    },
  };
}

async function run(
  parts: LaneParts,
  state: State,
  bell: Bell,
  lost: AbortSignal,
  stop: AbortSignal,
): Promise<void> {
  await parts.after;
  // The consumer is handed over before its first record.
  await nextTurn();
  while (!stop.aborted) {
    const heard = bell.rings();
    const taken = state.inbox?.take(parts.options.batchMax ?? batchMaxUsual);
    if (taken === undefined) {
      await bell.after(heard);
      continue;
    }
    state.isBusy = true;
    if (!(await settle(taken, deliveryPartsOf(parts, taken, bell, lost, stop)))) return;
    state.isBusy = false;
    if (state.inbox !== undefined && isDrained(parts, state.inbox)) hold(parts, state, false);
    await nextTurn();
  }
}

/** @returns false where it was stopped before all of it was handled and committed */
async function settle({ records, next }: Taken, delivery: DeliveryParts): Promise<boolean> {
  if (records.length > 0) return deliver(records, delivery);
  return delivery.commit(next);
}

function deliveryPartsOf(
  parts: LaneParts,
  taken: Taken,
  bell: Bell,
  lost: AbortSignal,
  stop: AbortSignal,
): DeliveryParts {
  const { options, place, runtime, isPaused } = parts;
  const behindLast = (taken.records.at(-1)?.offset ?? taken.next) + 1;
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
    // Marks of transactions behind the last record are passed with it.
    commit: (next) => commit(next === behindLast ? taken.next : next, parts, lost),
    publishDeadLetter: parts.publishDeadLetter,
    onFault: parts.onFault,
  };
}

/** Tries until it is known whether this consumer still has the partition. */
async function commit(next: number, parts: LaneParts, lost: AbortSignal): Promise<boolean> {
  const { place, line, runtime, closing, options, closeMs } = parts;
  let closingSince: number | undefined;
  for (let failures = 1; !lost.aborted; failures += 1) {
    try {
      await line.commit(place, next);
      return true;
    } catch (error) {
      if (isLost(error)) return false;
      const now = runtime.clock.monoMs();
      if (closing.aborted) closingSince ??= now;
      if (now - (closingSince ?? now) >= closeMs) return false;
      const againInMs = pauseAfter(failures, options.retry ?? {});
      if (!isAborted(lost)) parts.onFault({ kind: 'log', ...placeOf(place), error, againInMs });
      await pauseFor(againInMs, runtime, lost);
    }
  }
  return false;
}

function hold({ place, line }: LaneParts, state: State, isHeld: boolean): void {
  if (state.isHeld === isHeld) return;
  state.isHeld = isHeld;
  line.hold([placeOf(place)], isHeld);
}

/** Beyond two batches, or this many bytes, nothing more is fetched. */
const bytesMax = 1024 * 1024;

function isFull({ options }: LaneParts, inbox: Inbox): boolean {
  const { batchMax = batchMaxUsual } = options;
  return inbox.count() >= Math.max(2 * batchMax, countMin) || inbox.bytes() >= bytesMax;
}

/** While a small batch is handled the next ones are on their way. */
const countMin = 500;

function isDrained({ options }: LaneParts, inbox: Inbox): boolean {
  const { batchMax = batchMaxUsual } = options;
  return inbox.count() < Math.max(batchMax, countMin / 2) && inbox.bytes() < bytesMax / 2;
}

function placeOf({ topic, partition }: TopicPartition): TopicPartition {
  return { topic, partition };
}

/** It changes while others run, which the compiler cannot see. */
function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
