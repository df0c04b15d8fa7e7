// Conditions on arguments as data, for tool files: when people are asked, and what the policy says. A
// comparison with what is no number throws, and so closes the gate that asked.
import { z } from 'zod';
import { type JsonObject, type JsonValue } from '@action-ledger/domain';
import { isRecord } from '../forms.ts';
import { type Policy } from '../definition.ts';

const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]);

const test = z.union([
  scalar,
  z.strictObject({
    above: z.number().optional(),
    atLeast: z.number().optional(),
    below: z.number().optional(),
    atMost: z.number().optional(),
    oneOf: z.array(scalar).min(1).optional(),
    present: z.boolean().optional(),
  }),
]);

/** By the path of an argument, such as `amount.cents`; all must hold. */
export const conditionForm = z
  .record(z.string(), test)
  .refine((tests) => Object.keys(tests).length > 0, 'name one argument at least');

export const policyForm = z.strictObject({
  version: z.string(),
  /** The first whose condition holds decides; where none does, it is allowed. */
  rules: z
    .array(
      z.strictObject({
        when: conditionForm.optional(),
        effect: z.enum(['allow', 'deny', 'ask']),
        reason: z.string().optional(),
      }),
    )
    .min(1),
});

type Condition = z.infer<typeof conditionForm>;
type Test = z.infer<typeof test>;

export function conditionOf(condition: Condition): (args: JsonObject) => boolean {
  const tests = Object.entries(condition);
  return (args) => tests.every(([path, wanted]) => holds(valueAt(args, path), wanted, path));
}

export function policyOf({ version, rules }: z.infer<typeof policyForm>): {
  readonly version: string;
  readonly decide: (args: JsonObject) => Policy;
} {
  const read = rules.map(({ when, effect, reason }) => ({
    holds: when === undefined ? () => true : conditionOf(when),
    said: reason === undefined ? { effect } : { effect, reason },
  }));
  return {
    version,
    decide: (args) => read.find((rule) => rule.holds(args))?.said ?? { effect: 'allow' },
  };
}

function holds(value: JsonValue | undefined, wanted: Test, path: string): boolean {
  if (typeof wanted !== 'object' || wanted === null) return value === wanted;
  const { oneOf, present, ...bounds } = wanted;
  if (present !== undefined && (value !== undefined && value !== null) !== present) return false;
  if (oneOf !== undefined && !oneOf.some((each) => each === value)) return false;
  return isWithin(value, bounds, path);
}

const comparisons = {
  above: (value: number, bound: number) => value > bound,
  atLeast: (value: number, bound: number) => value >= bound,
  below: (value: number, bound: number) => value < bound,
  atMost: (value: number, bound: number) => value <= bound,
};

type Bounds = { readonly [Name in keyof typeof comparisons]?: number | undefined };

function isWithin(value: JsonValue | undefined, bounds: Bounds, path: string): boolean {
  return Object.entries(comparisons).every(([name, compare]) => {
    const bound = bounds[name as keyof Bounds];
    if (bound === undefined) return true;
    if (typeof value !== 'number') throw new TypeError(`${path} is no number to compare`);
    return compare(value, bound);
  });
}

function valueAt(args: JsonObject, path: string): JsonValue | undefined {
  let value: JsonValue | undefined = args;
  for (const name of path.split('.')) {
    if (!isRecord(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
}
