// FW08 and FW09 with real processes, kill -9 and a real file: the third step of a workflow fails, and its
// process dies at a point on the way there or back; or the program itself comes to an end, and it dies there.
// Another one opens the file, with or without the program.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { verifyLedger } from '@action-ledger/application';
import { type WritePoint, writePoints } from '@action-ledger/client';
import { openSqliteEventStore } from '@action-ledger/event-store-sqlite';
import {
  createProvider,
  declined,
  type ProviderOptions,
  type SandboxProvider,
  serveProvider,
} from '@action-ledger/sandbox';
import { sha256 } from './judge.ts';
import { runtime } from './rig.ts';
import { type WorkflowTask } from './workflow-main.ts';

interface Ran {
  readonly signal: NodeJS.Signals | null;
  readonly outcome: { readonly status?: string };
}

function run(task: WorkflowTask): Promise<Ran> {
  const script = join(__dirname, 'workflow-main.ts');
  const child = spawn(process.execPath, ['--conditions=source', script, JSON.stringify(task)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NODE_COMPILE_CACHE: join(tmpdir(), 'action-ledger-compile-cache') },
  });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text));
  return new Promise((resolve) => {
    child.once('close', (_code, signal) => {
      resolve({ signal, outcome: JSON.parse(said === '' ? '{}' : said) as Ran['outcome'] });
    });
  });
}

const noCars: NonNullable<ProviderOptions['fault']> = ({ tool }) =>
  tool === 'book_car' ? declined('no cars') : undefined;

/** Whatever is left in the file afterwards breaks no invariant. */
async function withProvider(
  fault: NonNullable<ProviderOptions['fault']>,
  test: (provider: SandboxProvider, task: Pick<WorkflowTask, 'path' | 'url'>) => Promise<void>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'crash-workflow-'));
  const provider = createProvider({
    runtime,
    answer: ({ key }) => ({ kind: 'accepted', result: { id: key.slice(0, 8) } }),
    fault,
  });
  const served = await serveProvider(provider);
  const path = join(folder, 'ledger.db');
  try {
    await test(provider, { path, url: served.url });
    const store = await openSqliteEventStore({ path, runtime, readOnly: true });
    const { brokenInvariants } = await verifyLedger(store, { sha256 });
    await store.close();
    expect(brokenInvariants).toEqual([]);
  } finally {
    await served.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

const deaths: readonly (readonly [WritePoint, number, boolean])[] = [
  ['workflow started', 1, true],
  ['step planned', 2, true],
  ['step done', 2, true],
  ['step settled', 3, false],
  ['compensation planned', 1, false],
  ['compensation created', 1, true],
  ['replied', 4, false],
  ['compensation recorded', 1, true],
  ['compensation recorded', 2, false],
];

/** Of a program that gives up, and of one that comes to its end. */
const ends: readonly (readonly [WritePoint, NonNullable<WorkflowTask['ends']>, string])[] = [
  ['compensation started', 'gives up', 'compensated'],
  ['workflow ended', 'returns', 'completed'],
];

it('meets every point of the write path of workflows', () => {
  // kill-200.test.ts meets those before it.
  const ofWorkflows = writePoints.slice(writePoints.indexOf('workflow started'));
  const met = new Set([...deaths, ...ends].map(([point]) => point));
  expect(ofWorkflows.filter((point) => !met.has(point))).toEqual([]);
});

it.each(ends)(
  'FW09 kill -9 at "%s", its program %s when it comes back → %s, each thing done once',
  (at, how, status) =>
    withProvider(
      () => undefined,
      async (provider, task) => {
        const killed = await run({ ...task, runs: true, ends: how, at: { point: at, nth: 1 } });
        expect(killed.signal).toBe('SIGKILL');
        const after = await run({ ...task, runs: true, ends: how });
        expect(after.outcome.status).toBe(status);
        const done = provider.effects().map(({ tool }) => tool);
        const undone = how === 'returns' ? [] : ['cancel_flight'];
        expect(done).toEqual(['book_flight', ...undone]);
      },
    ),
  60_000,
);

it.each(deaths)(
  'FW09 kill -9 at "%s" (%i), its program comes back: %s → undone once each, in reverse order',
  (point, nth, comesBack) =>
    withProvider(noCars, async (provider, task) => {
      expect((await run({ ...task, runs: true, at: { point, nth } })).signal).toBe('SIGKILL');
      const after = await run({ ...task, runs: comesBack });
      expect(after.signal).toBeNull();
      if (comesBack) expect(after.outcome.status).toBe('compensated');
      const done = provider.effects().map(({ tool }) => tool);
      expect(done).toEqual(['book_flight', 'book_hotel', 'cancel_hotel', 'cancel_flight']);
    }),
  60_000,
);
