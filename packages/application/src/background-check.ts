// What opening did not look at: every older stream is read and folded once in the background, in small
// bites, and positions that are missing put the ledger into `recovering`.
import { actionOfStream } from '@action-ledger/domain';
import { pause } from './append.ts';
import { type Parts } from './parts.ts';
import { readEvents } from './read-events.ts';

/** Small bites with pauses between them: the check must not be felt. */
const eventsPerBite = 500;
const pauseMs = 25;

/** @param through the last position that the opening has not looked at itself */
export async function checkInBackground(
  parts: Parts,
  through: number,
  onMissing: (first: number, last: number) => void,
): Promise<void> {
  let next = 1;
  for await (const bite of readEvents(parts.store, { after: 0, through, batch: eventsPerBite })) {
    for (const { position, revision, stream } of bite) {
      if (position > next) onMissing(next, position - 1);
      next = position + 1;
      const actionId = revision === 0 ? actionOfStream(stream) : undefined;
      // Loading folds the stream and checks its chain; a broken one is quarantined.
      if (actionId !== undefined) await parts.actions.check(actionId);
    }
    if (parts.isClosing()) return;
    await pause(parts.runtime.timers, pauseMs, false);
  }
}
