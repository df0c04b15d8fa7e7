// The one place where a proposal gets its identity: the key (derived from the arguments, or the
// caller's) and the hash of the arguments that a repeat must equal. Pure and total: what has no
// identity is refused, never given a constant.
import { canonicalJson } from '../json/canonical-json.ts';
import { type JsonObject, type JsonValue } from '../json/json-value.ts';
import { refusal, type Refusal } from '../refusal.ts';
import { type Sha256 } from '../sha256.ts';
import {
  argumentForms,
  type ArgumentForms,
  type DigestSecret,
  givenFields,
} from './argument-forms.ts';
import { type CallOrigin, type FieldPath, type IdentityDeclaration } from './declaration.ts';
import { covers, readField } from './field-path.ts';
import { callerKey, derivedKeyHash, hashVersion, type Keyed, scopeValuesOf } from './keys.ts';

export interface IdentityInput {
  readonly tenant: string;
  readonly origin: CallOrigin;
  /** The caller's key. Undefined: the key is derived. An empty text is a key, and refused. */
  readonly key?: string | undefined;
  /** Strictly parsed, validated, defaults filled. */
  readonly args: JsonObject;
}

export interface Identified {
  readonly kind: 'identified';
  readonly hashVersion: number;
  readonly keyKind: 'derived' | 'caller';
  readonly keyHash: string;
  /** Over identity and bound fields: 43 base64url characters. */
  readonly argumentsHash: string;
  /** What may be stored: the arguments as sent, free fields too, secrets replaced by their digests. */
  readonly arguments: JsonObject;
  /** Canonical text of `arguments`. */
  readonly argumentsText: string;
}

/** Why a proposal has no identity. `key.mismatch` is found where a key may stand in two places. */
export const identityRefusalCodes = [
  'identity.empty',
  'identity.scope-missing',
  'identity.secret-undigested',
  'key.invalid',
  'key.mismatch',
] as const;

export type IdentityRefusalCode = (typeof identityRefusalCodes)[number];

export type IdentityRefusal = Refusal<Exclude<IdentityRefusalCode, 'key.mismatch'>>;

export function identify(
  sha256: Sha256,
  declaration: IdentityDeclaration,
  input: IdentityInput,
  digestSecret?: DigestSecret,
): Identified | IdentityRefusal {
  const { tenant, origin, key, args } = input;
  const forms = argumentForms(declaration, args, digestSecret);
  if ('kind' in forms) return forms;
  const boundText = canonicalJson(forms.bound);
  const keyed =
    key === undefined
      ? keyOfForms(sha256, declaration, { tenant, origin, args }, { ...forms, boundText })
      : callerKey(sha256, tenant, key);
  if (keyed.kind === 'refusal') return keyed;
  return {
    kind: 'identified',
    hashVersion,
    keyKind: key === undefined ? 'derived' : 'caller',
    keyHash: keyed.keyHash,
    argumentsHash: sha256(boundText),
    arguments: forms.stored,
    argumentsText: forms.stored === forms.bound ? boundText : canonicalJson(forms.stored),
  };
}

/** The key of a proposal that brings none. */
export function deriveKey(
  sha256: Sha256,
  declaration: IdentityDeclaration,
  tenant: string,
  origin: CallOrigin,
  args: JsonObject,
  digestSecret?: DigestSecret,
): Keyed | IdentityRefusal {
  const forms = argumentForms(declaration, args, digestSecret);
  if ('kind' in forms) return forms;
  return keyOfForms(sha256, declaration, { tenant, origin, args }, forms);
}

/** SHA-256 of the canonical text of identity and bound fields. */
export function hashArguments(
  sha256: Sha256,
  declaration: IdentityDeclaration,
  args: JsonObject,
  digestSecret?: DigestSecret,
): string | Refusal<'identity.secret-undigested'> {
  const forms = argumentForms(declaration, args, digestSecret);
  return 'kind' in forms ? forms : sha256(canonicalJson(forms.bound));
}

function keyOfForms(
  sha256: Sha256,
  declaration: IdentityDeclaration,
  { tenant, origin, args }: IdentityInput,
  forms: ArgumentForms & { readonly boundText?: string },
): Keyed | IdentityRefusal {
  const scope = scopeValuesOf(declaration.scope, tenant, origin);
  if (scope.kind === 'refusal') return scope;
  const identity = identityOf(declaration, forms);
  // A digest never looks blank, whatever it stands for.
  const mayBeMissing = declaration.secret.length > 0 || isBlank(identity);
  if (mayBeMissing && isMissing(declaration, args)) return refuseEmpty(declaration);
  const isBoundText = identity === forms.bound && forms.boundText !== undefined;
  const text = isBoundText ? forms.boundText : canonicalJson(identity);
  return {
    kind: 'keyed',
    keyHash: derivedKeyHash(sha256, declaration, tenant, scope.values, text),
  };
}

/**
 * All fields but the free and secret ones, or an object of the declared ones by their paths. A missing
 * field is a missing member, null is null. A secret that is declared as identity enters as its digest.
 */
function identityOf(declaration: IdentityDeclaration, forms: ArgumentForms): JsonObject {
  if (declaration.identity === 'all') return forms.withoutSecrets;
  const identity: Record<FieldPath, JsonValue> = {};
  for (const path of declaration.identity) {
    const value = readField(forms.bound, path);
    if (value !== undefined) identity[path] = value;
  }
  return identity;
}

/** Whether nothing tells this action from another. What was only left out as a default does. */
function isMissing(declaration: IdentityDeclaration, args: JsonObject): boolean {
  const { identity, free, secret, scope } = declaration;
  const isAll = identity === 'all';
  if (isAll ? scope === 'call' : identity.length === 0) return false;
  const hidden = isAll ? [...free, ...secret] : free;
  const defaults = new Map(
    Object.entries(declaration.defaults).filter(([path]) => !covers(hidden, path)),
  );
  const given = givenFields(declaration, args, !isAll);
  if (isAll) return isBlank({ ...Object.fromEntries(defaults), ...given });
  return identity.every((path) => isBlank(readField(given, path) ?? defaults.get(path)));
}

function refuseEmpty({ tool, identity }: IdentityDeclaration): Refusal<'identity.empty'> {
  if (identity === 'all') {
    const message = `Nothing in the arguments tells one action of ${tool} from another. Give a key of your own, or let the tool declare scope call.`;
    return refusal('identity.empty', message, { tool });
  }
  const message = `The fields that tell one action of ${tool} from another are missing or empty: ${identity.join(', ')}. Give at least one.`;
  return refusal('identity.empty', message, { tool, fields: identity });
}

/** Nothing that could tell one action from another: null, blank text, and what holds only those. */
function isBlank(value: JsonValue | undefined): boolean {
  if (value === undefined || value === null) return true;
  if (typeof value === 'string') return value.trim() === '';
  return typeof value === 'object' && Object.values(value).every(isBlank);
}
