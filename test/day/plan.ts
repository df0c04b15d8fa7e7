// What the agents of the day set out to do, drawn from the seed: calls of several tenants, some at once,
// some with other arguments, some cancelled or made again, and trips of three bookings as workflows.
import { type JsonObject } from '@action-ledger/domain';
import { seededRandom } from '@action-ledger/testkit';
import { largeCents, tripParts } from './tools.ts';
import { load, minute, type Period } from './times.ts';

export interface PlannedCall {
  readonly kind: 'call';
  readonly at: number;
  readonly tenant: string;
  readonly tool: string;
  readonly arguments: JsonObject;
  readonly run: string;
  readonly turn: string;
  readonly call: string;
  /** Delivered so often in the same moment. */
  readonly copies: number;
  /** A person cancels it so long after it was made. */
  readonly cancelAfterMs?: number;
}

export interface PlannedTrip {
  readonly kind: 'trip';
  readonly at: number;
  readonly tenant: string;
  readonly id: string;
  /** Where the world says no. */
  readonly failsAt?: (typeof tripParts)[number];
}

export type Planned = PlannedCall | PlannedTrip;

export const tenants = ['acme', 'globex', 'initech', 'umbrella', 'hooli'] as const;

const weights: readonly (readonly [tool: string, weight: number])[] = [
  ['pay_invoice', 20],
  ['wire', 6],
  ['refund', 14],
  ['send_email', 14],
  ['print_label', 8],
  ['set_quota', 10],
  ['open_ticket', 14],
  ['order_goods', 8],
  ['deploy', 6],
];

/** @param calls first calls; what is made again comes on top */
export function planOf(seed: number, calls: number, during: Period = load): readonly Planned[] {
  const random = seededRandom(seed);
  const pick = <Item>(items: readonly Item[]): Item =>
    items[Math.floor(random() * items.length)] as Item;
  const planned: Planned[] = [];
  for (let number = 0; number < calls; number += 1) {
    const at = Math.round(during.from + random() * (during.until - during.from));
    const tenant = pick(tenants);
    if (random() < 0.02) {
      const fails = random() < 0.4 ? { failsAt: pick(tripParts) } : {};
      planned.push({ kind: 'trip', at, tenant, id: `trip-${number}`, ...fails });
      continue;
    }
    planned.push(...callsOf(random, { at, tenant, number }));
  }
  return planned.sort((a, b) => a.at - b.at);
}

interface Place {
  readonly at: number;
  readonly tenant: string;
  readonly number: number;
}

/** The first call, and what the model makes of it later: the same again, or something else. */
function callsOf(random: () => number, { at, tenant, number }: Place): readonly PlannedCall[] {
  const tool = toolAt(random());
  const first: PlannedCall = {
    kind: 'call',
    at,
    tenant,
    tool,
    arguments: argumentsOf(random, tool, number),
    run: `run-${number}`,
    turn: '1',
    call: `call-${number}`,
    copies: random() < 0.05 ? 3 : 1,
    ...(random() < 0.04 ? { cancelAfterMs: Math.round(random() * 3 * minute) } : {}),
  };
  const drawn = random();
  const laterAt = at + Math.round(random() * 90 * minute);
  const later = { ...first, at: laterAt, copies: 1, turn: '2', call: `call-${number}-2` };
  const { cancelAfterMs: _, ...again } = later;
  if (drawn < 0.15) return [first, again];
  if (drawn < 0.2) return [first, { ...again, arguments: changed(first.arguments) }];
  return [first];
}

function toolAt(drawn: number): string {
  const whole = weights.reduce((sum, [, weight]) => sum + weight, 0);
  let left = drawn * whole;
  for (const [tool, weight] of weights) {
    if (left < weight) return tool;
    left -= weight;
  }
  return 'open_ticket';
}

function argumentsOf(random: () => number, tool: string, number: number): JsonObject {
  const suffix = random() < 0.03 ? '-impossible' : '';
  switch (tool) {
    case 'pay_invoice':
      return { invoice: `i-${number}${suffix}`, cents: Math.round(random() * 1.5 * largeCents) };
    case 'refund':
      return { invoice: `r-${number}${suffix}`, cents: Math.round(random() * 9_000) };
    case 'wire':
      return { reference: `w-${number}${suffix}`, cents: Math.round(random() * 900_000) };
    case 'set_quota':
      return { account: `a-${number % 40}`, seats: Math.round(random() * 50) };
    default:
      return { about: `${tool} ${number}${suffix}`, body: `as asked for in ${number}` };
  }
}

/** Another amount, another wording. */
function changed(args: JsonObject): JsonObject {
  if (typeof args['cents'] === 'number') return { ...args, cents: args['cents'] + 1 };
  if (typeof args['seats'] === 'number') return { ...args, seats: args['seats'] + 1 };
  return { ...args, body: 'in other words' };
}
