// A process of the crash tests: it runs one workflow over a file, until it kills itself at the point it was
// told, and says how the workflow ended otherwise.
import { enableCompileCache } from 'node:module';
import { writeSync } from 'node:fs';
import { z } from 'zod';
import { createLedger, fromOutcome, type WritePoint } from '@action-ledger/client';
import { type JsonValue } from '@action-ledger/domain';
import { connectProvider, executeAt, lookUpAt, type ProviderPort } from '@action-ledger/sandbox';
import { defineTool, type Tool } from '@action-ledger/tools';
import { times } from './work.ts';

enableCompileCache();

export interface WorkflowTask {
  readonly path: string;
  readonly url: string;
  /** Without it the process only opens the file, and waits until nothing is being undone. */
  readonly runs: boolean;
  /** After its first step. Default: it goes on to the third. */
  readonly ends?: 'gives up' | 'returns';
  readonly at?: { readonly point: WritePoint; readonly nth: number };
}

const rooms = ['flight', 'hotel', 'car'] as const;

function toolsOf(port: ProviderPort): readonly Tool[] {
  const common = {
    guarantee: 'lookup',
    ...times,
    checks: { intervalMinMs: 30, intervalMaxMs: 200, checksMax: 200 },
    lookup: lookUpAt(port),
    execute: executeAt(port, { inFlightMs: times.inFlightMs }),
  } as const;
  return rooms.flatMap((what) => [
    defineTool({ name: `book_${what}`, input: z.object({ trip: z.string() }), ...common }),
    defineTool({ name: `cancel_${what}`, input: z.object({ id: z.string() }), ...common }),
  ]);
}

async function main(): Promise<void> {
  const task = JSON.parse(process.argv[2] ?? '{}') as WorkflowTask;
  const provider = connectProvider(task.url);
  const tools = toolsOf(provider);
  let passed = 0;
  const ledger = await createLedger({
    path: task.path,
    tools,
    tenant: 'acme',
    sweepMs: 250,
    onPoint: (point) => {
      if (point !== task.at?.point) return;
      passed += 1;
      if (passed === task.at.nth) process.kill(process.pid, 'SIGKILL');
    },
  });
  const toolOf = (name: string) => {
    const tool = tools.find((each) => each.name === name);
    if (tool === undefined) throw new Error(`no tool ${name}`);
    return ledger.tool<unknown, JsonValue>(tool);
  };
  if (task.runs) {
    const outcome = await ledger.workflow({ id: 'trip-7', waitMs: 20_000 }, async (step) => {
      for (const what of rooms) {
        await step(
          `book ${what}`,
          toolOf(`book_${what}`),
          { trip: 't-7' },
          {
            compensate: { tool: toolOf(`cancel_${what}`), arguments: { id: fromOutcome('id') } },
          },
        );
        if (task.ends === 'gives up') throw new Error('no more of it');
        if (task.ends === 'returns') return;
      }
    });
    writeSync(1, `${JSON.stringify(outcome)}\n`);
  }
  while (ledger.workflows.list({ status: 'compensating' }).length > 0)
    await new Promise((resolve) => setTimeout(resolve, 20));
  await ledger.close();
  provider.close();
}

await main();
