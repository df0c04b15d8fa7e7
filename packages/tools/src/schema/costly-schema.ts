// A bound on what a JSON Schema of somebody else may cost whoever checks arguments by it: no regular
// expressions, nothing that refers to itself, and so many schemas once each reference stands for a copy
// of what it names, however short the text is. Looked at before anything is made of the schema.
import { isJsonObject, type JsonObject, type JsonValue } from '@action-ledger/domain';
import { type Fail } from '../tool-declaration-error.ts';

interface Cost {
  /** Schemas, with each reference followed. */
  readonly schemas: number;
  /** At most so many of them are tried on any one value. */
  readonly tries: number;
}

const schemasMax = 2_000;
const triesMax = 20;

/**
 * @returns so many of its schemas are tried on one value at most
 * @throws ToolDeclarationError `tool.schema`
 */
export function refuseCostly(root: JsonObject, fail: Fail): number {
  const { schemas, tries } = createMeter(root, fail)(root);
  if (schemas > schemasMax)
    fail(
      'tool.schema',
      `its JSON Schema stands for more than ${schemasMax} schemas once its references are followed; make it smaller.`,
    );
  if (tries > triesMax)
    fail(
      'tool.schema',
      `its JSON Schema tries more than ${triesMax} alternatives on one value; use fewer.`,
    );
  return tries;
}

/** Some tenths of a second. */
const triesOfAllMax = 200_000;

/** Whether arguments hold too many values for a schema that tries so much on each. */
export function isTooMuch(args: unknown, tries: number): boolean {
  let left = triesOfAllMax / tries;
  const count = (value: unknown): void => {
    left -= 1;
    if (left < 0 || typeof value !== 'object' || value === null) return;
    for (const each of Object.values(value)) count(each);
  };
  count(args);
  return left < 0;
}

const expressions = ['pattern', 'patternProperties'];
/** Tried on the very value that their schema is tried on. */
const alternatives = ['anyOf', 'oneOf', 'allOf'];
/** Tried on values within it. */
const inner = ['items', 'prefixItems', 'additionalProperties', 'propertyNames', 'contains'];

function createMeter(root: JsonObject, fail: Fail): (schema: JsonValue) => Cost {
  const known = new Map<string, Cost | 'in progress'>();
  const costOf = (schema: JsonValue): Cost => {
    if (!isJsonObject(schema)) return { schemas: 1, tries: 1 };
    refuseExpressions(schema, fail);
    const here = alternatives.flatMap((name) => listed(schema[name])).map(costOf);
    if (typeof schema['$ref'] === 'string') here.push(costOfNamed(nameIn(schema['$ref'])));
    const within = Object.values(membersOf(schema['properties'])).map(costOf);
    const others = inner.flatMap((name) => listed(schema[name])).map(costOf);
    // A list of types is a schema for each of them; a member has one name, but an item may meet several.
    const types = Math.max(1, listed(schema['type']).length);
    const tries = Math.max(1, largest(within), sum(others, 'tries'), valuesOf(schema));
    return {
      schemas: types * (1 + sum([...here, ...within, ...others], 'schemas')),
      tries: types * tries + sum(here, 'tries'),
    };
  };
  const costOfNamed = (name: string): Cost => {
    const found = known.get(name);
    if (found === 'in progress')
      return fail(
        'tool.schema',
        'its JSON Schema refers to itself; leave open ({}) what may be nested without end.',
      );
    if (found !== undefined) return found;
    known.set(name, 'in progress');
    const cost = costOf(name === '' ? root : (namedSchemas(root)[name] ?? true));
    known.set(name, cost);
    return cost;
  };
  return (schema) => {
    known.set('', 'in progress');
    return costOf(schema);
  };
}

function refuseExpressions(schema: JsonObject, fail: Fail): void {
  const used = expressions.find((keyword) => Object.hasOwn(schema, keyword));
  if (used !== undefined)
    fail(
      'tool.schema',
      `its JSON Schema uses "${used}": no regular expressions are taken; use "format", "enum" or lengths, and check the rest where it is carried out.`,
    );
}

/** Of any JSON values; texts alone are looked up. */
function valuesOf({ enum: values }: JsonObject): number {
  return listed(values).every((value) => typeof value === 'string') ? 1 : listed(values).length;
}

function listed(value: JsonValue | undefined): readonly JsonValue[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? (value as readonly JsonValue[]) : [value];
}

/** A list is taken by its indexes, as the conversion takes it. */
function membersOf(value: JsonValue | undefined): JsonObject {
  return typeof value === 'object' && value !== null ? (value as JsonObject) : {};
}

function namedSchemas({ $defs, definitions }: JsonObject): JsonObject {
  return membersOf($defs === null ? definitions : ($defs ?? definitions));
}

/** '' for the root; what it does not know, the conversion refuses. */
function nameIn(reference: string): string {
  const [, name = ''] = reference.slice(1).split('/').filter(Boolean);
  return name.replaceAll('~1', '/').replaceAll('~0', '~');
}

function sum(costs: readonly Cost[], what: keyof Cost): number {
  return costs.reduce((total, cost) => total + cost[what], 0);
}

function largest(costs: readonly Cost[]): number {
  return costs.reduce((most, { tries }) => Math.max(most, tries), 0);
}
