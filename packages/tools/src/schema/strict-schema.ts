// Makes a copy of an author's schema that takes arguments exactly as they came: members outside the
// schema are refused, nothing is coerced, trimmed, transformed or replaced; only constant defaults are
// filled. What cannot be made so, or is not JSON, is refused with the path of the place.
import { z, type ZodType } from 'zod';
import { canonicalJson, checkJson, type JsonValue } from '@action-ledger/domain';
import { type Fail } from '../tool-declaration-error.ts';

type Schema = z.core.$ZodType;
type AnySchema = z.core.$ZodTypes;

/** Pipes known to change nothing (the guards that come with a JSON Schema's `uniqueItems` and others). */
export const harmlessPipes = new WeakSet<Schema>();

/** @throws ToolDeclarationError `tool.schema` */
export function strictSchema(schema: ZodType, fail: Fail): ZodType {
  return createCopier(fail)(schema, '') as ZodType;
}

type Copy = (schema: Schema, at: string) => Schema;

function createCopier(fail: Fail): Copy {
  /** A schema being copied stands for itself by a lazy reference: recursive schemas end here. */
  const copies = new Map<Schema, Schema | 'in progress'>();
  const copy: Copy = (schema, at) => {
    const known = copies.get(schema);
    if (known === 'in progress') return z.lazy(() => copies.get(schema) as ZodType);
    if (known !== undefined) return known;
    copies.set(schema, 'in progress');
    refuseChanges(schema, at, fail);
    const made = copyNode(schema as AnySchema, at, copy, fail);
    copies.set(schema, made);
    return made;
  };
  return copy;
}

// One case per kind of schema, so that a kind new in zod does not compile.
// eslint-disable-next-line max-lines-per-function
function copyNode(schema: AnySchema, at: string, copy: Copy, fail: Fail): Schema {
  const def = schema._zod.def;
  switch (def.type) {
    case 'object':
      return copyObject(schema, def, at, copy, fail);
    case 'array':
      return clone(schema, { ...def, element: copy(def.element, `${at}[]`) });
    case 'tuple': {
      const items = def.items.map((item) => copy(item, `${at}[]`));
      return clone(schema, { ...def, items, rest: def.rest && copy(def.rest, `${at}[]`) });
    }
    case 'record': {
      const [keyType, valueType] = [copy(def.keyType, `${at}{}`), copy(def.valueType, `${at}{}`)];
      return clone(schema, { ...def, keyType, valueType });
    }
    case 'union':
      return clone(schema, { ...def, options: def.options.map((option) => copy(option, at)) });
    case 'intersection':
      return clone(schema, { ...def, left: copy(def.left, at), right: copy(def.right, at) });
    case 'optional':
    case 'nullable':
    case 'nonoptional':
    case 'readonly':
      return clone(schema, { ...def, innerType: copy(def.innerType, at) });
    case 'default':
      return copyDefault(schema, def, at, copy, fail);
    case 'lazy':
      return copy(def.getter(), at);
    case 'pipe':
      return copyPipe(schema, def, at, copy, fail);
    case 'string':
      return isUrl(schema) ? exactUrl(schema) : schema;
    case 'literal':
      return def.values.every((value) => checkJson(value).kind === 'checked')
        ? schema
        : fail('tool.schema', notJson(at, 'such a literal'));
    case 'number':
    case 'boolean':
    case 'null':
    case 'enum':
    case 'any':
    case 'unknown':
    case 'never':
    case 'template_literal':
    case 'custom':
      return schema;
    // These change their value, or are not JSON.
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
      return fail('tool.schema', whyRefused(def.type, at));
  }
}

function whyRefused(type: string, at: string): string {
  if (type === 'prefault') return `${place(at)} uses .prefault(); use .default() with a constant.`;
  if (type === 'catch')
    return `${place(at)} uses .catch(), which replaces wrong arguments by others; remove it.`;
  return type === 'transform' || type === 'success'
    ? changesArguments(at)
    : notJson(at, `a ${type}`);
}

function notJson(at: string, what: string): string {
  return `${place(at)} allows ${what}, which JSON cannot carry; ${insteadOf[what.slice(2)] ?? 'use a JSON type'}.`;
}

const insteadOf: Readonly<Record<string, string>> = {
  date: 'use z.iso.date() or z.iso.datetime()',
  bigint: 'use a decimal string',
  set: 'use z.array() and declare the field in `sets`',
  map: 'use z.record()',
  undefined: 'use .optional()',
  void: 'use .optional()',
};

