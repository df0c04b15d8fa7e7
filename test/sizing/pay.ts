// The tool that pays, which takes no time unless it is told to.
import { defineTool } from '@action-ledger/tools';
import { z } from 'zod';
import { paymentResult } from '../bench/payment.ts';

const input = z.object({
  payment_id: z.string(),
  account: z.string(),
  amount_minor: z.int(),
  currency: z.string(),
  recipient: z.object({ name: z.string(), iban: z.string() }),
  lines: z.array(z.object({ article: z.string(), quantity: z.int() })),
  memo: z.string(),
});

/** @param wait what a call does between its send and its result */
export function payWith(wait?: () => Promise<void>) {
  return defineTool({
    name: 'pay',
    input,
    identity: ['payment_id'],
    guarantee: 'manual',
    execute: async ({ arguments: { payment_id }, beforeSend }) => {
      beforeSend();
      await wait?.();
      return { ...paymentResult(payment_id, 1) };
    },
  });
}

export const pay = payWith();
