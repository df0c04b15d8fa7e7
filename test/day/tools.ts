// The tools of the day, one for each way in which an outcome can be found out, with the times of
// DESIGN.md section 5 but for validity and votes, which end within the day.
import { z } from 'zod';
import {
  executeAt,
  lookUpAt,
  type ProviderAnswer,
  type ProviderPort,
  type ProviderRequest,
  type ToolBehaviour,
} from '@action-ledger/sandbox';
import { type JsonObject } from '@action-ledger/domain';
import { defineTool, type Tool, type ToolDefinition } from '@action-ledger/tools';
import { hour, minute, second } from './times.ts';

const text = z.string();
const pay = z.object({ invoice: text, cents: z.int() });
const wire = z.object({ reference: text, cents: z.int() });
const about = z.object({ about: text, body: text });
const quota = z.object({ account: text, seats: z.int() });
const booking = z.object({ trip: text });
const cancellation = z.object({ reservation: text });

export const largeCents = 100_000;
export const waits = {
  payVotes: 2 * hour,
  wireVotes: 90 * minute,
  orderUndo: 10 * minute,
  mailUndo: 2 * minute,
  orderValid: 3 * hour,
  deployValid: hour,
  refundKey: 30 * minute,
  wireKey: 24 * hour,
} as const;

export const tripParts = ['flight', 'hotel', 'car'] as const;

/** Each attempt's key with its action, for whoever hears of an effect by its key. */
export function dayTools(port: ProviderPort, keys: Map<string, string>): readonly Tool[] {
  const execute: ToolDefinition<JsonObject>['execute'] = (context) => {
    keys.set(context.downstreamKey, context.actionId);
    return executeAt(port)(context);
  };
  const declare = (name: string, more: object): Tool =>
    defineTool({ name, execute, ...more } as unknown as ToolDefinition<JsonObject>);
  const found = { guarantee: 'lookup', lookup: lookUpAt(port) };
  return [
    declare('pay_invoice', {
      input: pay,
      identity: ['invoice'],
      ...found,
      approval: {
        expiresAfter: waits.payVotes,
        when: ({ cents }: { readonly cents: number }) => cents >= largeCents,
      },
    }),
    declare('wire', {
      input: wire,
      guarantee: 'idempotent',
      keyWindow: waits.wireKey,
      approval: { votes: 2, expiresAfter: waits.wireVotes },
    }),
    declare('refund', { input: pay, guarantee: 'idempotent', keyWindow: waits.refundKey }),
    declare('send_email', {
      input: about,
      free: ['body'],
      guarantee: 'manual',
      undoWindow: waits.mailUndo,
    }),
    declare('print_label', { input: about, guarantee: 'manual' }),
    declare('set_quota', {
      input: quota,
      identity: ['account'],
      scope: 'tenant',
      guarantee: 'natural',
    }),
    declare('open_ticket', { input: about, identity: ['about'], ...found }),
    declare('order_goods', {
      input: about,
      ...found,
      undoWindow: waits.orderUndo,
      validFor: waits.orderValid,
    }),
    declare('deploy', {
      input: about,
      guarantee: 'idempotent',
      keyWindow: waits.wireKey,
      lookup: lookUpAt(port),
      validFor: waits.deployValid,
    }),
    ...tripParts.flatMap((part) => [
      declare(`book_${part}`, { input: booking, keep: ['outcome.reservation_id'], ...found }),
      declare(`cancel_${part}`, { input: cancellation, ...found }),
    ]),
  ];
}

/** What the provider offers for each. */
export function dayBehaviour(tool: string): ToolBehaviour {
  switch (tool) {
    case 'wire':
    case 'deploy':
      return { keyWindowMs: waits.wireKey };
    case 'refund':
      return { keyWindowMs: waits.refundKey };
    case 'set_quota':
      return { entity: ({ account }) => JSON.stringify(account) };
    case 'open_ticket':
      return { lookupLagMs: 8 * second };
    default:
      return {};
  }
}

export function dayAnswer({ tool, key, arguments: args }: ProviderRequest): ProviderAnswer {
  if (JSON.stringify(args).includes('impossible'))
    return { kind: 'refused', error: 'cannot be done', code: 'impossible' };
  if (!tool.startsWith('book_')) return { kind: 'accepted', result: { done: true } };
  return {
    kind: 'accepted',
    result: { reservation_id: `${tool.slice('book_'.length)}-${key.slice(0, 8)}` },
  };
}
