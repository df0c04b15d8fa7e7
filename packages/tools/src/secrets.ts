// Keeps secret fields out of what is recorded: a tool may echo them in its result or its error text,
// and events, logs, topics and screens must never hold them (DESIGN.md section 10).
import { type FieldPath, type JsonObject, type JsonValue, readField } from '@action-ledger/domain';

export const redacted = '[secret]';

/** Shorter texts would blot out unrelated text. */
const shortestRedacted = 4;

/** The texts to be blotted out: every string or number at or below the secret fields. */
export function secretTexts(args: JsonObject, paths: readonly FieldPath[]): readonly string[] {
  const found = new Set<string>();
  for (const path of paths) collectTexts(readField(args, path), found);
  return [...found].sort((a, b) => b.length - a.length);
}

/** The value without the secrets; the same value where there is nothing to blot out. */
export function redact(value: unknown, secrets: readonly string[]): unknown {
  return secrets.length === 0 ? value : redactDeep(value, secrets, depthMax);
}

export function redactText(text: string, secrets: readonly string[]): string {
  let clean = text;
  for (const secret of secrets) clean = clean.replaceAll(secret, redacted);
  return clean;
}

/** Deeper than any JSON the ledger stores; also ends at a cycle. */
const depthMax = 100;

function redactDeep(value: unknown, secrets: readonly string[], depth: number): unknown {
  if (typeof value === 'string') return redactText(value, secrets);
  if (typeof value === 'number') return secrets.includes(String(value)) ? redacted : value;
  if (typeof value !== 'object' || value === null) return value;
  if (depth === 0) return redacted;
  if (Array.isArray(value)) return value.map((item) => redactDeep(item, secrets, depth - 1));
  if (!isPlain(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      redactText(name, secrets),
      redactDeep(member, secrets, depth - 1),
    ]),
  );
}

/** Also of another realm, whose Object.prototype is another one. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function collectTexts(value: JsonValue | undefined, into: Set<string>): void {
  if (typeof value === 'string' || typeof value === 'number') {
    const text = String(value);
    if (text.length >= shortestRedacted) into.add(text);
  } else if (typeof value === 'object' && value !== null) {
    for (const member of Object.values(value)) collectTexts(member, into);
  }
}
