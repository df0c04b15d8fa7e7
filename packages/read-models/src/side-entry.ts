// A suppressed duplicate or a refused conflict, for people who ask what the ledger held back. Kept
// beside the streams, written in batches, lost at most in a crash.
import { type CallOrigin } from '@action-ledger/domain';

export interface SideEntry {
  /** Wall-clock ms since the epoch. */
  readonly at: number;
  readonly tenant: string;
  readonly tool: string;
  /** Empty: of a call that was only observed, and met none. */
  readonly action: string;
  readonly kind: 'duplicate' | 'conflict' | 'refused' | 'observed';
  readonly reason: string;
  readonly call?: CallOrigin;
}

/** Numbers rise: an entry that is written twice stays one. */
export interface NumberedSideEntry {
  readonly number: number;
  readonly entry: SideEntry;
}

/** Older ones are dropped. */
export const storedSideEntriesMax = 10_000;
