// The server of the store is killed with -9 while a ledger is busy over it, again and again, and started
// over what its file holds: a protocol double of EventStoreDB in a process of its own. `CRASH_KILLS` says
// how often.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it } from '@jest/globals';
import { createLedger, type Ledger, type Outcome } from '@action-ledger/client';
import { openEventStoreDbEventStore } from '@action-ledger/event-store-eventstoredb';
import { createProvider } from '@action-ledger/sandbox';
import { type Tool } from '@action-ledger/tools';
import { judge } from './judge.ts';
import { type Told } from './messages.ts';
import { pause, runtime } from './rig.ts';
import { behaviourOf, callOf, jobOf, toolsOf } from './work.ts';

const kills = Number(process.env['CRASH_KILLS'] ?? 3);
const callers = 6;
const main = join(__dirname, '../../packages/eventstoredb-double/src/main.ts');

interface Server {
  readonly connectionString: string;
  readonly kill: () => Promise<void>;
  /** At the same address. */
  readonly start: () => Promise<void>;
}

async function startServer(file: string): Promise<Server> {
  let child: ChildProcess;
  const start = async (port: string): Promise<string> => {
    const args = ['--conditions=source', main, '--file', file, '--port', port];
    child = spawn(process.execPath, args, {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, NODE_COMPILE_CACHE: join(tmpdir(), 'action-ledger-compile-cache') },
    });
    if (child.stdout === null) throw new Error('The server has no output.');
    const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
    return line;
  };
  const connectionString = await start('0');
  const port = /:(\d+)\?/.exec(connectionString)?.[1] ?? '';
  return {
    connectionString,
    kill: async () => {
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
    },
    start: async () => {
      await start(port);
    },
  };
}

/** Asks until it is told the end of it. */
async function perform(ledger: Ledger, tools: readonly Tool[], number: number): Promise<Told> {
  const { tool: name, args } = jobOf(number);
  const tool = tools.find((each) => each.name === name);
  if (tool === undefined) throw new Error(`no tool ${name}`);
  for (;;) {
    const context = { ...callOf(number), waitMs: 2_000 };
    const outcome = (await ledger.tool(tool).call(args, context)) as Outcome;
    const { word, state, actionId, externalId, owner } = outcome;
    if (state === 'succeeded' || state === 'failed' || owner === 'operator') {
      return {
        ...{ word, state },
        ...(actionId === undefined ? {} : { actionId }),
        ...(externalId === undefined ? {} : { externalId }),
      };
    }
    await pause(20);
  }
}

/** Without those of which a person would be asked what became. */
function createTake(): () => number {
  let next = 0;
  return () => {
    next += jobOf(next + 1).tool === 'pay-manual' ? 2 : 1;
    return next;
  };
}

it(`a busy ledger over a server that is killed with -9 ${kills} times: everything ends, effects = actions`, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'crash-server-'));
  const server = await startServer(join(folder, 'log'));
  const { connectionString } = server;
  const provider = createProvider({ runtime, behaviour: behaviourOf });
  const tools = toolsOf(provider);
  try {
    const store = await openEventStoreDbEventStore({
      connectionString,
      runtime,
      deadlineMs: 1_000,
    });
    const ledger: Ledger = await createLedger({ store, tools, tenant: 'acme', sweepMs: 250 });
    const told = new Map<number, Told>();
    const take = createTake();
    let isEnough = false;
    const caller = async (): Promise<void> => {
      while (!isEnough) {
        const number = take();
        told.set(number, await perform(ledger, tools, number));
      }
    };
    const calling = Promise.all(Array.from({ length: callers }, caller));
    for (let kill = 0; kill < kills; kill += 1) {
      const before = told.size;
      while (told.size < before + callers) await pause(5);
      await pause(30 * runtime.randomness.next());
      await server.kill();
      await pause(200 * runtime.randomness.next());
      await server.start();
    }
    isEnough = true;
    await calling;
    const judged = await judge(store, provider, told);
    expect(judged).toMatchObject({ broken: [], doubled: [], lost: [], ownerless: [], misled: [] });
    expect(judged.actions).toBe(told.size);
    expect(judged.effects).toBe(told.size);
    await ledger.close();
  } finally {
    await server.kill();
    rmSync(folder, { recursive: true, force: true });
  }
});
