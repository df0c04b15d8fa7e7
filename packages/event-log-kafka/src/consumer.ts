// A consumer that outlives what happens to its memberships: where one crashes, falls silent, or brings
// nothing although records wait, another is begun after a pause, and what was in hand comes again. It
// never takes silence for having read everything: what waits is asked of the brokers.
import {
  type Consumer,
  type ConsumeOptions,
  type NewRecord,
  pauseAfter,
  pauseFor,
  type TopicPartition,
} from '@action-ledger/event-log';
import { type Runtime, type Timer } from '@action-ledger/runtime';
import { createHolding, type Holding } from './holding.ts';
import { unavailable } from './faults.ts';
import { type Line } from './lane.ts';
import { joinGroup, type Membership } from './membership.ts';
import { placeKey } from './names.ts';
import { type PlacesParts, standings, startOf } from './places.ts';
import { createStallWatch, type StallWatch } from './stall-watch.ts';

export interface KafkaConsumer extends Consumer {
  /** As if its process had died: nothing is committed or told any more. For tests. */
  readonly kill: () => void;
}

export interface ConsumerParts extends PlacesParts {
  readonly runtime: Pick<Runtime, 'timers' | 'clock'>;
  readonly options: ConsumeOptions;
  readonly publishDeadLetter: (record: NewRecord) => Promise<void>;
}

interface State {
  membership: Membership | undefined;
  /** Of joining, since it last worked. */
  failures: number;
  hasJoined: boolean;
  isOver: boolean;
  isAsking: boolean;
  watch: Timer | undefined;
}

interface Kept extends ConsumerParts {
  readonly holding: Holding;
  readonly closing: AbortController;
  readonly stall: StallWatch;
  readonly state: State;
}

const rejoinPauses = { pauseMinMs: 100, pauseMaxMs: 5_000 };

/** @throws LogFault `log.unavailable`, safe, where it cannot join now */
export async function openConsumer(parts: ConsumerParts): Promise<KafkaConsumer> {
  const kept = keep(parts);
  const { holding, state } = kept;
  try {
    await joinFirst(kept);
  } catch (error) {
    kill(kept);
    throw unavailable(`The group ${parts.options.group} could not be joined`, error, 'safe');
  }
  watch(kept);
  let closed: Promise<void> | undefined;
  return {
    assignment: holding.assignment,
    pause: () => {
      holding.setPaused(true);
    },
    resume: () => {
      holding.setPaused(false);
    },
    close: () => (closed ??= close(kept)),
    kill: () => {
      if (!state.isOver) kill(kept);
    },
  };
}

function keep(parts: ConsumerParts): Kept {
  const closing = new AbortController();
  const { timing, runtime, options, publishDeadLetter } = parts;
  return {
    ...parts,
    closing,
    stall: createStallWatch({ stallMs: timing.stallMs, clock: runtime.clock }),
    state: {
      membership: undefined,
      failures: 0,
      hasJoined: false,
      isOver: false,
      isAsking: false,
      watch: undefined,
    },
    holding: createHolding({
      ...{ options, runtime, closing, publishDeadLetter },
      closeMs: timing.closeMs,
    }),
  };
}

/** Brokers that have just started need a moment before they lead groups. */
async function joinFirst(kept: Kept): Promise<void> {
  const { runtime, timing, state, closing } = kept;
  const giveUpAt = runtime.clock.monoMs() + timing.requestMs;
  for (let failures = 1; ; failures += 1) {
    try {
      await join(kept);
      state.hasJoined = true;
      return;
    } catch (error) {
      state.membership?.cut();
      if (runtime.clock.monoMs() >= giveUpAt) throw error;
      await pauseFor(pauseAfter(failures, rejoinPauses), runtime, closing.signal);
    }
  }
}

