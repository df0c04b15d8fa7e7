// Field cases that need a server and a broker: claimants in processes of their own, and places that a server
// moves by itself.
import { type ChildProcess, spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it } from '@jest/globals';
import { amongProcesses } from '@action-ledger/application';
import { composeLedger } from '@action-ledger/client';
import { actionOfStream } from '@action-ledger/domain';
import { type EventStore } from '@action-ledger/event-store';
import { openEventStoreDbEventStore } from '@action-ledger/event-store-eventstoredb';
import { openEventStoreDbDouble } from '@action-ledger/eventstoredb-double';
import { createProvider, serveProvider } from '@action-ledger/sandbox';
import { sendTool } from './claimants.ts';
import { brokersGiven, newPrefix, runtime, skipped } from './world.ts';

const brokers = brokersGiven();
const actions = 50;

if (brokers === undefined) {
  it.skip(skipped('field cases over a server and Kafka'), () => undefined);
} else {
  it('F117 50 actions, 6 claimants in 3 processes that begin at one word → each is claimed once and done once', async () => {
    const double = await openEventStoreDbDouble({ runtime });
    const { connectionString } = double;
    const provider = createProvider({ runtime, behaviour: () => ({}) });
    const served = await serveProvider(provider);
    const store = await openEventStoreDbEventStore({ connectionString, runtime });
    const tool = sendTool(provider);
    const planner = { duties: [], crew: amongProcesses };
    const { ledger } = await composeLedger({ store, runtime, tools: [tool] }, planner);
    const plan = (n: number) =>
      ledger.tool(tool).call({ text: `${n}` }, { run: 'r', call: `c-${n}`, waitMs: 0 });
    await Promise.all(Array.from({ length: actions }, (_, n) => plan(n)));

    const shared = { connectionString, brokers, prefix: newPrefix(), url: served.url };
    const claimants = [0, 1, 2].map((n) =>
      startClaimants({ ...shared, names: [`a${n}`, `b${n}`] }),
    );
    await Promise.all(claimants.map(({ ready }) => ready));
    for (const { child } of claimants) child.stdin?.write('go\n');
    const isDone = async (): Promise<boolean> =>
      (await typesIn(store)).filter((type) => type === 'ActionSucceeded').length === actions;
    while (!(await isDone())) await pause(50);
    for (const { child } of claimants) child.stdin?.end();
    await Promise.all(claimants.map(({ ended }) => ended));

    const types = await typesIn(store);
    expect(types.filter((type) => type === 'ActionClaimed')).toHaveLength(actions);
    expect(provider.effects()).toHaveLength(actions);
    expect(provider.arrivals).toHaveLength(actions);
    expect(claimants.flatMap(({ faults }) => faults)).toEqual([]);
    await ledger.close();
    await served.close();
    await double.close();
  });
}

function startClaimants(task: object) {
  const script = join(__dirname, 'claimant-main.ts');
  const child: ChildProcess = spawn(
    process.execPath,
    ['--conditions=source', script, JSON.stringify(task)],
    {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { ...process.env, NODE_COMPILE_CACHE: join(tmpdir(), 'action-ledger-compile-cache') },
    },
  );
  const faults: string[] = [];
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => {
      resolve();
    });
  });
  const ready = new Promise<void>((resolve, reject) => {
    if (child.stdout === null) return;
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (line === 'ready') resolve();
      else faults.push(line);
    });
    void ended.then(() => {
      reject(new Error('A process of claimants has ended.'));
    });
  });
  return { child, ready, ended, faults };
}

async function typesIn(store: EventStore): Promise<readonly string[]> {
  const events = await store.readAll({ after: 0, max: 10_000 });
  return events.flatMap(({ stream, type }) => (actionOfStream(stream) === undefined ? [] : [type]));
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => void runtime.timers.after(ms, resolve, { keepsAlive: true }));
}
