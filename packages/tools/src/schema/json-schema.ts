// Arguments declared by plain JSON Schema (catalogues, tool files, MCP): converted by zod, with every
// object closed, and without the keywords that zod would skip in silence.
import { z, type ZodType } from 'zod';
import { isJsonObject, type JsonObject, type JsonValue } from '@action-ledger/domain';
import { failFor, type Fail } from '../tool-declaration-error.ts';
import { harmlessPipes } from './strict-schema.ts';

/**
 * Objects take no members beyond `properties`, unless `additionalProperties` is a schema of its own or
 * the object names no properties at all. Integers are numbers without a fraction: 10.0 is 10.
 * @throws ToolDeclarationError `tool.schema` where the schema uses what cannot be checked exactly
 */
export function inputFromJsonSchema(schema: JsonObject, tool = '(schema)'): ZodType<JsonObject> {
  const fail = failFor(tool);
  if (!isJsonObject(schema))
    fail('tool.schema', 'its JSON Schema must be an object, such as { type: "object", … }.');
  const closed = closeObjects(schema, true, fail) as z.core.JSONSchema.JSONSchema;
  const converted = convert(closed, fail);
  markGuards(converted, new Set());
  return converted as ZodType<JsonObject>;
}

function convert(schema: z.core.JSONSchema.JSONSchema, fail: Fail): ZodType {
  try {
    // A registry of its own: the schema's annotations have no place in zod's global one.
    return z.fromJSONSchema(schema, { registry: z.registry() });
  } catch (error) {
    return fail('tool.schema', `its JSON Schema cannot be used: ${(error as Error).message}.`);
  }
}

const skippedKeywords = ['dependencies', '$dynamicRef', '$recursiveRef', 'additionalItems'];
const mapsOfSchemas = new Set(['properties', 'patternProperties', '$defs', 'definitions']);
const notSchemas = new Set([
  'default',
  'const',
  'enum',
  'examples',
  'required',
  'description',
  'title',
]);

function closeObjects(schema: JsonValue, isRoot: boolean, fail: Fail): JsonValue {
  if (Array.isArray(schema))
    return schema.map((item: JsonValue) => closeObjects(item, false, fail));
  if (!isJsonObject(schema)) return schema;
  const skipped = skippedKeywords.find((keyword) => Object.hasOwn(schema, keyword));
  if (skipped !== undefined)
    fail(
      'tool.schema',
      `its JSON Schema uses "${skipped}", which cannot be checked; leave it out.`,
    );
  const closed = Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) => [keyword, closeKeyword(keyword, value, fail)]),
  );
  const namesMembers = isJsonObject(schema['properties']);
  const type = schema['type'] ?? (namesMembers ? 'object' : undefined);
  if (type !== 'object') return closed;
  const isOpen = isJsonObject(schema['additionalProperties']) || !(namesMembers || isRoot);
  return isOpen ? { ...closed, type } : { ...closed, type, additionalProperties: false };
}

function closeKeyword(keyword: string, value: JsonValue, fail: Fail): JsonValue {
  if (notSchemas.has(keyword)) return value;
  return mapsOfSchemas.has(keyword) && isJsonObject(value)
    ? closeEach(value, fail)
    : closeObjects(value, false, fail);
}

function closeEach(schemas: JsonObject, fail: Fail): JsonObject {
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [name, closeObjects(schema, false, fail)]),
  );
}

/** zod checks `uniqueItems`, `minProperties` and the like by a pipe whose first half changes nothing. */
function markGuards(schema: z.core.$ZodType, seen: Set<z.core.$ZodType>): void {
  if (seen.has(schema)) return;
  seen.add(schema);
  const def = (schema as z.core.$ZodTypes)._zod.def;
  if (def.type === 'pipe') harmlessPipes.add(schema);
  for (const inner of innerSchemas(def)) markGuards(inner, seen);
}

/** Of the kinds that fromJSONSchema makes and that hold others. */
function innerSchemas(def: z.core.$ZodTypes['_zod']['def']): readonly z.core.$ZodType[] {
  if (def.type === 'object') return given([...Object.values(def.shape), def.catchall]);
  if (def.type === 'array') return [def.element];
  if (def.type === 'tuple') return given([...def.items, def.rest]);
  if (def.type === 'record') return [def.keyType, def.valueType];
  if (def.type === 'union') return def.options;
  if (def.type === 'intersection') return [def.left, def.right];
  if (def.type === 'pipe') return [def.out];
  if (def.type === 'lazy') return [def.getter()];
  return 'innerType' in def ? [def.innerType] : [];
}

function given(
  schemas: readonly (z.core.$ZodType | null | undefined)[],
): readonly z.core.$ZodType[] {
  return schemas.filter((schema) => schema !== null && schema !== undefined);
}
