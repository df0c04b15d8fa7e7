// A tool's declaration as the ledger keeps it (stream `tool-<name>`), and the comparison at the next
// registration: what decides identity may not change without a new identityVersion, or the same
// arguments would get another key and run again.
import { createHash } from 'node:crypto';
import {
  type ApprovalRules,
  canonicalJson,
  type FieldPath,
  type IdentityDeclaration,
  type JsonValue,
  type Refusal,
  refusal,
  type ToolRules,
} from '@action-ledger/domain';
import { type RegistrationRefusalCode } from './refusal-codes.ts';
import { type Tool } from './tool.ts';

/** The data of a `ToolRegistered` event: plain JSON, lists sorted. */
export interface DeclarationData extends Omit<IdentityDeclaration, 'defaults'> {
  readonly kind: Tool['kind'];
  readonly key: 'derived' | 'caller';
  readonly defaults: Readonly<Record<FieldPath, JsonValue>>;
  /** A field is required where it and all members around it must be given. */
  readonly fields: Readonly<Record<FieldPath, 'required' | 'optional'>>;
  readonly rules: ToolRules;
  readonly approval: (ApprovalRules & { readonly isConditional: boolean }) | null;
  readonly policyVersion: string | null;
  readonly keep: readonly string[];
  readonly compensatedBy: string | null;
  /** `custom`: a function of the tool's own. */
  readonly downstreamKey: 'base64url' | 'uuid' | 'hex' | 'custom';
}

export function declarationEvent(tool: Omit<Tool, 'digest'>): DeclarationData {
  const { approval, downstreamKeyFormat } = tool;
  return {
    ...tool.declaration,
    kind: tool.kind,
    key: tool.needsKey ? 'caller' : 'derived',
    fields: tool.fields,
    rules: tool.rules,
    approval:
      approval === undefined
        ? null
        : { ...approval.rules, isConditional: approval.when !== undefined },
    policyVersion: tool.policy?.version ?? null,
    keep: tool.keep,
    compensatedBy: tool.compensate?.tool ?? null,
    downstreamKey: typeof downstreamKeyFormat === 'function' ? 'custom' : downstreamKeyFormat,
  };
}

/** SHA-256 of the declaration's canonical JSON as base64url: equal where nothing at all has changed. */
export function declarationDigest(data: DeclarationData): string {
  const text = canonicalJson(data as unknown as JsonValue);
  return createHash('sha256').update(text).digest('base64url');
}

export type DeclarationComparison =
  | 'same'
  /** Something changed that decides no key, or the identityVersion was raised: register it anew. */
  | 'compatible'
  | Refusal<RegistrationRefusalCode>;

/** @param registered the newest registration of the tool of this name */
export function compareDeclarations(
  registered: DeclarationData,
  tool: Tool,
): DeclarationComparison {
  const declared = declarationEvent(tool);
  if (declared.identityVersion < registered.identityVersion)
    return versionLowered(registered, declared);
  if (declarationDigest(registered) === tool.digest) return 'same';
  if (declared.identityVersion > registered.identityVersion) return 'compatible';
  const changed = changedParts(registered, declared);
  return changed.length === 0 ? 'compatible' : identityChanged(declared, changed);
}

/** Fields that only one side has are compared in `changedFields`; a new field with a default changes no key. */
function changedParts(old: DeclarationData, now: DeclarationData): readonly string[] {
  const isShared = (path: string): boolean => path in old.fields && path in now.fields;
  const parts = {
    scope: [old.scope, now.scope],
    key: [old.key, now.key],
    identity: [sharedIdentity(old, isShared), sharedIdentity(now, isShared)],
    free: [old.free.filter(isShared), now.free.filter(isShared)],
    normalize: [pick(old.normalize, isShared), pick(now.normalize, isShared)],
    sets: [old.sets.filter(isShared), now.sets.filter(isShared)],
    secret: [old.secret.filter(isShared), now.secret.filter(isShared)],
    defaults: [pick(old.defaults, isShared), pick(now.defaults, isShared)],
  } as const;
  const unequal = Object.entries(parts)
    .filter(([, [before, after]]) => canonicalJson(before) !== canonicalJson(after))
    .map(([part]) => part);
  return [...unequal, ...changedFields(old, now, 'removed'), ...changedFields(now, old, 'added')];
}

function sharedIdentity(data: DeclarationData, isShared: (path: string) => boolean): JsonValue {
  return data.identity === 'all' ? 'all' : data.identity.filter(isShared);
}

/** Required fields that are hashed and that `other` does not have: no repeat could have equal hashes. */
function changedFields(
  data: DeclarationData,
  other: DeclarationData,
  how: string,
): readonly string[] {
  const isFree = (path: string): boolean =>
    data.free.some((text) => path === text || path.startsWith(`${text}.`));
  return Object.entries(data.fields)
    .filter(([path, need]) => need === 'required' && !(path in other.fields) && !isFree(path))
    .map(([path]) => `required field "${path}" ${how}`);
}

function pick<Value extends JsonValue>(
  from: Readonly<Record<string, Value>>,
  isWanted: (path: string) => boolean,
): Readonly<Record<string, Value>> {
  return Object.fromEntries(Object.entries(from).filter(([path]) => isWanted(path)));
}

function identityChanged(
  now: DeclarationData,
  changed: readonly string[],
): Refusal<RegistrationRefusalCode> {
  return refusal(
    'tool.identity-changed',
    `Tool "${now.tool}" changed what decides identity (${changed.join(', ')}) but kept identityVersion ${now.identityVersion}: the same arguments would get another key and could run twice. Set identityVersion: ${now.identityVersion + 1}, or undo the change.`,
    { tool: now.tool, changed, identityVersion: now.identityVersion },
  );
}

function versionLowered(
  registered: DeclarationData,
  now: DeclarationData,
): Refusal<RegistrationRefusalCode> {
  return refusal(
    'tool.identity-version-lowered',
    `Tool "${now.tool}" declares identityVersion ${now.identityVersion}, but ${registered.identityVersion} is registered: an older program would not see the newer keys. Deploy the newer declaration, or raise the version above ${registered.identityVersion}.`,
    { tool: now.tool, registered: registered.identityVersion, declared: now.identityVersion },
  );
}
