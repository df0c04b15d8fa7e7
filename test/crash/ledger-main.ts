// A process of the crash tests: a ledger over a file, under load, until it is killed. It says what it has
// begun and what its callers were told, so that the parent can hold the record against it.
import { enableCompileCache } from 'node:module';
import { writeSync } from 'node:fs';
import { createLedger, type Ledger, type Outcome, type WritePoint } from '@action-ledger/client';
import { StoreFault } from '@action-ledger/event-store';
import { connectProvider } from '@action-ledger/sandbox';
import { type Tool } from '@action-ledger/tools';
import { type Report, type Task } from './messages.ts';
import { callOf, jobOf, toolsOf } from './work.ts';

enableCompileCache();

/** So long one caller waits; then the job is delivered again. */
const waitMs = 5_000;

/** To a pipe this is synchronous: what was said before a kill arrives. */
function report(line: Report): void {
  writeSync(1, `${JSON.stringify(line)}\n`);
}

interface Worker {
  readonly ledger: Ledger;
  readonly tools: readonly Tool[];
}

function strike({ at }: Task): (point: WritePoint) => Promise<void> | undefined {
  let passed = 0;
  return (point) => {
    if (point !== at?.point || passed >= at.nth) return undefined;
    passed += 1;
    if (passed < at.nth) return at.holds === true ? new Promise(() => undefined) : undefined;
    report({ type: 'reached', point });
    process.kill(process.pid, at.signal);
    return undefined;
  };
}

async function callTool(
  { ledger, tools }: Worker,
  name: string,
  args: unknown,
  context: object,
): Promise<Outcome> {
  const tool = tools.find((each) => each.name === name);
  if (tool === undefined) throw new Error(`no tool ${name}`);
  return (await ledger.tool(tool).call(args, { ...context, waitMs })) as Outcome;
}

/** Every third job is delivered twice at once; a booking is cancelled again. */
async function perform(worker: Worker, number: number): Promise<void> {
  const { tool, args } = jobOf(number);
  const call = callOf(number);
  report({ type: 'begun', number });
  const twice = number % 3 === 0 ? [callTool(worker, tool, args, call)] : [];
  const [outcome] = await Promise.all([callTool(worker, tool, args, call), ...twice]);
  const { word, state, actionId, externalId } = outcome;
  if (tool === 'book' && state === 'succeeded' && word !== 'done-earlier') {
    const { reservation_id } = outcome.result as { readonly reservation_id: string };
    await callTool(worker, 'unbook', { reservation_id }, { ...call, call: 'call_2' });
  }
  const told = {
    word,
    state,
    ...(actionId === undefined ? {} : { actionId }),
    ...(externalId === undefined ? {} : { externalId }),
  };
  report({ type: 'told', number, told });
}

async function work(worker: Worker, task: Task): Promise<void> {
  const again = [...task.again];
  let next = task.from;
  const take = (): number | undefined => {
    const number = again.shift();
    if (number !== undefined || task.mode === 'finish') return number;
    next += 1;
    return next - 1;
  };
  const caller = async (): Promise<void> => {
    for (let number = take(); number !== undefined; number = take()) await perform(worker, number);
  };
  await Promise.all(Array.from({ length: task.callers }, caller));
}

/** Until nothing is open but what waits for a person. */
async function comeToRest({ ledger }: Worker): Promise<void> {
  for (;;) {
    const open = await Promise.all(ledger.openActions().map((id) => ledger.load(id)));
    const moving = open.filter(
      (loaded) => loaded.kind === 'action' && loaded.action.watch?.owner !== 'operator',
    );
    if (moving.length === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function main(): Promise<void> {
  const task = JSON.parse(process.argv[2] ?? '{}') as Task;
  const provider = connectProvider(task.url);
  const tools = toolsOf(provider, task.isPatient);
  report({ type: 'started' });
  const ledger = await createLedger({
    path: task.path,
    tools,
    tenant: 'acme',
    sweepMs: 250,
    onPoint: strike(task),
  });
  report({ type: 'opened' });
  const worker: Worker = { ledger, tools };
  if (task.mode === 'hold') {
    process.stdin.resume();
    return;
  }
  await work(worker, task);
  await comeToRest(worker);
  await ledger.close();
  provider.close();
  report({ type: 'finished' });
}

main().catch((error: unknown) => {
  if (!(error instanceof StoreFault)) throw error;
  report({ type: 'refused', code: error.code, message: error.message });
  process.exit(1);
});
