// The arguments of a call by what they are for the ledger: identity, bound, free or secret.
import { isJsonObject, type JsonValue, readField } from '@action-ledger/domain';
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
  const { declaration, fields } = tool;
  const paths = Object.keys(fields);
  const leaves = paths.filter((path) => !paths.some((other) => other.startsWith(`${path}.`)));
  return leaves.map((path) => ({
    path,
    role: roleOf(tool, path),
    value: isJsonObject(stored) ? readField(stored, path) : undefined,
    compared: [
      ...(declaration.normalize[path] ?? []),
      ...(declaration.sets.includes(path) ? ['as a set'] : []),
      ...(covers(declaration.secret, path) ? ['by digest'] : []),
      ...(path in declaration.defaults ? ['default left out'] : []),
    ],
  }));
}

function roleOf({ declaration: { identity, free } }: Tool, path: string): FieldRole {
  if (covers(free, path)) return 'free';
  return identity === 'all' || covers(identity, path) ? 'identity' : 'bound';
}

function covers(declared: readonly string[], path: string): boolean {
  return declared.some((each) => path === each || path.startsWith(`${each}.`));
}
