// The tool of whoever tries the distributed size out: the README's requests go to this gateway as well. Nothing is
// refunded.
import { defineTool } from '@action-ledger/tools';
import { z } from 'zod';

export const refundOrder = defineTool({
  name: 'refund_order',
  input: z.object({ order_id: z.string(), amount_cents: z.number().int() }),
  guarantee: 'manual',
  execute: ({ downstreamKey }) => ({ reference: downstreamKey.slice(0, 10) }),
});
