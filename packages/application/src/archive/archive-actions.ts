// Archiving: the events of actions to which nothing is left to happen are written to a file, each action
// gets an event that says so and keeps its state, and only then are they given up in the store. Ended
// anywhere in between, the next run goes on: a file that nobody names is harmless, a marker without a cut
// is cut once its file is found whole.
import { sealEvents } from '@action-ledger/codec';
import { decide, type Sha256 } from '@action-ledger/domain';
import { type EventStore, type StreamCut } from '@action-ledger/event-store';
import { type Runtime } from '@action-ledger/runtime';
import { appendOnce } from '../record/append.ts';
import { createLedgerClock, type LedgerClock } from '../core/ledger-clock.ts';
import { type ArchiveFolder } from './archive-folder.ts';
import { createArchivedStreams } from './archived-streams.ts';
import { type Candidate, type Choice, createChooser } from './choose.ts';
import { oldStreams } from './old-streams.ts';
import { createShortener, type Shortener } from './shorten.ts';

/** Where a process can end and leave something half done. */
export type ArchivePoint = 'file written' | 'action archived' | 'stream cut';

export interface ArchiveDeps {
  /** Open for writing, and no ledger running on it: one that runs would not know. */
  readonly store: EventStore;
  readonly runtime: Runtime;
  readonly sha256: Sha256;
  readonly folder: ArchiveFolder;
  readonly onPoint?: (point: ArchivePoint) => void | Promise<void>;
}

export interface ArchiveRequest {
  /** Nothing may have happened to an action since. Wall-clock ms. */
  readonly settledBefore: number;
  readonly by: string;
  /** Also actions that would take as much room as before. */
  readonly all?: boolean;
  /** Only counts. */
  readonly dryRun?: boolean;
}

export interface ArchiveReport {
  readonly actions: number;
  /** Their events, which are in the files. */
  readonly events: number;
  readonly files: readonly string[];
  /** Archived by a run that ended before it had given up their events: done now, or to be done. */
  readonly completed: number;
  /** Old enough and kept whole, by reason. */
  readonly kept: Readonly<Record<string, number>>;
}

const actionsPerFile = 1_000;
const charactersPerFile = 16 * 1024 * 1024;

/** @throws StoreFault; what writing a file throws */
export async function archiveActions(
  deps: ArchiveDeps,
  request: ArchiveRequest,
): Promise<ArchiveReport> {
  const { store, sha256, runtime } = deps;
  const clock = createLedgerClock(runtime.clock);
  const run: Run = {
    ...deps,
    clock,
    request,
    shorten: createShortener(store, sha256),
    report: { actions: 0, events: 0, completed: 0, files: [], kept: {} },
  };
  const choose = createChooser({
    ...deps,
    clock,
    files: createArchivedStreams(deps.folder, sha256),
    shorten: run.shorten,
    settledBefore: request.settledBefore,
    isAnySize: request.all === true,
  });
  let batch: Candidate[] = [];
  let cuts: StreamCut[] = [];
  let characters = 0;
  const flush = async (): Promise<void> => {
    await archiveBatch(run, batch, cuts);
    [batch, cuts, characters] = [[], [], 0];
  };
  for await (const stream of oldStreams(store, request.settledBefore, (at) => {
    clock.observe(at);
  })) {
    const choice = await choose(stream);
    note(run.report, choice);
    if (choice.kind === 'cut') cuts.push(choice.cut);
    if (choice.kind !== 'archive') continue;
    batch.push(choice.candidate);
    characters += choice.candidate.characters;
    if (batch.length >= actionsPerFile || characters >= charactersPerFile) await flush();
  }
  await flush();
  return run.report;
}

interface Report {
  actions: number;
  events: number;
  completed: number;
  readonly files: string[];
  readonly kept: Record<string, number>;
}

interface Run extends ArchiveDeps {
  readonly clock: LedgerClock;
  readonly request: ArchiveRequest;
  readonly shorten: Shortener;
  readonly report: Report;
}

function note(report: Report, choice: Choice): void {
  if (choice.kind === 'keep') report.kept[choice.why] = (report.kept[choice.why] ?? 0) + 1;
}

async function archiveBatch(
  run: Run,
  batch: readonly Candidate[],
  left: readonly StreamCut[],
): Promise<void> {
  const { report, request, folder } = run;
  const count = (done: readonly Candidate[]): void => {
    report.actions += done.length;
    report.completed += left.length;
    for (const { events } of done) report.events += events.length;
  };
  if (request.dryRun === true || batch.length + left.length === 0) {
    count(batch);
    return;
  }
  // First, and whatever comes of the rest: their files were proved just now.
  await cutAll(run, left);
  if (batch.length === 0) {
    count([]);
    return;
  }
  const file = await folder.write(linesOf(batch), dayOf(batch));
  report.files.push(file);
  await run.onPoint?.('file written');
  const marked = await markAll(run, batch, file);
  count(marked);
  await cutAll(
    run,
    marked.map(({ stream, action }) => ({ stream, before: action.revision + 1 })),
  );
}

async function cutAll(run: Run, cuts: readonly StreamCut[]): Promise<void> {
  for (const some of inGroups(cuts)) {
    await run.store.truncate(some);
    await run.onPoint?.('stream cut');
  }
}

const atOnce = 64;

function* inGroups<Item>(items: readonly Item[]): Generator<readonly Item[]> {
  for (let from = 0; from < items.length; from += atOnce) yield items.slice(from, from + atOnce);
}

/** @returns those that have not moved on since they were read */
async function markAll(
  run: Run,
  batch: readonly Candidate[],
  file: string,
): Promise<readonly Candidate[]> {
  const marked: Candidate[] = [];
  for (const group of inGroups(batch)) {
    const done = await Promise.all(group.map((each) => mark(run, each, file)));
    marked.push(...group.filter((_, index) => done[index] === true));
  }
  return marked;
}

async function mark(run: Run, candidate: Candidate, file: string): Promise<boolean> {
  const { store, sha256, runtime, clock, request } = run;
  const { action, hash, stream, position } = candidate;
  const at = clock.nowMs();
  const decision = decide(
    action,
    {
      type: 'ArchiveAction',
      file,
      revisionSeen: action.revision,
      previousHash: hash,
      position,
      settledBefore: request.settledBefore,
      ...(await run.shorten(action, file)),
    },
    { wallMs: at },
  );
  if (decision.kind === 'refusal') return false;
  const context = { sha256, nextId: runtime.ids.next, at, by: request.by };
  const { events } = sealEvents(context, hash, decision.events);
  const appended = await appendOnce(store, runtime.timers, stream, action.revision, events);
  if (appended.kind === 'conflict') return false;
  await run.onPoint?.('action archived');
  return true;
}

function linesOf(batch: readonly Candidate[]): readonly string[] {
  return batch.flatMap(({ lines }) => lines);
}

function dayOf(batch: readonly Candidate[]): string {
  const newest = Math.max(...batch.map(({ action }) => action.updatedAt));
  return new Date(newest).toISOString().slice(0, 10);
}
