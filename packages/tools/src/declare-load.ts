// How much of a tool may run at once. No part of its identity: it can be changed at any time.
import { type FieldPath, type JsonObject } from '@action-ledger/domain';
import { type ToolDefinition } from './definition.ts';
import { pathsOverlap } from './field-path.ts';
import { type Field, fieldAt } from './schema/field-tree.ts';
import { type Fail } from './tool-declaration-error.ts';

export interface LoadLimits {
  /** Attempts under way at once. */
  readonly concurrent: number;
  /** Sends per second; as many may follow one another at once. */
  readonly perSecond: number;
  /** Of those with equal values here only one is under way; empty: no such limit. */
  readonly oneAtATime: readonly FieldPath[];
}

const countMax = 100_000;

/** Undefined: no limit is declared. @throws ToolDeclarationError */
export function declareLoad(
  definition: ToolDefinition<JsonObject>,
  root: Field,
  fail: Fail,
): LoadLimits | undefined {
  const { load, secret = [] } = definition;
  if (load === undefined) return undefined;
  const { concurrent = Infinity, perSecond = Infinity, oneAtATime = [] } = load;
  if (concurrent !== Infinity && !isWhole(concurrent))
    fail('tool.load', `load.concurrent must be a whole number from 1 to ${countMax}.`);
  if (perSecond !== Infinity && !(perSecond > 0 && perSecond <= countMax))
    fail('tool.load', `load.perSecond must be a number above 0, up to ${countMax}.`);
  for (const path of oneAtATime) checkField(path, root, secret, fail);
  return Object.freeze({
    concurrent,
    perSecond,
    oneAtATime: Object.freeze([...oneAtATime].sort()),
  });
}

function checkField(path: FieldPath, root: Field, secret: readonly FieldPath[], fail: Fail): void {
  if (fieldAt(root, path) === undefined)
    fail('tool.unknown-field', `load.oneAtATime names "${path}", which its arguments do not have.`);
  if (secret.some((hidden) => pathsOverlap(hidden, path)))
    fail('tool.load', `load.oneAtATime names "${path}", which is secret; name another field.`);
}

function isWhole(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 1 && value <= countMax;
}
