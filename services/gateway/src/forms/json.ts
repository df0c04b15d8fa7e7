// The small forms that others are made of.
import { object, text } from '@action-ledger/proposals';
import { z } from 'zod';

export const json = z.unknown().meta({ description: 'Any JSON value.' });

export { object, text };

export const time = z
  .number()
  .int()
  .meta({ description: 'Milliseconds since 1970-01-01T00:00:00Z.', examples: [1_780_000_000_000] });

export const revision = z
  .number()
  .int()
  .min(-1)
  .meta({ description: 'The number of the last event of the action, from 0.', examples: [3] });

export const actionId = z
  .string()
  .max(200)
  .meta({
    description: 'The full id of an action: 43 characters, a dot and the epoch.',
    examples: ['uHG4G5dVNTZhC0pYHw0fW0w3qgS0wPp9bSxq4bJm3hQ.0'],
  });

export const owner = z.enum(['reconciler', 'operator']);

export const guarantee = z.enum(['idempotent', 'lookup', 'natural', 'manual', 'observed']).meta({
  description:
    'What the tool promises after an unknown outcome. `observed`: nothing; the ledger only watches, and every call goes out.',
});

/** In a query everything is text; the document says what the text stands for. */
function only(schema: object): ({ jsonSchema }: { jsonSchema: object }) => void {
  return ({ jsonSchema }) => {
    for (const name of ['type', 'pattern', 'enum', 'default'])
      Reflect.deleteProperty(jsonSchema, name);
    Object.assign(jsonSchema, schema);
  };
}

/** Of a query: digits, so that nothing is coerced. */
export function count(max: number, fallback: number) {
  return z
    .string()
    .regex(/^[1-9]\d{0,5}$/, 'must be a whole number from 1')
    .refine((digits) => Number(digits) <= max, `must be at most ${max}`)
    .optional()
    .transform((digits) => (digits === undefined ? fallback : Number(digits)))
    .meta({ override: only({ type: 'integer', minimum: 1, maximum: max, default: fallback }) });
}

export function position() {
  return z
    .string()
    .regex(/^(0|[1-9]\d{0,14})$/, 'must be a whole number from 0')
    .optional()
    .transform((digits) => (digits === undefined ? undefined : Number(digits)))
    .meta({ override: only({ type: 'integer', minimum: 0, maximum: 999_999_999_999_999 }) });
}

export const flag = z
  .enum(['true', 'false'])
  .optional()
  .transform((word) => word === 'true')
  .meta({ override: only({ type: 'boolean', default: false }) });
