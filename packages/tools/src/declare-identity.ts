// Reads the identity part of a declaration and checks every field path against the schema: a misspelt
// path would make unlike actions share one key (F217).
import {
  type FieldPath,
  type IdentityDeclaration,
  type JsonObject,
  type JsonValue,
  type Normalization,
  type Scope,
} from '@action-ledger/domain';
import { pathsOverlap, splitRootedPath } from './field-path.ts';
import { allFields, type Field, fieldAt } from './schema/field-tree.ts';
import { type Fail } from './tool-declaration-error.ts';
import { type ToolDefinition } from './definition.ts';

type Definition = ToolDefinition<JsonObject>;

const scopes: readonly Scope[] = ['call', 'turn', 'run', 'conversation', 'tenant'];
const normalizations: readonly Normalization[] = [
  'nfc',
  'trim',
  'lowercase',
  'collapse-whitespace',
];

/** @throws ToolDeclarationError */
export function declareIdentity(
  definition: Definition,
  root: Field,
  fail: Fail,
): IdentityDeclaration {
  const free = knownFields('free', definition.free ?? [], root, fail);
  const identity =
    definition.identity === undefined
      ? 'all'
      : knownFields('identity', definition.identity, root, fail);
  if (identity !== 'all') refuseOverlap(identity, free, fail);
  const scope = definition.scope ?? 'run';
  if (!scopes.includes(scope))
    fail('tool.scope', `"${scope}" is no scope; use one of ${scopes.join(', ')}.`);
  const identityVersion = definition.identityVersion ?? 1;
  if (!Number.isSafeInteger(identityVersion) || identityVersion < 1)
    fail(
      'tool.identity',
      'identityVersion must be a whole number from 1; raise it whenever the identity changes.',
    );
  return {
    tool: definition.name,
    identityVersion,
    scope,
    identity,
    free,
    normalize: normalizeOf(definition, root, fail),
    sets: setsOf(definition, root, fail),
    secret: knownFields('secret', definition.secret ?? [], root, fail),
    defaults: defaultsOf(root, fail),
  };
}

/**
 * The declarations of older identity versions, by which actions that began under them are still met.
 * @throws ToolDeclarationError
 */
export function declarePrevious(
  definition: Definition,
  root: Field,
  fail: Fail,
): readonly IdentityDeclaration[] {
  const { name, input, execute, secret, previously = [] } = definition;
  let newer = definition.identityVersion ?? 1;
  return previously.map((previous) => {
    const { identityVersion } = previous as Partial<typeof previous>;
    if (identityVersion === undefined || identityVersion >= newer)
      fail(
        'tool.identity',
        `previously lists identity versions newest first, each below the one before; ${identityVersion} is not below ${newer}.`,
      );
    newer = previous.identityVersion;
    const then = { name, input, execute, ...previous };
    return declareIdentity(secret === undefined ? then : { ...then, secret }, root, fail);
  });
}

/**
 * Whether proposals must bring a key: where the declaration says so. A tool whose arguments give no
 * identity must say so, or have scope `call`; otherwise its second use in a run would be taken for the
 * first. Declared as `identity: []`, that is meant, if there is anything else to be compared.
 */
export function needsCallersKey(definition: Definition, root: Field, fail: Fail): boolean {
  const { key = 'derived', identity, guarantee, scope } = definition;
  if (!['derived', 'caller'].includes(key))
    fail('tool.key', `"${key}" is no kind of key; use "derived" or "caller".`);
  if (key === 'caller') return true;
  if (identity === undefined && guarantee === 'natural')
    fail(
      'tool.identity',
      'guarantee "natural" needs `identity` to name the entity that is set (identity: ["account_id"]; [] where there is one entity per scope value); the fields left out hold the value.',
    );
  const isMeant = identity !== undefined && (guarantee === 'natural' || root.members.size > 0);
  if (scope !== 'call' && !isMeant && !hasHashedField(definition, root))
    fail(
      'tool.scope',
      'no argument tells one use of it from another; declare scope: "call", or key: "caller" so that each proposal brings its own key.',
    );
  return false;
}

function hasHashedField({ free = [], secret = [] }: Definition, root: Field): boolean {
  return [...root.members.keys()].some((name) => !free.includes(name) && !secret.includes(name));
}

