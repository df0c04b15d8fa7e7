// A person's word that what a store has lost was looked into. It goes on record, with their name and
// reason, before the store is ready again: no ready store lacks it.
import { sealEvents } from '@action-ledger/codec';
import { chainStart, type Sha256 } from '@action-ledger/domain';
import { type EventStore } from '@action-ledger/event-store';
import { type Runtime } from '@action-ledger/runtime';
import { appendOnce } from '../record/append.ts';
import { checkRequest } from '../core/check-request.ts';
import { createLedgerClock } from '../core/ledger-clock.ts';
import {
  lostMax,
  recoveriesMax,
  recoveryConfirmed,
  type RecoveryConfirmed,
  recoveryStream,
} from './recoveries.ts';
import { type Gap, surveyGap } from '../record/survey-gap.ts';

export interface ConfirmRequest {
  readonly by: string;
  readonly reason: string;
  /** No event is gone, as of a file that was moved without its mark: nothing is in doubt for it. */
  readonly nothingLost?: boolean;
  /** Ids of actions that are known to be missing: they stay in doubt. Of more than 8,000 the first are kept. */
  readonly lost?: readonly string[];
}

export interface ConfirmDeps {
  /** Open for writing, and no ledger running on it: one that runs would not know. */
  readonly store: EventStore;
  readonly runtime: Runtime;
  readonly sha256: Sha256;
}

export interface Confirmed {
  /** The stream that it went on record in. */
  readonly recovery: string;
  readonly gap: Gap;
}

/**
 * @returns undefined where the store is ready, and nothing was recorded
 * @throws TypeError where the request does not fit
 */
export async function confirmRecovery(
  { store, runtime, sha256 }: ConfirmDeps,
  { by, reason, nothingLost = false, lost = [] }: ConfirmRequest,
): Promise<Confirmed | undefined> {
  const misfit = checkRequest({ by, reason }, { by: 'text', reason: 'text' });
  if (misfit !== undefined) throw new TypeError(misfit.message);
  if (store.condition().kind === 'ready') return undefined;
  if (store.confirmRecovered === undefined)
    throw new TypeError('A store that cannot be told that it is recovered.');
  const gap = await surveyGap(store);
  const clock = createLedgerClock(runtime.clock);
  clock.observe(gap.newestAt);
  const { condition, knownUntil, endedAt, mark, missing } = gap;
  const data: RecoveryConfirmed = {
    by,
    reason,
    condition: condition.kind === 'ready' ? '' : condition.reason,
    knownUntil,
    head: endedAt,
    mark,
    missing,
    ...(nothingLost ? { nothingLost } : {}),
    ...(nothingLost || lost.length === 0 ? {} : { lost: lost.slice(0, lostMax) }),
  };
  const context = { sha256, nextId: () => runtime.ids.next(), at: clock.nowMs(), by };
  for (let number = 0; number < recoveriesMax; number += 1) {
    const recovery = recoveryStream(number);
    const decided = [{ type: recoveryConfirmed, data }];
    const { events } = sealEvents(context, chainStart(recovery), decided);
    const appended = await appendOnce(store, runtime.timers, recovery, 'no stream', events);
    if (appended.kind === 'conflict') continue;
    await store.confirmRecovered();
    return { recovery, gap };
  }
  throw new Error(`there are ${recoveriesMax} recoveries on record`);
}
