// The arguments of a call by what they are for the ledger: identity, bound, free or secret.
import {
  boundOfStored,
  covers,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  readField,
} from '@action-ledger/domain';
import { type Tool } from '@action-ledger/tools';

export type FieldRole = 'identity' | 'bound' | 'free';

export interface Field {
  readonly path: string;
  readonly role: FieldRole;
  /** As it would be stored: a secret is a digest. Undefined where it is not given. */
  readonly value: JsonValue | undefined;
  /** How it is compared, where not exactly as it is. */
  readonly compared: readonly string[];
}

export function fieldsOf(tool: Tool, stored: JsonValue): readonly Field[] {
  const paths = Object.keys(tool.fields);
  const leaves = paths.filter((path) => !paths.some((other) => other.startsWith(`${path}.`)));
  const given: JsonObject = isJsonObject(stored) ? stored : {};
  const bound = boundOfStored(tool.declaration, given);
  return leaves.map((path) => {
    const role = roleOf(tool, path);
    const value = readField(given, path);
    const isLeftOut = value !== undefined && readField(bound, path) === undefined;
    return {
      path,
      role,
      value,
      compared: role === 'free' ? [] : howCompared(tool, path, isLeftOut),
    };
  });
}

function howCompared({ declaration }: Tool, path: string, isLeftOut: boolean): readonly string[] {
  const { normalize, sets, secret } = declaration;
  return [
    ...(Object.hasOwn(normalize, path) ? (normalize[path] ?? []) : []),
    ...(sets.includes(path) ? ['as a set'] : []),
    ...(covers(secret, path) ? ['by digest'] : []),
    ...(isLeftOut ? ['the default, left out'] : []),
  ];
}

function roleOf({ declaration: { identity, free } }: Tool, path: string): FieldRole {
  if (covers(free, path)) return 'free';
  return identity === 'all' || covers(identity, path) ? 'identity' : 'bound';
}
