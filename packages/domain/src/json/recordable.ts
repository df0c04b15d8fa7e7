// Turns what a tool returned into JSON that can be recorded, whatever it is: an outcome is never
// dropped because it cannot be written. Everything lost or changed is named in the notes. The text is
// always accepted by the strict parser, and recording a recorded value changes nothing.
import { type FieldPath } from '../identity/declaration.ts';
import { type Sha256 } from '../sha256.ts';
import { canonicalJson } from './canonical-json.ts';
import { checkJson } from './check-json.ts';
import { convertValue, createConversion, recordableNotesMax } from './convert-value.ts';
import { cutToFit, textOf } from './cut-to-fit.ts';
import { type JsonValue } from './json-value.ts';
import { isLongerThan } from './utf8-length.ts';

export interface RecordableLimits {
  /** Of the canonical text in UTF-8; at least 32. */
  readonly bytesMax: number;
  /** Members that are never cut, as paths from the value's root: `refund.id`. */
  readonly keep?: readonly FieldPath[];
  readonly sha256: Sha256;
}

export interface Recordable {
  /** Deeply frozen. Give this to the first caller too, so that first answer and repeat are equal. */
  readonly value: JsonValue;
  /** Canonical text of `value`. */
  readonly text: string;
  /** False: something was cut because of its size. */
  readonly complete: boolean;
  /** What was changed or left out, as sentences for a person; a bounded number. */
  readonly notes: readonly string[];
  /** Only if not complete: SHA-256 of the canonical text before it was cut. */
  readonly digest?: string;
}

export { recordableNotesMax };

/** Leaves room for an envelope at doors that take a depth of 32. */
const depthMax = 24;

/** Never throws. */
export function toRecordable(value: unknown, limits: RecordableLimits): Recordable {
  const checked = checkJson(value, { bytesMax: limits.bytesMax, depthMax });
  if (checked.kind === 'checked') {
    return {
      value: checked.value,
      text: canonicalJson(checked.value),
      complete: true,
      notes: [],
    };
  }
  const conversion = createConversion(depthMax);
  const converted = convertValue(value, conversion) ?? null;
  const { notes } = conversion;
  const text = textOf(converted);
  const digest = text === undefined ? {} : { digest: limits.sha256(text) };
  if (text === undefined || isLongerThan(text, limits.bytesMax)) {
    const cut = cutToFit(converted, limits.bytesMax, limits.keep ?? []);
    return {
      value: cut.value,
      text: cut.text,
      complete: false,
      notes: [...notes, cut.note],
      ...digest,
    };
  }
  if (conversion.isCut) return { value: converted, text, complete: false, notes, ...digest };
  return { value: converted, text, complete: true, notes };
}
