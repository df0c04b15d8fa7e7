// The tools of a run: one or two of every guarantee, some that people approve, a pair in which one undoes
// the other, and steps of trips that can be taken back.
import { z } from 'zod';
import {
  executeAt,
  lookUpAt,
  type ProviderAnswer,
  type ProviderPort,
  type ProviderRequest,
  type ToolBehaviour,
} from '@action-ledger/sandbox';
import { defaultTimes, type JsonObject } from '@action-ledger/domain';
import { defineTool, type Tool, type ToolDefinition } from '@action-ledger/tools';

const second = 1_000;
export const minute = 60 * second;
export const hour = 60 * minute;
const text = z.string();
const about = z.object({ about: text, body: text });
const booking = z.object({ trip: text });
const cancellation = z.object({ reservation: text });

export const tripParts = ['flight', 'hotel'] as const;

/** How long the provider remembers a key. Some actions outlive it. */
export const keyWindows = { wire: 24 * hour, refund: 9 * minute } as const;

export function keyWindowOf(tool: string): number | undefined {
  if (tool === 'transfer') return keyWindows.refund;
  return tool === 'wire' || tool === 'refund' ? keyWindows[tool] : undefined;
}

/** What the processes run: the second one is rolled out during a run. */
export type Release = 1 | 2;

/** Of every tool here: from a dispatch until its request can arrive no more. */
export const inFlightMs = defaultTimes.timeoutMs + defaultTimes.inFlightAfterDeadlineMs;

/** As one process has them, over its own line to the provider. */
export function simulatedTools(port: ProviderPort, release: Release): readonly Tool[] {
  const [execute, lookup] = [executeAt(port), lookUpAt(port)];
  // Declared once for all: to declare them costs more than many a process does in its life.
  const tools = (declared[release] ??= declareTools(release));
  return tools.map((tool) => Object.freeze({ ...tool, execute, lookup: tool.lookup && lookup }));
}

const declared: Partial<Record<Release, readonly Tool[]>> = {};

function declareTools(release: Release): readonly Tool[] {
  const nowhere = (): never => {
    throw new Error('a tool of no process');
  };
  const declare = (name: string, more: object): Tool =>
    defineTool({ name, execute: nowhere, ...more } as unknown as ToolDefinition<JsonObject>);
  const found = { guarantee: 'lookup', lookup: nowhere } as const;
  return [
    declare('wire', {
      input: z.object({ reference: text, cents: z.int() }),
      guarantee: 'idempotent',
      keyWindow: keyWindows.wire,
      validFor: 45 * minute,
      approval: {
        expiresAfter: 10 * minute,
        when: ({ cents }: { readonly cents: number }) => cents >= 500,
      },
      policy: wirePolicies[release],
    }),
    declare('refund', {
      input: z.object({ invoice: text, cents: z.int() }),
      guarantee: 'idempotent',
      keyWindow: keyWindows.refund,
      retry: { attempts: 6, backoffMinMs: 4 * minute, backoffMaxMs: 8 * minute },
    }),
    declare('pay', {
      input: z.object({ invoice: text, cents: z.int() }),
      ...payIdentities[release],
      validFor: 45 * minute,
      ...found,
    }),
    declare('ticket', {
      input: about,
      identity: ['about'],
      validFor: 20 * minute,
      // Calls that take long extend it.
      leaseMs: 12 * second,
      load: { concurrent: 1 },
      ...found,
    }),
    declare('quota', {
      input: z.object({ account: text, seats: z.int() }),
      identity: ['account'],
      scope: 'tenant',
      load: { oneAtATime: ['account'] },
      guarantee: 'natural',
      validFor: 30 * minute,
      retry: { backoffMinMs: 20 * second, backoffMaxMs: 3 * minute },
    }),
    declare('mail', {
      input: about,
      free: ['body'],
      guarantee: 'manual',
      undoWindow: 20 * second,
      validFor: 5 * minute,
      policy: {
        version: 'no spam',
        decide: denies(({ about: what }) => spam.test(what as string)),
      },
    }),
    declare('label', { input: about, guarantee: 'manual', validFor: 4 * minute }),
    declare('reserve', {
      input: z.object({ seat: text }),
      scope: 'tenant',
      validFor: 30 * minute,
      approval: { when: ({ seat }: { readonly seat: string }) => seat.startsWith('s-3') },
      ...found,
      keep: ['outcome.reservation_id'],
      undoneBy: [{ tool: 'release', match: { 'arguments.reservation': 'outcome.reservation_id' } }],
    }),
    declare('release', { input: cancellation, ...found }),
    ...tripParts.flatMap((part) => [
      declare(`book_${part}`, {
        input: booking,
        keep: ['outcome.reservation_id'],
        validFor: 30 * minute,
        undoneBy: [
          {
            tool: `cancel_${part}`,
            match: { 'arguments.reservation': 'outcome.reservation_id' },
          },
        ],
        ...found,
      }),
      declare(`cancel_${part}`, { input: cancellation, ...found }),
    ]),
  ];
}

const spam = /0$/;

type Decide = (args: JsonObject) => { readonly effect: 'allow' | 'deny' };

function denies(which: (args: JsonObject) => boolean): Decide {
  return (args) => ({ effect: which(args) ? 'deny' : 'allow' });
}

/** What was approved under the first is asked about again under the second. */
const wirePolicies = {
  1: { version: 'w1', decide: denies(({ cents }) => Number(cents) > 950) },
  2: { version: 'w2', decide: denies(({ cents }) => Number(cents) % 10 === 0) },
} as const;

/** Names of the first are met under the second. */
const payIdentities = {
  1: { identity: ['invoice'] },
  2: {
    identity: ['invoice'],
    identityVersion: 2,
    normalize: { invoice: 'trim' },
    previously: [{ identityVersion: 1, identity: ['invoice'] }],
  },
} as const;

export function behaviourOf(tool: string): ToolBehaviour {
  switch (tool) {
    case 'wire':
    case 'refund':
      return { keyWindowMs: keyWindows[tool] };
    case 'transfer':
      return { keyWindowMs: keyWindows.refund };
    case 'quota':
    case 'limit':
      return { entity: ({ account }) => JSON.stringify(account) };
    case 'ticket':
    case 'parcel':
      return { lookupLagMs: 8 * second };
    default:
      return {};
  }
}

export function answerOf({ tool, key, arguments: args }: ProviderRequest): ProviderAnswer {
  if (JSON.stringify(args).includes('impossible'))
    return { kind: 'refused', error: 'cannot be done', code: 'impossible' };
  if (!tool.startsWith('book_') && tool !== 'reserve')
    return { kind: 'accepted', result: { done: true } };
  const more = JSON.stringify(args).includes('stuck') ? ' impossible' : '';
  return { kind: 'accepted', result: { reservation_id: `${tool}-${key.slice(0, 8)}${more}` } };
}