/** Resolves when its partitions have begun. */
async function join(kept: Kept): Promise<void> {
  const { holding, state, stall, options, connect } = kept;
  let begun: Promise<void> = Promise.resolve();
  const isCurrent = (): boolean => state.membership === membership && !state.isOver;
  const membership = joinGroup({
    ...kept,
    connection: connect(),
    group: options.group,
    topics: options.topics,
    onSign: stall.sign,
    onAssigned: (partitions, line) => {
      if (!isCurrent()) return;
      state.failures = 0;
      holding.assign(partitions, line);
      begun = begin(kept, partitions, line, membership.joined);
      begun.catch((error: unknown) => {
        if (isCurrent()) rejoin(kept, error);
      });
    },
    onRebalancing: () => {
      if (isCurrent()) holding.revoke();
    },
    onArrival: (place, arrival, line) => isCurrent() && holding.arrived(place, arrival, line),
    onCrash: (error) => {
      if (isCurrent()) rejoin(kept, error);
    },
  });
  state.membership = membership;
  stall.begin();
  await membership.joined;
  await begun;
}

/** Each lane begins where the group stands; where it stands nowhere yet, `now` is kept first. */
async function begin(
  kept: Kept,
  partitions: readonly TopicPartition[],
  line: Line,
  joined: Promise<void>,
): Promise<void> {
  const { holding, options } = kept;
  const { generation } = holding.assignment();
  await joined;
  const given = new Set(partitions.map(placeKey));
  const found = (await standings(kept, options.group, options.topics)).filter((place) =>
    given.has(placeKey(place)),
  );
  if (options.from === 'now') {
    const unknown = found.filter(({ next }) => next === undefined);
    await Promise.all(unknown.map((place) => line.commit(place, place.end)));
  }
  const starts = found.map((place) => ({ ...place, offset: startOf(place, options.from) }));
  holding.begin(generation, starts);
}

/** What it had is lost; after a pause it begins another membership. */
function rejoin(kept: Kept, error: unknown): void {
  const { holding, state, closing, runtime } = kept;
  if (!state.hasJoined) return;
  state.membership?.cut();
  state.membership = undefined;
  holding.revoke();
  if (closing.signal.aborted || state.isOver) return;
  kept.administration.renew();
  state.failures += 1;
  const againInMs = pauseAfter(state.failures, rejoinPauses);
  holding.fault({ kind: 'rejoin', error, againInMs });
  void pauseFor(againInMs, runtime, closing.signal).then(async () => {
    if (closing.signal.aborted || state.isOver || state.membership !== undefined) return;
    await join(kept).catch((failure: unknown) => {
      // A crash was told already, and has begun the next one.
      if (state.membership !== undefined) rejoin(kept, failure);
    });
  });
}

/** Looks again and again whether the brokers are heard and what waits comes. */
function watch(kept: Kept): void {
  const { runtime, timing, state } = kept;
  state.watch = runtime.timers.after(timing.stallMs / 2, () => {
    lookForSigns(kept);
    // Asking may take longer than the next look.
    if (!state.isAsking) {
      state.isAsking = true;
      void lookForStalls(kept).finally(() => {
        state.isAsking = false;
      });
    }
    if (!state.isOver) watch(kept);
  });
}

function lookForSigns(kept: Kept): void {
  const silentMs = kept.stall.silentMs();
  if (kept.state.membership === undefined || silentMs === undefined) return;
  rejoin(kept, new Error(`Nothing was heard of the brokers for ${Math.round(silentMs)} ms.`));
}

async function lookForStalls(kept: Kept): Promise<void> {
  const { stall, holding, state, options } = kept;
  const { membership } = state;
  const isWanting = holding.progress().some(({ wanted }) => wanted !== undefined);
  // Without one, what waited before is looked at anew the next time.
  if (!isWanting) stall.stalled([], []);
  if (!isWanting || membership === undefined) return;
  const found = await standings(kept, options.group, options.topics).catch(() => undefined);
  if (found === undefined || state.membership !== membership) return;
  const stalled = stall.stalled(holding.progress(), found);
  if (stalled.length === 0) return;
  for (const each of stalled) holding.fault({ kind: 'stalled', ...each });
  rejoin(kept, new Error('Records wait, and none of them comes.'));
}

async function close(kept: Kept): Promise<void> {
  const { holding, state, closing } = kept;
  if (state.isOver) return;
  closing.abort();
  await holding.end();
  state.isOver = true;
  state.watch?.cancel();
  await state.membership?.leave();
}

function kill({ holding, state, closing }: Kept): void {
  state.isOver = true;
  state.watch?.cancel();
  holding.mute();
  holding.revoke();
  closing.abort();
  state.membership?.cut();
}
