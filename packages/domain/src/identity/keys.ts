// The three kinds of names in the ledger, each a SHA-256 over the canonical JSON of an array, never
// over joined strings (DESIGN.md section 4). The arrays' first element is the hash version: a change
// of what is hashed must raise it, and older names stay comparable by the version stored with them.
import { canonicalJson } from '../json/canonical-json.ts';
import { type JsonValue } from '../json/json-value.ts';
import { refusal, type Refusal } from '../refusal.ts';
import { type Sha256 } from '../sha256.ts';
import { type CallOrigin, type IdentityDeclaration, type Scope } from './declaration.ts';

/** Of keys, links and argument hashes. Stored with each action. */
export const hashVersion = 1;

export interface Keyed {
  readonly kind: 'keyed';
  /** 43 base64url characters. */
  readonly keyHash: string;
}

/** Code points. */
export const keyLengthMax = 255;

/** A caller's key is unique in its tenant, across tools. It is taken as it is: no trimming. */
export function callerKey(
  sha256: Sha256,
  tenant: string,
  key: string,
): Keyed | Refusal<'key.invalid'> {
  const wrong = wrongWithKey(key);
  if (wrong !== undefined) {
    const message = `The idempotency key ${wrong}. Give 1 to ${keyLengthMax} characters, no control characters.`;
    return refusal('key.invalid', message);
  }
  return { kind: 'keyed', keyHash: sha256(canonicalJson([hashVersion, tenant, 'caller', key])) };
}

function wrongWithKey(key: string): string | undefined {
  if (key.trim() === '') return 'is blank';
  const length = lengthOf(key);
  if (length > keyLengthMax) return `has ${length} characters`;
  if (/\p{Cc}/u.test(key)) return 'holds a control character';
  return key.isWellFormed() ? undefined : 'holds half of a surrogate pair';
}

/** In code points, as people count; of a text that is far too long nothing is counted. */
function lengthOf(key: string): number {
  return key.length > 2 * keyLengthMax ? key.length : Array.from(key).length;
}

export interface OneKey {
  readonly kind: 'one-key';
  /** Undefined: neither place names one. */
  readonly key: string | undefined;
}

/** A key may stand in the header, in the body, or the same in both. */
export function oneKey(
  headerKey: string | undefined,
  bodyKey: string | undefined,
): OneKey | Refusal<'key.mismatch'> {
  if (headerKey !== undefined && bodyKey !== undefined && headerKey !== bodyKey) {
    const message = 'The idempotency keys of header and body differ. Send one, or the same twice.';
    return refusal('key.mismatch', message);
  }
  return { kind: 'one-key', key: headerKey ?? bodyKey };
}

/** The key of an action that another stream's event creates: a workflow's step, a compensation. */
export function linkKey(
  sha256: Sha256,
  tenant: string,
  kind: string,
  parentId: string,
  step: string | number,
): string {
  return sha256(canonicalJson([hashVersion, tenant, 'link', kind, parentId, step]));
}

/** `identityText`: the canonical text of the identity. */
export function derivedKeyHash(
  sha256: Sha256,
  declaration: IdentityDeclaration,
  tenant: string,
  scopeValues: readonly string[],
  identityText: string,
): string {
  // The canonical text of an array is that of its elements: the identity is written only once.
  const { tool, identityVersion } = declaration;
  const start = textOf([hashVersion, tenant, 'derived', scopeValues, tool, identityVersion]);
  return sha256(`${start.slice(0, -1)},${identityText}]`);
}

const textOf = (array: readonly JsonValue[]): string => JSON.stringify(array);

const scopeParts: Readonly<Record<Scope, readonly (keyof CallOrigin)[]>> = {
  call: ['run', 'turn', 'call'],
  turn: ['run', 'turn'],
  run: ['run'],
  conversation: ['conversation'],
  tenant: [],
};

export interface ScopeValues {
  readonly kind: 'scope-values';
  readonly values: readonly string[];
}

export function scopeValuesOf(
  scope: Scope,
  tenant: string,
  origin: CallOrigin,
): ScopeValues | Refusal<'identity.scope-missing'> {
  if (isUnusable(tenant)) return refuseScope(scope, 'tenant');
  const values: string[] = [];
  for (const part of scopeParts[scope]) {
    const value = origin[part];
    if (value === undefined || isUnusable(value)) return refuseScope(scope, part);
    values.push(value);
  }
  return { kind: 'scope-values', values };
}

function isUnusable(value: string): boolean {
  return value.trim() === '' || !value.isWellFormed();
}

function refuseScope(scope: Scope, part: string): Refusal<'identity.scope-missing'> {
  return refusal(
    'identity.scope-missing',
    `The tool's actions are told apart by ${scope}, but the proposal names no ${part}. Send it, or a key of your own.`,
    { scope, missing: part },
  );
}
