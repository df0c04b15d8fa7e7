// The API that `npm start` leaves up: over the ledger of the sample that was just played, with the same
// tools, at a sandbox provider that does what it is told. A large refund waits for a person.
import { type JsonObject, type JsonValue } from '@action-ledger/domain';
import {
  createProvider,
  type DeclaredTools,
  distinctTools,
  sandboxBehaviour,
  sandboxTool,
} from '@action-ledger/sandbox';
import { createToolSet, defineTool, type ToolDefinition } from '@action-ledger/tools';
import { CliError } from '../cli-error.ts';
import { type Cli } from '../cli.ts';
import { serve, stopSignal } from '../start/serve.ts';

/** Ends with a signal. @param port where it is taken, any that is free */
export async function serveSample(
  cli: Cli,
  path: string,
  declared: DeclaredTools,
  port: number,
): Promise<void> {
  const { io, style } = cli;
  const provider = createProvider({
    runtime: io.runtime,
    behaviour: sandboxBehaviour(declared),
    answer: ({ key }) => ({ kind: 'accepted', result: { reference: key.slice(0, 10) } }),
  });
  const tools = createToolSet(
    distinctTools(declared).map((tool) => defineTool(withApproval(sandboxTool(tool, provider)))),
  );
  const serving = await nearPort(port, (free) =>
    serve(cli, path, tools, { host: '127.0.0.1', port: free, open: true }),
  );
  const taken = new URL(serving.url).port === String(port) ? '' : portTaken(port);
  const rows = [
    ['API', `${serving.url}/v1, open to this machine, over ${path}`],
    ['docs', `${serving.url}/docs`],
  ] as const;
  const lines = rows.map(([what, is]) => `  ${style.dim(what.padEnd(4))}  ${is}\n`);
  serving.announce(
    `\n${style.bold('Still running')}\n${lines.join('')}${taken}\nCtrl-C stops it.\n`,
  );
  await stopSignal();
  await serving.stop();
}

function portTaken(port: number): string {
  if (port === 0) return '';
  return `  Port ${port} is taken by another program: the API is at the address above, and not where the pages say.\n`;
}

/** Cents above which a person is asked. */
const approvedAbove = 10_000;

function withApproval(
  tool: ToolDefinition<JsonObject, JsonValue>,
): ToolDefinition<JsonObject, JsonValue> {
  if (tool.name !== 'refund_order') return tool;
  const when = ({ amount_cents: cents }: JsonObject): boolean => Number(cents) > approvedAbove;
  return { ...tool, approval: { votes: 1, ownVote: true, when } };
}

async function nearPort<Served>(
  port: number,
  serveAt: (port: number) => Promise<Served>,
): Promise<Served> {
  try {
    return await serveAt(port);
  } catch (error) {
    if (!(error instanceof CliError) || error.code !== 'cli.address') throw error;
    return serveAt(0);
  }
}
