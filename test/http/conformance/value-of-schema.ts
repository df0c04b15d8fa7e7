// A value that fits a schema of the document. What has a name that the world knows (a tool, an action, a
// revision) mostly has a value that means something there.
import { type Draw } from './draw.ts';
import { resolved, type Schema } from './operations.ts';

/** By the name of the member. @returns undefined where nothing is known under this name */
export type Hint = (name: string) => readonly unknown[] | undefined;

export function valueOf(schema: Schema, draw: Draw, hint: Hint, name = ''): unknown {
  const known = hint(name);
  if (known !== undefined && known.length > 0 && draw.chance(0.9)) return draw.one(known);
  const own = resolved(schema);
  if ('const' in own) return own.const;
  if (own.enum !== undefined) return draw.one(own.enum);
  if (own.anyOf !== undefined && own.type === undefined)
    return valueOf(draw.one(own.anyOf), draw, hint);
  switch (own.type) {
    case 'object':
      return objectOf(own, draw, hint);
    case 'array':
      return arrayOf(own, draw, hint);
    case 'string':
      return textOf(own, draw);
    case 'integer':
    case 'number':
      return numberOf(own, draw);
    case 'boolean':
      return draw.chance(0.5);
    case undefined:
    default:
      return draw.one([null, 1, 'a', [], {}, { a: [1, 2.5, 'é'] }, false]);
  }
}

function objectOf({ properties = {}, required = [] }: Schema, draw: Draw, hint: Hint): object {
  const members = Object.entries(properties).filter(
    ([name]) => required.includes(name) || draw.chance(0.4),
  );
  return Object.fromEntries(
    members.map(([name, schema]) => [name, valueOf(schema, draw, hint, name)]),
  );
}

function arrayOf({ items = {}, minItems = 0, maxItems = 3 }: Schema, draw: Draw, hint: Hint) {
  // Few: a body of many is only too large.
  const length = minItems + draw.int(Math.min(4, Math.max(1, maxItems - minItems + 1)));
  return Array.from({ length }, () => valueOf(items, draw, hint));
}

const texts = ['a', 'b', 'run-1', ' ', 'naïve', '\u0000', '"', '%2F', '💶', '../..'];

function textOf({ minLength = 0, maxLength = 4_096 }: Schema, draw: Draw): string {
  if (draw.chance(0.05)) return 'x'.repeat(maxLength);
  if (minLength === 0 && draw.chance(0.05)) return '';
  return draw.one(texts);
}

function numberOf({ minimum = -1_000, maximum = 2 ** 53 - 1 }: Schema, draw: Draw): number {
  if (draw.chance(0.1)) return maximum;
  return Math.min(maximum, Math.max(minimum, 0) + draw.int(draw.one([1, 5, 1_000])));
}