/** `keep`, completed by the outcome fields that `undoneBy` matches: named once is enough. */
export function keptPaths(definition: Definition, root: Field, fail: Fail): readonly string[] {
  const keep = new Set<string>();
  for (const path of definition.keep ?? []) {
    checkRootedPath('keep', path, root, definition.secret ?? [], fail);
    keep.add(path);
  }
  for (const { match } of definition.undoneBy ?? [])
    for (const path of Object.values(match)) if (path.startsWith('outcome.')) keep.add(path);
  return [...keep].sort();
}

/** A path such as `arguments.order_id` (checked against the schema) or `outcome.id` (form only). */
export function checkRootedPath(
  member: string,
  path: string,
  root: Field,
  secret: readonly FieldPath[],
  fail: Fail,
): void {
  const split = splitRootedPath(path);
  if (split === undefined)
    return fail(
      'tool.unknown-field',
      `${member} names "${path}"; write "arguments.<field>" or "outcome.<field>".`,
    );
  if (split.root === 'outcome') return;
  knownFields(member, [split.path], root, fail);
  if (secret.some((hidden) => pathsOverlap(hidden, split.path)))
    fail(
      'tool.fields-overlap',
      `${member} names "${path}", which is secret and never stored; name another field.`,
    );
}

function knownFields(
  member: string,
  paths: readonly FieldPath[],
  root: Field,
  fail: Fail,
): readonly FieldPath[] {
  for (const path of paths)
    if (fieldAt(root, path) === undefined)
      fail(
        'tool.unknown-field',
        `${member} names "${path}", which its arguments do not have; they have ${fieldList(root)}.`,
      );
  const repeated = paths.find((path, index) => paths.indexOf(path) !== index);
  if (repeated !== undefined) fail('tool.fields-overlap', `${member} names "${repeated}" twice.`);
  return [...paths].sort();
}

const fieldsListed = 20;

function fieldList(root: Field): string {
  const names = [...allFields(root)].map(([path]) => path);
  if (names.length === 0) return 'no members';
  return names.slice(0, fieldsListed).join(', ') + (names.length > fieldsListed ? ', …' : '');
}

function refuseOverlap(
  identity: readonly FieldPath[],
  free: readonly FieldPath[],
  fail: Fail,
): void {
  for (const text of free) {
    const clash = identity.find((path) => pathsOverlap(path, text));
    if (clash === undefined) continue;
    if (clash === text)
      fail(
        'tool.fields-overlap',
        `"${text}" cannot be both identity and free; remove it from one.`,
      );
    fail(
      'tool.fields-overlap',
      `free "${text}" and identity "${clash}" lie in one another; name the members one by one.`,
    );
  }
}

function normalizeOf(
  definition: Definition,
  root: Field,
  fail: Fail,
): IdentityDeclaration['normalize'] {
  const declared = definition.normalize ?? {};
  const paths = knownFields('normalize', Object.keys(declared), root, fail);
  return Object.fromEntries(
    paths.map((path) => {
      const steps = [declared[path] ?? []].flat() as readonly Normalization[];
      const unknown = steps.find((step) => !normalizations.includes(step));
      if (unknown !== undefined || steps.length === 0)
        fail(
          'tool.identity',
          `normalize of "${path}" must be one or more of ${normalizations.join(', ')}.`,
        );
      if (fieldAt(root, path)?.holdsText !== true)
        fail('tool.identity', `normalize names "${path}", which holds no text.`);
      return [path, steps];
    }),
  );
}

function setsOf(definition: Definition, root: Field, fail: Fail): readonly FieldPath[] {
  const sets = knownFields('sets', definition.sets ?? [], root, fail);
  const other = sets.find((path) => fieldAt(root, path)?.kinds.has('array') !== true);
  if (other !== undefined) fail('tool.identity', `sets names "${other}", which is not an array.`);
  return sets;
}

/**
 * A member equal to its default is left out of the canonical form, so the default must be one value
 * whichever alternative of a union applies, and its path must be unmistakable.
 */
function defaultsOf(root: Field, fail: Fail): Readonly<Record<FieldPath, JsonValue>> {
  const defaults: Record<FieldPath, JsonValue> = {};
  for (const [path, field] of allFields(root)) {
    const [first, ...others] = field.defaults;
    if (first === undefined) continue;
    const text = JSON.stringify(first);
    if (others.some((other) => JSON.stringify(other) !== text))
      fail(
        'tool.schema',
        `"${path}" has a different default in different alternatives; give it one.`,
      );
    if (fieldAt(root, path) !== field)
      fail(
        'tool.schema',
        `"${path}" has a default, but a dot in its name makes its path ambiguous; rename it.`,
      );
    defaults[path] = first;
  }
  return defaults;
}
