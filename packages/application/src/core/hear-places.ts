// What is told of actions that nobody here waits for is taken over a moment later: most of them move several
// times within it, and are read once. The log may tell of them late in any case, so nothing relies on less.
import { actionOfStream } from '@action-ledger/domain';
import { pauseAfter } from '@action-ledger/event-log';
import { type Timer } from '@action-ledger/runtime';
import { type Following, type StreamPlace } from './follow-streams.ts';
import { type Parts } from './parts.ts';

export interface Hearing {
  /**
   * Resolves when what is waited for here is taken over, and where it is much all of it.
   * @throws StoreFault where that cannot be read now
   */
  readonly hear: (places: readonly StreamPlace[]) => Promise<void>;
  readonly stop: () => void;
}

/** After failures it grows to the longer one. */
const pauses = { pauseMinMs: 250, pauseMaxMs: 5_000 };
/** With more than so many it is not waited any longer. */
const laterMax = 1_000;

export function createHearing(parts: Parts, { follow, isKnown }: Following): Hearing {
  const later = new Map<string, StreamPlace>();
  let timer: Timer | undefined;
  let failures = 0;
  const keep = (places: readonly StreamPlace[]): void => {
    for (const place of places)
      if (place.revision > (later.get(place.stream)?.revision ?? -1))
        later.set(place.stream, place);
    const laterMs = pauseAfter(failures + 1, pauses);
    if (later.size > 0) timer ??= parts.runtime.timers.after(laterMs, () => void takeOverLater());
  };
  /** What cannot be read now is kept. @throws StoreFault */
  const takeOver = async (): Promise<void> => {
    timer?.cancel();
    timer = undefined;
    const places = [...later.values()];
    later.clear();
    try {
      await follow(places);
      failures = 0;
    } catch (fault) {
      failures += 1;
      keep(places.filter((place) => !isKnown(place)));
      throw fault;
    }
  };
  const takeOverLater = async (): Promise<void> => {
    try {
      await takeOver();
    } catch (fault) {
      if (!parts.isClosing()) parts.onFault('reading what others appended', fault);
    }
  };
  return {
    hear: async (places) => {
      keep(places.filter((place) => !isWaitedFor(parts, place)));
      await follow(places.filter((place) => isWaitedFor(parts, place)));
      // Whoever tells of it waits: more is told of when this has been read.
      if (later.size > laterMax) await takeOver();
    },
    stop: () => {
      timer?.cancel();
      later.clear();
    },
  };
}

/** Of what is no action's, such as a pause, everybody is to know at once. */
function isWaitedFor(
  { waiters, joins, dependents, runs }: Parts,
  { stream }: StreamPlace,
): boolean {
  const actionId = actionOfStream(stream);
  if (actionId === undefined) return true;
  return [waiters, joins, dependents, runs].some((waiting) => waiting.has(actionId));
}
