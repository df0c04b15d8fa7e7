// The normalisations a field may ask for. They shape what is hashed and compared, never what is sent.
// The order of the declaration does not matter: they are applied in the one order in which doing it
// twice changes nothing.
import { isJsonArray } from '../json/is-json-object.ts';
import { type JsonValue } from '../json/json-value.ts';
import { type Normalization } from './declaration.ts';

/** A text, or the texts in an array, however deep; anything else stays as it is. */
export function normalizeValue(value: JsonValue, by: readonly Normalization[]): JsonValue {
  if (by.length === 0) return value;
  if (typeof value === 'string') return normalizeText(value, by);
  return isJsonArray(value) ? value.map((element) => normalizeValue(element, by)) : value;
}

export function normalizeText(text: string, by: readonly Normalization[]): string {
  let normal = text;
  if (by.includes('lowercase')) normal = normal.toLowerCase();
  if (by.includes('nfc')) normal = normal.normalize('NFC');
  if (by.includes('collapse-whitespace')) normal = normal.replace(/\s+/gu, ' ');
  if (by.includes('trim')) normal = normal.trim();
  return normal;
}
