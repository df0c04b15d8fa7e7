// `action-ledger verify`: proves that the record is whole, or names what is wrong.
import { type BrokenRecord, type Verification, verifyLedger } from '@action-ledger/application';
import { actionOfStream, streamOfAction } from '@action-ledger/domain';
import { type EventStore } from '@action-ledger/event-store';
import { readOwner } from '@action-ledger/event-store-sqlite';
import { archiveFolderAt } from '../archive/archive-folder.ts';
import { checkArchive } from '../archive/check-archive.ts';
import { type ArchiveOption } from '../archive/with-archive.ts';
import { type Cli } from '../cli.ts';
import { count } from '../format/count.ts';
import { printable } from '../format/printable.ts';
import { renderTable } from '../format/table.ts';
import { duration } from '../format/time.ts';
import { shortId } from '../ledger-file/find-action.ts';
import { isAlive } from '../ledger-file/is-alive.ts';
import { type PathOption, pathSuffix } from '../ledger-file/ledger-path.ts';
import { readLedger } from '../ledger-file/read-ledger.ts';
import { sha256 } from '../sha256.ts';
import { compareWithViews } from './compare-with-views.ts';
import { type ProofThread, startProofThread } from './proof-thread.ts';

export interface VerifyCommand extends PathOption, ArchiveOption {
  readonly json?: boolean;
}

export async function verify(cli: Cli, options: VerifyCommand): Promise<void> {
  const { clock } = cli.io.runtime;
  // Known before all is read.
  if (options.archive !== undefined) archiveFolderAt(options.archive);
  const startedMs = clock.monoMs();
  await readLedger(cli.io, options, async (store, path) => {
    const owner = readOwner(path);
    const isRunning = owner !== undefined && isAlive(owner.pid);
    const record = await verifyInThreads(store, path, isRunning ? clock.wallMs() : undefined);
    const found = await withArchives(store, options, record);
    if (options.json === true) cli.json(found);
    else cli.io.out(renderVerification(cli, found, path, clock.monoMs() - startedMs));
    if (found.brokenInvariants.length > 0) cli.end(1);
  });
}

/** Adds what is wrong with the files of archived events, where their folder is named. */
async function withArchives(
  store: EventStore,
  { archive }: ArchiveOption,
  record: Verification,
): Promise<Verification> {
  if (archive === undefined) return record;
  const broken = await checkArchive(store, archive);
  return { ...record, brokenInvariants: [...record.brokenInvariants, ...broken] };
}

/** Fewer are proved in less time than a thread takes to start. */
const threadEventsMin = 50_000;

async function verifyInThreads(
  store: EventStore,
  path: string,
  nowMs: number | undefined,
): Promise<Verification> {
  const isWorthAThread = (await store.head()) >= threadEventsMin;
  let thread: ProofThread | undefined;
  try {
    return await verifyLedger(store, {
      sha256,
      ...(nowMs === undefined ? {} : { nowMs }),
      proveElsewhere: (through) => {
        thread = isWorthAThread ? startProofThread({ path, through }) : undefined;
        return thread?.proof;
      },
      compare: (states) => compareWithViews(store, path, states),
    });
  } finally {
    await thread?.end();
  }
}

const columns = [
  { title: 'STREAM' },
  { title: 'BROKEN' },
  { title: 'WHAT IS WRONG', widthMin: 26, wraps: true },
];

/** In a terminal no longer than a person needs to name it to another command. */
function streamText(stream: string, isShort: boolean): string {
  if (stream === '') return '(unknown)';
  const actionId = isShort ? actionOfStream(stream) : undefined;
  return printable(actionId === undefined ? stream : streamOfAction(shortId(actionId)));
}

/** Apart: an effect that was only observed breaks no promise, as there was none. */
function observedText({ calls, heldBack }: Verification['observed'], file: string): string {
  if (calls === 0) return '';
  return `\n${count(calls, 'call')} only observed; the ledger would have held back ${heldBack}: action-ledger observed${file}`;
}

interface Alike extends BrokenRecord {
  /** Other streams of which the same is wrong. */
  readonly others: number;
}

/** A file of an archive that is missing is told once, and not for each of its thousands of streams. */
function alikeIn(broken: readonly BrokenRecord[]): readonly Alike[] {
  const found = new Map<string, Alike>();
  for (const each of broken) {
    const { stream, invariant, detail } = each;
    const key = isOfArchive(each) ? detail : JSON.stringify([stream, invariant, detail]);
    const known = found.get(key);
    found.set(
      key,
      known === undefined ? { ...each, others: 0 } : { ...known, others: known.others + 1 },
    );
  }
  return [...found.values()];
}

function isOfArchive({ invariant }: BrokenRecord): boolean {
  return invariant === 'archive-holds';
}

function nextText(broken: readonly BrokenRecord[], file: string): string {
  if (broken.every(isOfArchive))
    return 'The ledger itself is whole, and answers as before: it is the folder of --archive that lacks what was archived. Compare it with a copy.';
  return broken.some(({ stream }) => stream !== '')
    ? `Nothing in a broken stream runs. Look at one with action-ledger replay STREAM${file}, and compare it with a backup.`
    : 'Which streams it is about is not known: compare the file with a backup.';
}

function renderVerification(
  { style, io }: Cli,
  { streams, events, brokenInvariants, copy, observed }: Verification,
  path: string,
  tookMs: number,
): string {
  const file = pathSuffix(io, path);
  const read = `${count(events, 'event')} in ${count(streams, 'stream')} of ${path}, read in ${duration(tookMs)}.${observedText(observed, file)}`;
  if (brokenInvariants.length === 0) {
    const kept = copy === undefined ? '' : `${printable(copy.reason)}\n`;
    return `${style.good('Whole:')} every chain holds, every stream folds, no invariant is broken.\n${kept}${read}\n`;
  }
  const rows = alikeIn(brokenInvariants).map(({ stream, invariant, detail, others }) => [
    `${streamText(stream, io.columns !== undefined)}${others === 0 ? '' : ` and ${count(others, 'other')}`}`,
    { text: invariant, paint: style.bad },
    printable(detail),
  ]);
  const table = renderTable(columns, rows, { style, columns: io.columns });
  const next = nextText(brokenInvariants, file);
  return `${table}\n${style.bad(`${count(brokenInvariants.length, 'thing')} broken.`)} ${read}\n${next}\n`;
}
