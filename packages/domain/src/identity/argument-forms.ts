// The forms of a tool's arguments: *stored* (as sent, secrets replaced by their digests) and *bound*
// (what a repeat must equal: free fields left out, the rest normalised, sets sorted, members equal to
// their default left out). Where a declaration asks for none of it, all forms are the arguments.
import { canonicalJson } from '../json/canonical-json.ts';
import { isJsonArray, isJsonObject } from '../json/is-json-object.ts';
import { type JsonObject, type JsonValue } from '../json/json-value.ts';
import { refusal, type Refusal } from '../refusal.ts';
import { type FieldPath, type IdentityDeclaration } from './declaration.ts';
import { readField } from './field-path.ts';
import { type FieldNode, fieldTree } from './field-tree.ts';
import { normalizeValue } from './normalize.ts';

/**
 * The keyed digest of a secret field, with the id of the digest key in it.
 * @param text canonical JSON of the field's value
 */
export type DigestSecret = (path: FieldPath, text: string) => string;

/** What stands in the place of a secret in every form. */
export interface SecretMark {
  readonly secretDigest: string;
}

export interface ArgumentForms {
  readonly stored: JsonObject;
  readonly bound: JsonObject;
  /** As bound, without the secret fields: their digests change with the digest key. */
  readonly withoutSecrets: JsonObject;
}

export function argumentForms(
  declaration: IdentityDeclaration,
  args: JsonObject,
  digestSecret?: DigestSecret,
): ArgumentForms | Refusal<'identity.secret-undigested'> {
  const shape = shapeOf(declaration);
  if (shape.isPlain) return { stored: args, bound: args, withoutSecrets: args };
  const marks = new Map<FieldPath, JsonValue>();
  for (const path of declaration.secret) {
    const secret = readField(args, path);
    if (secret === undefined) continue;
    if (digestSecret === undefined) return refuseUndigested(path);
    const text = canonicalJson(leafOf(secret, nodeOf(shape.root, path)));
    marks.set(path, { secretDigest: digestSecret(path, text) });
  }
  const markOf: SecretRule = (_secret, node) => marks.get(node.path);
  const bound = boundMembers(args, shape.root, shape.defaultTexts, markOf);
  if (marks.size === 0) return { stored: args, bound, withoutSecrets: bound };
  return {
    stored: storedMembers(args, shape.root, marks),
    bound,
    withoutSecrets: boundMembers(args, shape.root, shape.defaultTexts, leaveOut),
  };
}

/** The bound form of arguments whose secrets are marks already. */
export function boundOfStored(declaration: IdentityDeclaration, stored: JsonObject): JsonObject {
  const { isPlain, root, defaultTexts } = shapeOf(declaration);
  return isPlain ? stored : boundMembers(stored, root, defaultTexts, leaveAsIs);
}

/** What was given and is not free, defaults included. Not to be stored: secrets are as they are. */
export function givenFields(
  declaration: IdentityDeclaration,
  args: JsonObject,
  withSecrets: boolean,
): JsonObject {
  const secrets = withSecrets ? leaveAsIs : leaveOut;
  return boundMembers(args, shapeOf(declaration).root, new Map(), secrets);
}

interface Shape {
  readonly root: FieldNode;
  /** No path is declared: every form is the arguments themselves. */
  readonly isPlain: boolean;
  readonly defaultTexts: DefaultTexts;
}

/** Canonical text of each default's bound form. */
type DefaultTexts = ReadonlyMap<FieldNode, string>;

/** What becomes of a secret field; undefined: it is left out. */
type SecretRule = (secret: JsonValue, node: FieldNode) => JsonValue | undefined;

const leaveOut: SecretRule = () => undefined;
const leaveAsIs: SecretRule = (secret) => secret;

const shapes = new WeakMap<IdentityDeclaration, Shape>();

function shapeOf(declaration: IdentityDeclaration): Shape {
  const known = shapes.get(declaration);
  if (known !== undefined) return known;
  const root = fieldTree(declaration);
  const defaultTexts = new Map<FieldNode, string>();
  addDefaultTexts(root, defaultTexts);
  const shape = { root, isPlain: root.members.size === 0, defaultTexts };
  shapes.set(declaration, shape);
  return shape;
}

/** Inner defaults first: they shape the outer ones. */
function addDefaultTexts(node: FieldNode, texts: Map<FieldNode, string>): void {
  for (const member of node.members.values()) addDefaultTexts(member, texts);
  if (node.hasDefault)
    texts.set(node, canonicalJson(shaped(node.defaultValue, node, texts, leaveAsIs)));
}

function boundMembers(
  members: JsonObject,
  node: FieldNode,
  defaults: DefaultTexts,
  secrets: SecretRule,
): JsonObject {
  const bound: Record<string, JsonValue> = {};
  for (const name of Object.keys(members)) {
    const value = members[name] as JsonValue;
    const child = node.members.get(name);
    const kept = child === undefined ? value : boundMember(value, child, defaults, secrets);
    if (kept !== undefined) bound[name] = kept;
  }
  return bound;
}

function boundMember(
  value: JsonValue,
  node: FieldNode,
  defaults: DefaultTexts,
  secrets: SecretRule,
): JsonValue | undefined {
  if (node.isFree) return undefined;
  const bound = shaped(value, node, defaults, secrets);
  const defaultText = defaults.get(node);
  if (defaultText !== undefined && canonicalJson(bound) === defaultText) return undefined;
  return node.isSecret ? secrets(bound, node) : bound;
}

function shaped(
  value: JsonValue,
  node: FieldNode,
  defaults: DefaultTexts,
  secrets: SecretRule,
): JsonValue {
  if (node.members.size > 0 && isJsonObject(value)) {
    return boundMembers(value, node, defaults, secrets);
  }
  return leafOf(value, node);
}

function leafOf(value: JsonValue, node: FieldNode): JsonValue {
  const normal = normalizeValue(value, node.normalize);
  return node.isSet && isJsonArray(normal) ? sortedSet(normal) : normal;
}

/** As a multiset: a repeated element counts. */
function sortedSet(elements: readonly JsonValue[]): readonly JsonValue[] {
  const texts = elements.map((element) => ({ element, text: canonicalJson(element) }));
  texts.sort((one, other) => (one.text < other.text ? -1 : one.text > other.text ? 1 : 0));
  return texts.map(({ element }) => element);
}

function storedMembers(
  members: JsonObject,
  node: FieldNode,
  marks: ReadonlyMap<FieldPath, JsonValue>,
): JsonObject {
  const stored: Record<string, JsonValue> = {};
  for (const name of Object.keys(members)) {
    const value = members[name] as JsonValue;
    const child = node.members.get(name);
    if (child === undefined) stored[name] = value;
    else if (child.isSecret) stored[name] = marks.get(child.path) ?? null;
    else stored[name] = isJsonObject(value) ? storedMembers(value, child, marks) : value;
  }
  return stored;
}

function nodeOf(root: FieldNode, path: FieldPath): FieldNode {
  let node = root;
  for (const name of path.split('.')) node = node.members.get(name) ?? node;
  return node;
}

function refuseUndigested(path: FieldPath): Refusal<'identity.secret-undigested'> {
  return refusal(
    'identity.secret-undigested',
    `The field ${path} is secret and there is no key to digest it with here. Propose where there is one, or pass a reference.`,
    { path },
  );
}
