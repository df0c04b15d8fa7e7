// The arguments of a compensation, from what was recorded before the step and what the step brought
// about. A reference is an object with the one member `$from`: `outcome.id`, `arguments.trip`,
// `externalId`. What it names must be there: nothing is guessed.
import { readField } from '../identity/field-path.ts';
import { isJsonObject } from '../json/is-json-object.ts';
import { type JsonObject, type JsonValue } from '../json/json-value.ts';

export interface StepResult {
  readonly arguments: JsonObject;
  readonly result: JsonValue;
  readonly externalId?: string;
}

export type ResolvedArguments =
  | { readonly kind: 'resolved'; readonly arguments: JsonObject }
  /** The path of the reference that leads nowhere. */
  | { readonly kind: 'missing'; readonly path: string };

export function resolveUndoArguments(template: JsonObject, of: StepResult): ResolvedArguments {
  const missing: string[] = [];
  const resolved = resolve(template, of, missing);
  const [path] = missing;
  return path === undefined
    ? { kind: 'resolved', arguments: resolved as JsonObject }
    : { kind: 'missing', path };
}

/** Whether they are known beforehand. */
export function hasReferences(value: JsonValue): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (referenceIn(value) !== undefined) return true;
  return Object.values(value).some((each: JsonValue) => hasReferences(each));
}

function resolve(value: JsonValue, of: StepResult, missing: string[]): JsonValue {
  if (typeof value !== 'object' || value === null) return value;
  const path = referenceIn(value);
  if (path !== undefined) {
    const found = read(of, path);
    if (found === undefined) missing.push(path);
    return found ?? null;
  }
  if (Array.isArray(value)) return value.map((each: JsonValue) => resolve(each, of, missing));
  return Object.fromEntries(
    Object.entries(value as JsonObject).map(([name, each]) => [name, resolve(each, of, missing)]),
  );
}

function referenceIn(value: JsonValue): string | undefined {
  if (!isJsonObject(value)) return undefined;
  const { $from, ...rest } = value;
  return typeof $from === 'string' && Object.keys(rest).length === 0 ? $from : undefined;
}

function read(
  { arguments: args, result, externalId }: StepResult,
  path: string,
): JsonValue | undefined {
  if (path === 'externalId') return externalId;
  if (path === 'outcome') return result;
  const dot = path.indexOf('.');
  if (dot < 0) return undefined;
  const [side, rest] = [path.slice(0, dot), path.slice(dot + 1)];
  if (side === 'arguments') return readField(args, rest);
  if (side === 'outcome' && isJsonObject(result)) return readField(result, rest);
  return undefined;
}
