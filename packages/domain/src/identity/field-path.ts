// Reading a declared field out of arguments. Only own members count, and arrays are leaves: a path
// never leads into one.
import { isJsonObject } from '../json/is-json-object.ts';
import { type JsonObject, type JsonValue } from '../json/json-value.ts';
import { type FieldPath } from './declaration.ts';

/** Undefined: missing, which is not the same as null. */
export function readField(args: JsonObject, path: FieldPath): JsonValue | undefined {
  if (!path.includes('.')) return Object.hasOwn(args, path) ? args[path] : undefined;
  let value: JsonValue | undefined = args;
  for (const name of path.split('.')) {
    if (!isJsonObject(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
}

/** Whether one of the paths is this one or an object that holds it. */
export function covers(paths: readonly FieldPath[], path: FieldPath): boolean {
  return paths.some((candidate) => path === candidate || path.startsWith(`${candidate}.`));
}
