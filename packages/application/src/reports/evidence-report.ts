// What anyone but the holder of a claim says about an action.
import { type JsonValue } from '@action-ledger/domain';

export interface EvidenceReport {
  /** Who says so: `webhook`, `attempt 1`, a person. */
  readonly source: string;
  readonly claims: 'success' | 'refusal' | 'note';
  /** By our downstream key or reference. Only what is proven settles anything. */
  readonly proven: boolean;
  /** `refusal`, proven: the provider says that it never had an effect for our key. */
  readonly neverHadEffect?: boolean;
  /** The reporter's own id of what it says (of a webhook): said again, it counts once. */
  readonly id?: string;
  readonly attempt?: number;
  readonly externalId?: string;
  readonly data?: JsonValue;
}
