// The fields of a schema as the declaration sees them: object members by path, arrays as leaves, what
// kinds of value each may hold, and its default. Built once per tool, from the strict copy.
import { type z, type ZodType } from 'zod';
import { type FieldPath, type JsonValue } from '@action-ledger/domain';

type FieldKind = 'object' | 'array' | 'string' | 'number' | 'boolean' | 'null' | 'record' | 'any';

export interface Field {
  readonly kinds: ReadonlySet<FieldKind>;
  /** A text can stand here, or in an array here. */
  readonly holdsText: boolean;
  readonly members: ReadonlyMap<string, Field>;
  readonly isOptional: boolean;
  /** More than one where alternatives of a union disagree. */
  readonly defaults: readonly JsonValue[];
}

export function fieldTree(schema: ZodType): Field {
  return describe(schema, new Set());
}

export function fieldAt(root: Field, path: FieldPath): Field | undefined {
  let field: Field | undefined = root;
  for (const name of path.split('.')) field = field?.members.get(name);
  return field;
}

/** Every path in the tree with its field, outer ones first. */
export function* allFields(root: Field, prefix = ''): Generator<readonly [FieldPath, Field]> {
  for (const [name, field] of root.members) {
    yield [`${prefix}${name}`, field];
    yield* allFields(field, `${prefix}${name}.`);
  }
}

/** Each path: required where it and all members around it must be given. */
export function fieldNeeds(root: Field): Record<FieldPath, 'required' | 'optional'> {
  const needs: Record<FieldPath, 'required' | 'optional'> = {};
  const visit = (field: Field, prefix: string, isRequired: boolean): void => {
    for (const [name, member] of field.members) {
      const isNeeded = isRequired && !member.isOptional && member.defaults.length === 0;
      needs[`${prefix}${name}`] = isNeeded ? 'required' : 'optional';
      visit(member, `${prefix}${name}.`, isNeeded);
    }
  };
  visit(root, '', true);
  return needs;
}

type AnySchema = z.core.$ZodTypes;

/** `open`: the schemas around this one; one that comes again inside itself is a leaf. */
// One case per kind of schema, so that a kind new in zod does not compile.
// eslint-disable-next-line max-lines-per-function
function describe(schema: z.core.$ZodType, open: ReadonlySet<z.core.$ZodType>): Field {
  if (open.has(schema)) return leaf('any');
  const within = new Set(open).add(schema);
  const def = (schema as AnySchema)._zod.def;
  switch (def.type) {
    case 'object': {
      const members = new Map(
        Object.entries(def.shape).map(([name, member]) => [name, describe(member, within)]),
      );
      return { ...leaf('object'), members };
    }
    case 'array':
      return { ...leaf('array'), holdsText: describe(def.element, within).holdsText };
    case 'tuple':
      return {
        ...leaf('array'),
        holdsText: def.items.some((item) => describe(item, within).holdsText),
      };
    case 'union':
      return def.options.map((option) => describe(option, within)).reduce(either);
    case 'intersection':
      return both(describe(def.left, within), describe(def.right, within));
    case 'optional':
      return { ...describe(def.innerType, within), isOptional: true };
    case 'default': {
      const inner = describe(def.innerType, within);
      return { ...inner, isOptional: false, defaults: [def.defaultValue as JsonValue] };
    }
    case 'nullable':
      return either(describe(def.innerType, within), leaf('null'));
    case 'nonoptional':
      return { ...describe(def.innerType, within), isOptional: false };
    case 'readonly':
      return describe(def.innerType, within);
    case 'pipe':
      return describe(def.out, within);
    case 'lazy':
      return describe(def.getter(), within);
    case 'literal':
      return def.values.map((value) => leaf(kindOf(value))).reduce(either);
    case 'enum':
      return Object.values(def.entries)
        .map((value) => leaf(kindOf(value)))
        .reduce(either, leaf('string'));
    case 'string':
    case 'template_literal':
      return leaf('string');
    case 'number':
    case 'boolean':
    case 'null':
    case 'record':
      return leaf(def.type);
    case 'any':
    case 'unknown':
    case 'custom':
    case 'never':
      return leaf('any');
    // The strict copy holds none of these.
    case 'bigint':
    case 'catch':
    case 'date':
    case 'file':
    case 'function':
    case 'map':
    case 'nan':
    case 'prefault':
    case 'promise':
    case 'set':
    case 'success':
    case 'symbol':
    case 'transform':
    case 'undefined':
    case 'void':
      return leaf('any');
  }
}

function leaf(kind: FieldKind): Field {
  return {
    kinds: new Set([kind]),
    holdsText: kind === 'string' || kind === 'any',
    members: new Map(),
    isOptional: false,
    defaults: [],
  };
}

/** A union: a member that one alternative lacks may be missing. */
function either(a: Field, b: Field): Field {
  return merge(a, b, (field) => ({ ...field, isOptional: true }));
}

/** An intersection: the members of both sides. */
function both(a: Field, b: Field): Field {
  return merge(a, b, (field) => field);
}

function merge(a: Field, b: Field, onlyOneHas: (field: Field) => Field): Field {
  const members = new Map<string, Field>();
  for (const name of new Set([...a.members.keys(), ...b.members.keys()])) {
    const [ofA, ofB] = [a.members.get(name), b.members.get(name)];
    if (ofA !== undefined && ofB !== undefined) members.set(name, merge(ofA, ofB, onlyOneHas));
    else members.set(name, onlyOneHas((ofA ?? ofB) as Field));
  }
  return {
    kinds: new Set([...a.kinds, ...b.kinds]),
    holdsText: a.holdsText || b.holdsText,
    members,
    isOptional: a.isOptional || b.isOptional,
    defaults: [...a.defaults, ...b.defaults],
  };
}

function kindOf(value: unknown): FieldKind {
  if (value === null) return 'null';
  const type = typeof value;
  return type === 'string' || type === 'number' || type === 'boolean' ? type : 'any';
}
