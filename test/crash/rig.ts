// The parent's side of a crash test: the provider lives here and outlives every process, the file lies
// in a folder of its own, and what callers were told is remembered. `judge` holds all of it against
// the record.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { openSqliteEventStore } from '@action-ledger/event-store-sqlite';
import { createSystemRuntime } from '@action-ledger/runtime';
import {
  createProvider,
  type ProviderOptions,
  type SandboxProvider,
  serveProvider,
} from '@action-ledger/sandbox';
import { judge, type Judgement } from './judge.ts';
import { type Report, type Task, type Told } from './messages.ts';
import { behaviourOf } from './work.ts';

export const runtime = createSystemRuntime();

/** Real time: processes of the crash tests have no other. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    runtime.timers.after(ms, resolve, { keepsAlive: true });
  });
}

export interface Rig {
  readonly path: string;
  readonly provider: SandboxProvider;
  /** Jobs by number: what their caller was told last, or undefined where nothing was said. */
  readonly told: ReadonlyMap<number, Told | undefined>;
  readonly start: (task?: Partial<Task>) => Child;
  /** Delivers again what nobody was told the end of, and lets everything come to rest. */
  readonly finish: () => Promise<void>;
  readonly judge: () => Promise<Judgement>;
  readonly close: () => Promise<void>;
}

export interface Child {
  readonly process: ChildProcess;
  /** The next report of the kind; rejects where the process ends without it. */
  readonly next: <Type extends Report['type']>(
    type: Type,
  ) => Promise<Extract<Report, { readonly type: Type }>>;
  readonly kill: () => Promise<void>;
  /** With the signal that ended it. */
  readonly ended: Promise<NodeJS.Signals | undefined>;
}

export async function openRig(options: Partial<ProviderOptions> = {}): Promise<Rig> {
  const folder = mkdtempSync(join(tmpdir(), 'crash-'));
  const path = join(folder, 'ledger.db');
  const provider = createProvider({ runtime, behaviour: behaviourOf, ...options });
  const served = await serveProvider(provider);
  const told = new Map<number, Told | undefined>();
  const children: Child[] = [];
  const start: Rig['start'] = (more = {}) => {
    const untold = [...told].filter(([, each]) => !isSettled(each)).map(([number]) => number);
    const from = Math.max(-1, ...told.keys()) + 1;
    const usual = {
      path,
      url: served.url,
      mode: 'load',
      callers: 12,
      again: untold,
      from,
    } as const;
    const child = startChild({ ...usual, ...more }, told);
    children.push(child);
    return child;
  };
  return {
    path,
    provider,
    told,
    start,
    finish: async () => {
      await start({ mode: 'finish' }).next('finished');
    },
    judge: async () => {
      const store = await openSqliteEventStore({ path, runtime, readOnly: true });
      try {
        return await judge(store, provider, told);
      } finally {
        await store.close();
      }
    },
    close: async () => {
      await Promise.all(children.map((child) => child.kill()));
      await served.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function isSettled(told: Told | undefined): boolean {
  return told?.state === 'succeeded' || told?.state === 'failed';
}

function startChild(task: Task, told: Map<number, Told | undefined>): Child {
  const script = join(__dirname, 'ledger-main.ts');
  const process_ = spawn(process.execPath, ['--conditions=source', script, JSON.stringify(task)], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, NODE_COMPILE_CACHE: join(tmpdir(), 'action-ledger-compile-cache') },
  });
  const waiting = new Set<(report: Report | undefined) => void>();
  const seen: Report[] = [];
  const tell = (report: Report | undefined): void => {
    for (const each of [...waiting]) each(report);
  };
  const lines = createInterface({ input: process_.stdout });
  lines.on('line', (line) => {
    const report = JSON.parse(line) as Report;
    if (report.type === 'begun' && !told.has(report.number)) told.set(report.number, undefined);
    if (report.type === 'told') told.set(report.number, report.told);
    if (report.type !== 'begun' && report.type !== 'told') seen.push(report);
    tell(report);
  });
  const exited = new Promise<NodeJS.Signals | undefined>((resolve) => {
    process_.once('exit', (_code, signal) => {
      resolve(signal ?? undefined);
    });
  });
  const drained = new Promise<void>((resolve) => {
    lines.once('close', resolve);
  });
  const ended = Promise.all([exited, drained]).then(([signal]) => {
    tell(undefined);
    return signal;
  });
  return {
    process: process_,
    ended,
    next: (type) =>
      new Promise((resolve, reject) => {
        const look = (report: Report | undefined): void => {
          if (report !== undefined && report.type !== type) return;
          waiting.delete(look);
          if (report === undefined) reject(new Error(`the process ended before it was ${type}`));
          else resolve(report as never);
        };
        const early = seen.findIndex((report) => report.type === type);
        if (early >= 0) {
          resolve(seen.splice(early, 1)[0] as never);
          return;
        }
        waiting.add(look);
        void ended.then(() => {
          look(undefined);
        });
      }),
    kill: async () => {
      process_.kill('SIGKILL');
      await ended;
    },
  };
}
