// What events and states have in common: a result as it is stored, and who answers for what is not known.
import { type JsonValue } from '../json/json-value.ts';

/** Who answers for what is not known: first the reconciler, then an operator. */
export type Owner = 'reconciler' | 'operator';

/** Every unknown, failed compensation and incident carries one. */
export interface Watch {
  readonly owner: Owner;
  readonly nextCheckAt: number;
}

export interface RecordedResult {
  readonly result: JsonValue;
  readonly externalId?: string;
  /** SHA-256 of the whole result's canonical text, where `result` holds only a part of it. */
  readonly digest?: string;
  /** What could not be kept of the result, and why. */
  readonly notes?: readonly string[];
}
