// One delivery of a recorded call to a ledger, and what its caller was told. Plain data, because the
// ledger may live in another process.
import { type Answer } from '@action-ledger/application';
import { type CallOrigin, type JsonObject } from '@action-ledger/domain';

export interface Delivery {
  /** The run: every run is a tenant of its own. */
  readonly tenant: string;
  readonly seq: number;
  readonly tool: string;
  readonly arguments: JsonObject;
  readonly origin: Required<CallOrigin>;
}

/** What a play needs of an answer. */
export type Delivered = Pick<
  Answer,
  'word' | 'state' | 'repeat' | 'actionId' | 'code' | 'reason' | 'owner'
>;

export interface Deliverer {
  /** Resolves when the action that the call met is settled, or rests with an operator. */
  deliver(delivery: Delivery): Promise<Delivered>;
  /** Waits for what runs, then lets go of the file. */
  close(): Promise<void>;
}

export function deliveredOf(answer: Answer): Delivered {
  const { word, state, repeat, actionId, code, reason, owner } = answer;
  return {
    word,
    state,
    repeat,
    ...(actionId === undefined ? {} : { actionId }),
    ...(code === undefined ? {} : { code }),
    ...(reason === undefined ? {} : { reason }),
    ...(owner === undefined ? {} : { owner }),
  };
}

/** Longer than everything that a sandbox makes anybody wait for; what is open then rests. */
export const restWithinMs = 60_000;
