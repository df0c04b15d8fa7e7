// A declaration's field paths as a tree, so that arguments are shaped in one walk. Built once per
// declaration.
import { type JsonValue } from '../json/json-value.ts';
import { type FieldPath, type IdentityDeclaration, type Normalization } from './declaration.ts';

export interface FieldNode {
  readonly path: FieldPath;
  readonly members: ReadonlyMap<string, FieldNode>;
  readonly isFree: boolean;
  readonly isSecret: boolean;
  readonly isSet: boolean;
  readonly normalize: readonly Normalization[];
  readonly hasDefault: boolean;
  /** Meaningless without `hasDefault`. */
  readonly defaultValue: JsonValue;
}

type GrowingNode = {
  -readonly [Member in keyof FieldNode]: Member extends 'members'
    ? Map<string, GrowingNode>
    : FieldNode[Member];
};

export function fieldTree(declaration: IdentityDeclaration): FieldNode {
  const root = createNode('');
  for (const path of declaration.free) nodeAt(root, path).isFree = true;
  for (const path of declaration.secret) nodeAt(root, path).isSecret = true;
  for (const path of declaration.sets) nodeAt(root, path).isSet = true;
  for (const [path, by] of Object.entries(declaration.normalize)) nodeAt(root, path).normalize = by;
  for (const [path, value] of Object.entries(declaration.defaults)) {
    Object.assign(nodeAt(root, path), { hasDefault: true, defaultValue: value });
  }
  return root;
}

function nodeAt(root: GrowingNode, path: FieldPath): GrowingNode {
  let node = root;
  for (const name of path.split('.')) {
    let member = node.members.get(name);
    if (member === undefined) {
      member = createNode(node.path === '' ? name : `${node.path}.${name}`);
      node.members.set(name, member);
    }
    node = member;
  }
  return node;
}

function createNode(path: FieldPath): GrowingNode {
  return {
    path,
    members: new Map(),
    isFree: false,
    isSecret: false,
    isSet: false,
    normalize: [],
    hasDefault: false,
    defaultValue: null,
  };
}
