// What the agents of a run set out to do: calls of tools of every guarantee, some delivered more than once,
// some made again in a later turn or with other arguments, some cancelled, and trips as workflows.
import { type JsonObject } from '@action-ledger/domain';
import { type Dice } from './dice.ts';
import { isOfPrograms, programToolNames, programTools } from './programs/tools.ts';
import { tripParts } from './tools.ts';

export interface PlannedCall {
  readonly kind: 'call';
  readonly name: string;
  /** Ms since the start of the run. */
  readonly at: number;
  readonly tenant: string;
  readonly tool: string;
  readonly arguments: JsonObject;
  readonly origin: { readonly run: string; readonly turn: string; readonly call: string };
  /** The caller's own. */
  readonly key?: string;
  readonly cancelAfterMs?: number;
  /** A person asks for it once more, so long after it was settled. */
  readonly repeatAfterMs?: number;
  /** What it was told to have reserved is given back so long after, and wanted again later. */
  readonly releaseAfterMs?: number;
}

export interface PlannedTrip {
  readonly kind: 'trip';
  readonly name: string;
  readonly at: number;
  readonly tenant: string;
  readonly failsAt?: (typeof tripParts)[number];
  /** A person has it compensated from its first step on. */
  readonly compensateAfterMs?: number;
}

export type Planned = PlannedCall | PlannedTrip;

export const tenants = ['acme', 'globex', 'initech'] as const;

const tools = [
  'pay',
  'pay',
  'wire',
  'wire',
  'refund',
  'refund',
  'ticket',
  'quota',
  'quota',
  'mail',
  'label',
  'reserve',
  'reserve',
] as const;

/**
 * What one agent does: all of it is left out where the agent is.
 * @param served tenants whose programs carry out some of it
 */
export function plannedBy(
  dice: Dice,
  index: number,
  duringMs: number,
  served: readonly string[],
): readonly Planned[] {
  const at = dice.between(0, duringMs, 'at', index);
  const tenant = dice.pick(tenants, 'tenant', index);
  if (dice.of('trip', index) < 0.12) return [tripOf(dice, index, { at, tenant })];
  const [one, another = one] = served;
  if (one !== undefined && dice.of('by a program', index) < 0.6) {
    const theirs = dice.of('of another tenant', index) < 0.25 ? another : one;
    const tool = dice.pick(programToolNames, 'its tool', index);
    return called(dice, index, { at, tenant: theirs ?? one, tool });
  }
  return called(dice, index, { at, tenant, tool: dice.pick(tools, 'tool', index) });
}

function called(
  dice: Dice,
  index: number,
  { at, tenant, tool }: Pick<PlannedCall, 'at' | 'tenant' | 'tool'>,
): readonly PlannedCall[] {
  const first: PlannedCall = {
    kind: 'call',
    name: `call-${index}`,
    at,
    tenant,
    tool,
    arguments: argumentsOf(dice, tool, index),
    origin: { run: `run-${index}`, turn: '1', call: `call-${index}` },
    ...(dice.of('key', index) < 0.15 ? { key: `key-${index}` } : {}),
    ...(dice.of('cancel', index) < 0.08
      ? { cancelAfterMs: dice.between(0, 120_000, 'cancel after', index) }
      : {}),
    ...(dice.of('repeat', index) < 0.05
      ? { repeatAfterMs: dice.between(1_000, 300_000, 'repeat after', index) }
      : {}),
    ...(tool === 'reserve' && dice.of('release', index) < 0.7
      ? { releaseAfterMs: dice.between(500, 120_000, 'release after', index) }
      : {}),
  };
  return [first, ...laterOf(dice, index, first)];
}

function laterOf(dice: Dice, index: number, first: PlannedCall): readonly PlannedCall[] {
  const { cancelAfterMs: _cancel, repeatAfterMs: _repeat, releaseAfterMs: _give, ...same } = first;
  const drawn = dice.of('later', index);
  const again = {
    ...same,
    name: `${first.name}-again`,
    at: first.at + dice.between(0, 600_000, 'later at', index),
    origin: { ...first.origin, turn: '2', call: `call-${index}-again` },
  };
  // Of tools whose calls are kept: some come while the first of them is under way.
  const { tool } = first;
  const isValue = tool === 'quota' || tool === 'limit';
  const isKept = isValue || tool === 'reserve';
  if (isKept && dice.of('soon', index) < 0.4)
    return [{ ...again, at: first.at + dice.between(5, 300, 'soon at', index) }];
  if (isValue) return laterValues(dice, index, first);
  if (drawn < 0.25) return [again];
  if (drawn < 0.35) return [{ ...again, arguments: changed(first.arguments) }];
  return [];
}

/** Other values, soon after one another: some while the one before is in doubt. */
function laterValues(dice: Dice, index: number, first: PlannedCall): readonly PlannedCall[] {
  const { cancelAfterMs: _cancel, repeatAfterMs: _repeat, ...same } = first;
  return Array.from({ length: dice.between(0, 2, 'later values', index) }, (_, nth) => ({
    ...same,
    name: `${first.name}-value-${nth}`,
    at: first.at + dice.between(100, 90_000, 'later value at', index, nth),
    arguments: { ...first.arguments, seats: dice.between(1, 1_000, 'later value', index, nth) },
    origin: { ...first.origin, turn: `${nth + 2}`, call: `${first.name}-value-${nth}` },
  }));
}

function tripOf(
  dice: Dice,
  index: number,
  { at, tenant }: { readonly at: number; readonly tenant: string },
): PlannedTrip {
  const drawn = dice.of('trip goes', index);
  const isStuck = dice.of('trip sticks', index) < 0.2;
  return {
    kind: 'trip',
    // The name is what is booked under: of one that is stuck nothing can be cancelled at the provider.
    name: `trip-${index}${isStuck ? ' stuck' : ''}`,
    at,
    tenant,
    ...(drawn < 0.4 ? { failsAt: dice.pick(tripParts, 'trip fails', index) } : {}),
    ...(drawn > 0.8 ? { compensateAfterMs: dice.between(1_000, 300_000, 'trip back', index) } : {}),
  };
}

function argumentsOf(dice: Dice, tool: string, index: number): JsonObject {
  const suffix = dice.of('impossible', index) < 0.06 ? ' impossible' : '';
  const cents = dice.between(1, 1_000, 'cents', index);
  switch (isOfPrograms(tool) ? programTools[tool] : tool) {
    case 'pay':
    case 'refund':
      return { invoice: `${tool}-${index}${suffix}`, cents };
    case 'wire':
      return { reference: `w-${index}${suffix}`, cents };
    case 'quota':
      return { account: `a-${index % 3}`, seats: cents };
    case 'reserve':
      return { seat: `s-${index % 4}` };
    default:
      return { about: `${tool} ${index}${suffix}`, body: `as asked for in ${index}` };
  }
}

function changed(args: JsonObject): JsonObject {
  if (typeof args['cents'] === 'number') return { ...args, cents: args['cents'] + 1 };
  if (typeof args['seats'] === 'number') return { ...args, seats: args['seats'] + 1 };
  if (typeof args['seat'] === 'string') return { ...args, seat: `${args['seat']}b` };
  return { ...args, body: 'in other words' };
}
