// The names of a proposal: its key and hashes under the tool's declaration, and, while older identity
// versions are accepted, under those too, so that an action begun under an old name is met under it.
import {
  type Action,
  actionIdOf,
  type Difference,
  hashArguments,
  identify,
  type Identified,
  type IdentityDeclaration,
  type JsonObject,
  type IdentityRefusal,
  keyHashOf,
  whatDiffers,
} from '@action-ledger/domain';
import { type Tool } from '@action-ledger/tools';
import { type Parts } from '../core/parts.ts';
import { type Proposal } from './proposal.ts';

export interface Names {
  readonly kind: 'names';
  readonly keyHash: string;
  readonly keyKind: 'derived' | 'caller';
  readonly argumentsHash: string;
  /** Whole arguments, secrets included: for the tool, never stored. */
  readonly args: JsonObject;
  readonly stored: JsonObject;
  /** Canonical text of `stored`. */
  readonly argumentsText: string;
  readonly declaration: IdentityDeclaration;
  /** Older names that must be reserved before a new action may be created. */
  readonly older: readonly Identified[];
  /** The same arguments under the older identity versions that are accepted. */
  readonly olderForms: readonly OlderForm[];
  /** The hash of the same arguments under a version that is only on record, where one is. */
  readonly hashOnRecord: (identityVersion: number) => string | undefined;
}

export interface OlderForm {
  readonly declaration: IdentityDeclaration;
  readonly argumentsHash: string;
}

export function namesOf(
  parts: NamingParts,
  tool: Tool,
  proposal: Pick<Proposal, 'tenant' | 'origin' | 'key' | 'link'>,
  args: JsonObject,
): Names | IdentityRefusal {
  const { tenant, origin, key, link } = proposal;
  if (link?.keyHash !== undefined) {
    const { keyHash } = link;
    // A link takes the place of the key; what matters of the arguments is their hash.
    const named = namesOf(parts, tool, { tenant, origin, key: keyHash }, args);
    return named.kind === 'refusal' ? named : { ...named, keyHash, older: [] };
  }
  if (key === undefined && tool.needsKey) {
    return {
      kind: 'refusal',
      code: 'identity.empty',
      message: `${tool.name} takes no arguments that tell one action from another: give a key of your own.`,
    };
  }
  const input = { tenant, origin, key, args };
  const digest = tool.declaration.secret.length === 0 ? undefined : parts.digestSecret;
  const identified = identify(parts.sha256, tool.declaration, input, digest);
  if (identified.kind === 'refusal') return identified;
  const older: Identified[] = [];
  const olderForms: OlderForm[] = [];
  for (const declaration of tool.olderDeclarations) {
    const old = identify(parts.sha256, declaration, input, digest);
    if (old.kind === 'refusal') continue;
    olderForms.push({ declaration, argumentsHash: old.argumentsHash });
    if (old.keyHash !== identified.keyHash) older.push(old);
  }
  return {
    kind: 'names',
    keyHash: identified.keyHash,
    keyKind: identified.keyKind,
    argumentsHash: identified.argumentsHash,
    args,
    stored: identified.arguments,
    argumentsText: identified.argumentsText,
    declaration: tool.declaration,
    older,
    olderForms,
    hashOnRecord: (version) => hashOnRecord(parts, tool, version, args),
  };
}

type NamingParts = Pick<Parts, 'sha256' | 'digestSecret'> & Partial<Pick<Parts, 'declared'>>;

function hashOnRecord(
  { sha256, digestSecret, declared }: NamingParts,
  { name, declaration }: Tool,
  identityVersion: number,
  args: JsonObject,
): string | undefined {
  const then = declared?.get(name)?.findLast((each) => each.identityVersion === identityVersion);
  if (then === undefined) return undefined;
  // What fields that came later are filled with tells nothing apart.
  const defaults = { ...declaration.defaults, ...then.defaults };
  const hash = hashArguments(sha256, { ...then, defaults }, args, digestSecret);
  return typeof hash === 'string' ? hash : undefined;
}

/**
 * The arguments of the proposal as the action's own identity version hashes them. A newer version than
 * this process knows is compared by what it does know.
 */
export function argumentsHashFor(names: Names, action: Action): string {
  const { identityVersion, arguments: args, argumentsHash } = action;
  if (identityVersion === names.declaration.identityVersion) return names.argumentsHash;
  const older = olderForm(names, identityVersion);
  if (older !== undefined) return older.argumentsHash;
  if (isCut(action)) return names.hashOnRecord(identityVersion) ?? names.argumentsHash;
  const isEqual = whatDiffers(names.declaration, args, names.stored).length === 0;
  return isEqual ? argumentsHash : names.argumentsHash;
}

/** Between the action's arguments and the proposal's, by the action's own identity version. */
export function differencesFrom(names: Names, action: Action): readonly Difference[] {
  // Of arguments that are kept in part only, what is left out would seem to differ.
  if (isCut(action)) return [];
  const { declaration } = olderForm(names, action.identityVersion) ?? names;
  return whatDiffers(declaration, action.arguments, names.stored);
}

function isCut({ archived }: Action): boolean {
  return archived?.cut.includes('arguments') === true;
}

function olderForm(names: Names, identityVersion: number): OlderForm | undefined {
  return names.olderForms.find(
    ({ declaration }) => declaration.identityVersion === identityVersion,
  );
}

/** Where the first name of the chain is only reserved: the proposal under the name that it is kept for. */
export function underReservedName(names: Names, chain: readonly Action[]): Names | undefined {
  const reservedFor = chain[0]?.reservedFor;
  return reservedFor === undefined
    ? undefined
    : { ...names, keyHash: keyHashOf(reservedFor), older: [] };
}

/** The proposal under the name that an earlier version of the tool gave its action, if there is one. */
export async function underOlderName(parts: Pick<Parts, 'actions'>, names: Names): Promise<Names> {
  for (const old of names.older) {
    const first = await parts.actions.load(actionIdOf(old.keyHash, 0));
    if (first.kind === 'broken' || first.action.status === 'new') continue;
    const { reservedFor } = first.action;
    if (reservedFor !== undefined) {
      const keyHash = keyHashOf(reservedFor);
      if (keyHash !== names.keyHash) return { ...names, keyHash, older: [] };
      continue;
    }
    return { ...names, keyHash: old.keyHash, older: [] };
  }
  return names;
}

/** @returns false where an older name turned out to be taken: read again */
export async function reserveOlderNames(
  parts: Parts,
  names: Names,
  actionId: string,
): Promise<boolean> {
  const first = actionIdOf(keyHashOf(actionId), 0);
  for (const old of names.older) {
    const reserved = await parts.actions.create(actionIdOf(old.keyHash, 0), {
      type: 'ReserveName',
      action: first,
    });
    if (reserved.kind !== 'taken') continue;
    const holder = await parts.actions.load(actionIdOf(old.keyHash, 0), { fresh: true });
    if (holder.kind !== 'action' || !isReservedFor(holder.action, first)) return false;
  }
  return true;
}

function isReservedFor(action: Action, name: string): boolean {
  return action.status === 'reserved' && action.reservedFor === name;
}
