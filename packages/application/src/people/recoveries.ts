// Recoveries on record: each time a store that went back in time was confirmed by a person, in a
// stream of its own. They say until when the record is whole, and when it was taken up again.
import { unsealEvent } from '@action-ledger/codec';
import { findChainBreak, type Sha256 } from '@action-ledger/domain';
import { type EventStore, type RecordedEvent } from '@action-ledger/event-store';

export interface Recovery {
  /** The stream that it stands in. */
  readonly name: string;
  /** When it was confirmed, wall-clock ms. */
  readonly at: number;
  /** The record is whole up to then. */
  readonly knownUntil: number;
  /** Actions that are known to be missing: whenever they are proposed again, they are in doubt. */
  readonly lost: ReadonlySet<string>;
}

/** The data of a `RecoveryConfirmed` event. */
export interface RecoveryConfirmed {
  readonly by: string;
  readonly reason: string;
  /** What the store said of itself. */
  readonly condition: string;
  readonly knownUntil: number;
  /** Where it ended, and the highest position that it was known to hold. */
  readonly head: number;
  readonly mark: number;
  /** Positions, first and last, that are not there. */
  readonly missing: readonly (readonly [first: number, last: number])[];
  /** Actions that were known to be missing; as many as there is room for. */
  readonly lost?: readonly string[];
  /** A person knows that no event is gone: nothing is in doubt for it. */
  readonly nothingLost?: true;
}

export const recoveryConfirmed = 'RecoveryConfirmed';

export function recoveryStream(number: number): string {
  return `recovery-${number}`;
}

/** So many are kept by name: all of them fit into one event. */
export const lostMax = 8_000;

export const recoveriesMax = 10_000;

/** In their order. One that cannot be read puts everything in doubt. */
export async function readRecoveries(
  store: EventStore,
  sha256: Sha256,
): Promise<readonly Recovery[]> {
  const found: Recovery[] = [];
  for (let number = 0; number < recoveriesMax; number += 1) {
    const name = recoveryStream(number);
    const events = await store.readStream(name);
    if (events.length === 0) break;
    const recovery = recoveryOf(sha256, name, events);
    if (recovery !== undefined) found.push(recovery);
  }
  return found;
}

function recoveryOf(
  sha256: Sha256,
  name: string,
  events: readonly RecordedEvent[],
): Recovery | undefined {
  const [first] = events;
  if (first === undefined) return undefined;
  if (findChainBreak(sha256, name, events) !== undefined)
    return { name, at: Infinity, knownUntil: 0, lost: new Set() };
  const { event, metadata } = unsealEvent(first);
  const { knownUntil, nothingLost, lost } = event.data as unknown as RecoveryConfirmed;
  if (nothingLost === true) return undefined;
  return { name, at: metadata.at, knownUntil, lost: new Set(lost) };
}
