// Keeps secret fields out of what is recorded: a tool may echo them in its result or its error text,
// and events, logs, topics and screens must never hold them (DESIGN.md section 10).
import { type FieldPath, type JsonObject, type JsonValue, readField } from '@action-ledger/domain';

const redacted = '[secret]';

/** Shorter secrets are blotted out only as words of their own: a PIN may stand inside an unrelated id. */
const shortestInsideWords = 8;

/** The texts to be blotted out: every string or number at or below the secret fields. */
export function secretTexts(args: JsonObject, paths: readonly FieldPath[]): readonly string[] {
  const found = new Set<string>();
  for (const path of paths) collectTexts(readField(args, path), found);
  return [...found].sort((a, b) => b.length - a.length);
}

/** The value without the secrets; the same value where there is nothing to blot out. Never throws. */
export function redact(value: unknown, secrets: readonly string[]): unknown {
  if (secrets.length === 0) return value;
  try {
    return redactDeep(value, secrets, depthMax);
  } catch {
    // A member that cannot be read cannot be cleared either; the outcome itself must not be lost.
    return redacted;
  }
}

/** What came from outside in an outcome, a result or a verdict; the rest are the ledger's own words. */
const fromOutside = ['reason', 'code', 'detail', 'result', 'externalId'] as const;

export function redactMembers<Said extends object>(said: Said, secrets: readonly string[]): Said {
  if (secrets.length === 0) return said;
  const members = said as Readonly<Record<string, unknown>>;
  const clean = fromOutside
    .filter((name) => Object.hasOwn(members, name))
    .map((name) => [name, redact(members[name], secrets)] as const);
  // The spread also keeps a symbol that marks the result of an attempt.
  return { ...said, ...Object.fromEntries(clean) };
}

function redactText(text: string, secrets: readonly string[]): string {
  let clean = text;
  for (const secret of secrets)
    clean =
      secret.length >= shortestInsideWords
        ? clean.replaceAll(secret, redacted)
        : clean.replaceAll(asWord(secret), redacted);
  return clean;
}

function asWord(secret: string): RegExp {
  const literal = secret.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`(?<![\\p{L}\\p{N}])${literal}(?![\\p{L}\\p{N}])`, 'gu');
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
    if (value !== '') into.add(String(value));
  } else if (typeof value === 'object' && value !== null) {
    for (const member of Object.values(value)) collectTexts(member, into);
  }
}
