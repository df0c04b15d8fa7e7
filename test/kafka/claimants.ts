// What the claimants of F117 and the one who plans share.
import { z } from 'zod';
import { executeAt, lookUpAt, type ProviderPort } from '@action-ledger/sandbox';
import { defineTool, type Tool } from '@action-ledger/tools';

export function sendTool(port: ProviderPort): Tool {
  return defineTool<{ readonly text: string }>({
    name: 'send',
    input: z.object({ text: z.string() }),
    guarantee: 'lookup',
    lookup: lookUpAt(port),
    execute: executeAt(port),
  });
}
