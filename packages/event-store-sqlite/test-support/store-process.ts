// A process of the crash tests over a file of its own, and what its appends must have left: whole ones.
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect } from '@jest/globals';
import { type EventStore, type RecordedEvent } from '@action-ledger/event-store';
import { createSystemRuntime } from '@action-ledger/runtime';
import {
  type AppendContent,
  type ChildReport,
  type ChildTask,
} from '../src/store-process.child.ts';

const runtime = createSystemRuntime();
let started: ChildProcess[] = [];

export function killStarted(): void {
  for (const child of started) child.kill('SIGKILL');
  started = [];
}

export type Stored = Extract<ChildReport, { kind: 'stored' }>;

export interface Child {
  readonly process: ChildProcess;
  next(): Promise<ChildReport>;
  /** Kills it and gives what it had reported as stored and nobody had read. */
  killAfter(delayMs: number): Promise<readonly Stored[]>;
  all(): Promise<readonly ChildReport[]>;
  drain(): Promise<void>;
}

interface StartOptions {
  readonly before?: readonly string[];
  readonly uid?: number;
  readonly gid?: number;
}

export function start(task: ChildTask, { before = [], ...user }: StartOptions = {}): Child {
  const script = join(__dirname, '../src/store-process.child.ts');
  const command = [
    ...before,
    process.execPath,
    '--conditions=source',
    script,
    JSON.stringify(task),
  ];
  const child = spawn(command[0] ?? '', command.slice(1), {
    stdio: ['pipe', 'pipe', 'inherit'],
    ...user,
  });
  started.push(child);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async (): Promise<ChildReport | undefined> => {
    const line = await lines.next();
    return line.done === true ? undefined : (JSON.parse(line.value) as ChildReport);
  };
  const all = async (): Promise<readonly ChildReport[]> => {
    const reports: ChildReport[] = [];
    for (;;) {
      const report = await next();
      if (report === undefined) return reports;
      reports.push(report);
    }
  };
  return {
    process: child,
    all,
    next: async () => {
      const report = await next();
      if (report === undefined) throw new Error('The process has ended without a word.');
      return report;
    },
    killAfter: async (delayMs) => {
      runtime.timers.after(delayMs, () => child.kill('SIGKILL'));
      return (await all()).filter((report) => report.kind === 'stored');
    },
    drain: async () => {
      await all();
    },
  };
}

/** All streams by a full scan, which finds positions and revisions without gaps. */
export async function readStreams(store: EventStore): Promise<Map<string, RecordedEvent[]>> {
  const streams = new Map<string, RecordedEvent[]>();
  for (let position = 0; ;) {
    const batch = await store.readAll({ after: position, max: 1000 });
    if (batch.length === 0) return streams;
    for (const event of batch) {
      expect(event.position).toBe((position += 1));
      const stream = streams.get(event.stream) ?? [];
      expect(event.revision).toBe(stream.push(event) - 1);
      streams.set(event.stream, stream);
    }
  }
}

export function expectWholeAppends(events: readonly RecordedEvent[]): void {
  for (let at = 0; at < events.length;) {
    const { append, count } = contentOf(events[at]);
    const whole = events.slice(at, at + count).map(contentOf);
    expect(whole.map((content) => content.append)).toEqual(Array(count).fill(append));
    expect(whole.map((content) => content.index)).toEqual([...Array(count).keys()]);
    at += count;
  }
}

export function contentOf(event: RecordedEvent | undefined): AppendContent {
  return JSON.parse(event?.data ?? '{}') as AppendContent;
}
