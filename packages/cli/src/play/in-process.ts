// The ledger of a play in this process, beside its provider.
import { createLedger } from '@action-ledger/client';
import { type JsonObject, type JsonValue } from '@action-ledger/domain';
import { type Runtime } from '@action-ledger/runtime';
import { defineTool, type ToolDefinition } from '@action-ledger/tools';
import { type Deliverer, deliveredOf, restWithinMs } from './delivery.ts';

export async function openInProcess(
  path: string,
  tools: readonly ToolDefinition<JsonObject, JsonValue>[],
  runtime: Runtime,
): Promise<Deliverer> {
  const ledger = await createLedger({
    path,
    runtime,
    tools: tools.map((tool) => defineTool(tool)),
  });
  return {
    deliver: async ({ seq: _, ...proposal }) =>
      deliveredOf(await ledger.propose({ ...proposal, waitMs: restWithinMs })),
    close: () => ledger.close(),
  };
}
