// What a proposal has at every door: which tool, with what, and where the call comes from. A door adds
// what is its own.
import { z } from 'zod';

/** As long as the ledger takes: 4,096 UTF-16 units. */
export const text = z.string().min(1).max(4_096);

export const object = z.record(z.string(), z.unknown());

export const proposalForm = z
  .strictObject({
    tool: text,
    arguments: object.meta({ description: "Whatever the tool's schema asks for." }),
    conversation: text.optional(),
    run: text.optional(),
    turn: text.optional(),
    call: text
      .optional()
      .meta({ description: "The model's tool-call id. Without it this is a redelivery." }),
    key: z
      .string()
      .optional()
      .meta({ description: 'A key of your own, as in the header `Idempotency-Key`.' }),
  })
  .meta({ id: 'Proposal' });