function copyObject(
  schema: AnySchema,
  def: z.core.$ZodObjectDef,
  at: string,
  copy: Copy,
  fail: Fail,
): Schema {
  const catchall = def.catchall;
  if (catchall !== undefined && catchall._zod.def.type !== 'never' && at === '')
    fail(
      'tool.schema',
      'its arguments take any further member, so a misspelt one would pass; name every member (z.object or z.strictObject).',
    );
  const shape = Object.fromEntries(
    Object.entries(def.shape).map(([name, member]) => [
      name,
      copy(member, at === '' ? name : `${at}.${name}`),
    ]),
  );
  return clone(schema, {
    ...def,
    shape,
    catchall: catchall === undefined ? z.never() : copy(catchall, `${at}{}`),
  });
}

function copyDefault(
  schema: AnySchema,
  def: z.core.$ZodDefaultDef,
  at: string,
  copy: Copy,
  fail: Fail,
): Schema {
  const inner = copy(def.innerType, at);
  const [first, second] = [checkJson(def.defaultValue), checkJson(def.defaultValue)];
  if (
    first.kind !== 'checked' ||
    canonicalJson(first.value) !== canonicalJson(second.kind === 'checked' ? second.value : null)
  )
    return fail(
      'tool.schema',
      `the default of ${place(at)} must be one constant JSON value, not a new one each time.`,
    );
  const parsed = z.safeParse(inner, first.value);
  if (!parsed.success)
    return fail('tool.schema', `the default of ${place(at)} does not fit its own schema.`);
  return clone(schema, {
    ...def,
    innerType: inner,
    defaultValue: deepFreeze(parsed.data as JsonValue),
  });
}

function copyPipe(
  schema: AnySchema,
  def: z.core.$ZodPipeDef,
  at: string,
  copy: Copy,
  fail: Fail,
): Schema {
  if (!harmlessPipes.has(schema)) fail('tool.schema', changesArguments(at));
  return clone(schema, { ...def, out: copy(def.out, at) });
}

/** Coercion and overwriting checks (`.trim()`, `.toLowerCase()`) can sit on any kind of schema. */
function refuseChanges(schema: Schema, at: string, fail: Fail): void {
  const def = schema._zod.def as {
    coerce?: boolean;
    normalize?: boolean;
    checks?: readonly z.core.$ZodCheck[];
  };
  if (def.coerce === true)
    fail(
      'tool.schema',
      `${place(at)} coerces its value; declare the type that must come (z.number(), not z.coerce.number()).`,
    );
  const overwrites = def.checks?.some((check) => check._zod.def.check === 'overwrite') === true;
  if (overwrites || def.normalize === true)
    fail(
      'tool.schema',
      `${changesArguments(at)} To compare without regard to case or blanks use \`normalize\`.`,
    );
}

function isUrl(schema: Schema): boolean {
  const def = schema._zod.def as { format?: string; checks?: readonly z.core.$ZodCheck[] };
  const formatOf = (check: z.core.$ZodCheck) => (check._zod.def as { format?: string }).format;
  return def.format === 'url' || def.checks?.some((check) => formatOf(check) === 'url') === true;
}

/** zod's url() cuts blanks and line breaks off; here such a URL is refused instead. */
function exactUrl(schema: Schema): Schema {
  return noBlanksAround.pipe(schema as unknown as ZodType<string, string>);
}

const noBlanksAround = z.string().refine((text) => !/^\s|\s$|[\t\r\n]/.test(text), {
  error: 'Invalid URL: blanks around it, or a tab or line break in it',
});

function clone(schema: Schema, def: object): Schema {
  return z.core.clone(schema, def as z.core.$ZodTypeDef);
}

function place(at: string): string {
  return at === '' ? 'the schema of its arguments' : `"${at}"`;
}

function changesArguments(at: string): string {
  return `${place(at)} changes the value it is given (transform, preprocess, codec or an overwriting check); what was proposed must be what is sent: change it in \`execute\`.`;
}

/** To the bottom, also below what is frozen already: zod's `.readonly()` freezes one level. */
export function deepFreeze<Value extends JsonValue>(value: Value): Value {
  if (typeof value === 'object' && value !== null) {
    Object.freeze(value);
    // Faster than over the values; nothing is inherited here.
    const members = value as Readonly<Record<string, JsonValue>>;
    for (const name in members) deepFreeze(members[name] as JsonValue);
  }
  return value;
}
