// Field paths as declarations name them, beyond what the domain reads by them.
import { covers, type FieldPath } from '@action-ledger/domain';

/** One is the other, or lies inside it. */
export function pathsOverlap(a: FieldPath, b: FieldPath): boolean {
  return covers([a], b) || covers([b], a);
}

/** `arguments.order.id` into its root and the path below it; undefined where it is neither form. */
export function splitRootedPath(
  path: string,
): { readonly root: 'arguments' | 'outcome'; readonly path: FieldPath } | undefined {
  const match = /^(arguments|outcome)\.([^.]+(?:\.[^.]+)*)$/.exec(path);
  if (match?.[2] === undefined) return undefined;
  return { root: match[1] as 'arguments' | 'outcome', path: match[2] };
}
