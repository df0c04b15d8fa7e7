// A process for the crash tests: opens a store and, as it is told, appends until a fault, appends a
// few times, or only holds the file. It reports by lines of JSON, one per acknowledged append.
import { createSystemRuntime } from '@action-ledger/runtime';
import { type NewEvent, StoreFault } from '@action-ledger/event-store';
import { openSqliteEventStore, type SqliteEventStore } from './index.ts';

export interface ChildTask {
  readonly path: string;
  readonly task: 'append' | 'few' | 'hold';
  readonly callers: number;
  readonly readOnly?: boolean;
  readonly pendingStreamsMax?: number;
}

export type ChildReport =
  | { readonly kind: 'opened'; readonly condition: string }
  /** Acknowledged: the last revision, and the id all events of the append share. */
  | {
      readonly kind: 'stored';
      readonly stream: string;
      readonly revision: number;
      readonly append: string;
    }
  | {
      readonly kind: 'fault';
      readonly code: string;
      readonly retry: string;
      readonly message: string;
    };

/** What the events of an append tell of it, so that a reader can see whether it is whole. */
export interface AppendContent {
  readonly append: string;
  readonly index: number;
  readonly count: number;
  readonly filling: string;
}

const runtime = createSystemRuntime();
const fillingLength = 500;

function report(line: ChildReport): void {
  // To a pipe this is synchronous: what was reported before a kill arrives.
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

function eventsOf(append: string, count: number): readonly NewEvent[] {
  return Array.from({ length: count }, (_, index) => {
    const filling = 'x'.repeat(index === 0 ? fillingLength : 10);
    const content: AppendContent = { append, index, count, filling };
    const metadata = `{"hash":"${runtime.ids.next()}","schema":1}`;
    return {
      id: runtime.ids.next(),
      type: 'ActionPlanned',
      data: JSON.stringify(content),
      metadata,
    };
  });
}

async function store(open: SqliteEventStore, stream: string, last: number, count: number) {
  const append = runtime.ids.next();
  const result = await open.append(stream, last < 0 ? 'no stream' : last, eventsOf(append, count));
  if (result.kind === 'conflict') throw new Error(`Nobody else writes ${stream}.`);
  report({ kind: 'stored', stream, revision: result.revision, append });
}

/** One action after another: three events, then one. Every eighth has a third append much later. */
async function appendActions(open: SqliteEventStore, actions: number): Promise<void> {
  const unfinished: string[] = [];
  for (let n = 1; n <= actions; n += 1) {
    const stream = `action-${runtime.ids.next()}${runtime.ids.next().slice(1)}.0`;
    await store(open, stream, -1, 3);
    await store(open, stream, 2, 1);
    if (n % 8 === 0) unfinished.push(stream);
    const late = unfinished.length > 20 ? unfinished.shift() : undefined;
    if (late !== undefined) await store(open, late, 3, 2);
  }
}

async function main(): Promise<void> {
  const task = JSON.parse(process.argv[2] ?? '{}') as ChildTask;
  const { path, callers, readOnly = false, pendingStreamsMax } = task;
  const tuning = pendingStreamsMax === undefined ? {} : { pendingStreamsMax };
  const open = await openSqliteEventStore({ path, runtime, readOnly, ...tuning });
  report({ kind: 'opened', condition: open.condition().kind });
  if (task.task === 'hold') process.stdin.resume();
  const actions = { append: Infinity, few: 5, hold: 0 }[task.task];
  await Promise.all(Array.from({ length: callers }, () => appendActions(open, actions)));
}

main().catch((error: unknown) => {
  if (!(error instanceof StoreFault)) throw error;
  const { code, retry, message } = error;
  report({ kind: 'fault', code, retry, message });
  // A reader that is slow leaves lines in the queue, and an exit would drop them.
  process.stdout.write('', () => {
    process.exit();
  });
});
