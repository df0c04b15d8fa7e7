// The domain says no: a value, never thrown. Every code stands in docs/errors.md.
import { type JsonValue } from './json/json-value.ts';

export interface Refusal<Code extends string = string> {
  readonly kind: 'refusal';
  readonly code: Code;
  /** One sentence for a person: what is wrong, and what to do. */
  readonly message: string;
  /** Facts for programs: the path, the revision, what differs. */
  readonly detail?: Readonly<Record<string, JsonValue>>;
}

export function refusal<Code extends string>(
  code: Code,
  message: string,
  detail?: Readonly<Record<string, JsonValue>>,
): Refusal<Code> {
  return detail === undefined
    ? { kind: 'refusal', code, message }
    : { kind: 'refusal', code, message, detail };
}
