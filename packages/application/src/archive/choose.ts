// Which actions may be archived: those that the lifecycle lets go, whose record is whole, whose workflow
// is over, and of which a line can be made that gives every event back as it is stored.
import { eventOfLine, foldAction, foldWorkflow, lineOfEvent } from '@action-ledger/codec';
import {
  type Action,
  type ActionRefusalCode,
  archivableStatuses,
  decide,
  isOpenWorkflow,
  type Refusal,
  type Sha256,
  streamOfWorkflow,
} from '@action-ledger/domain';
import {
  type EventStore,
  eventBytesMax,
  type RecordedEvent,
  StoreFault,
  type StreamCut,
} from '@action-ledger/event-store';
import { type LedgerClock } from '../core/ledger-clock.ts';
import { quarantineStream } from '../record/quarantine.ts';
import { type ArchivedStreams } from './archived-streams.ts';
import { type Shortener } from './shorten.ts';

export interface Candidate {
  readonly stream: string;
  readonly action: Action;
  /** Of its last event. */
  readonly hash: string;
  /** Of its first event, also where that was archived before. */
  readonly position: number;
  readonly events: readonly RecordedEvent[];
  readonly lines: readonly string[];
  readonly characters: number;
}

export type Choice =
  | { readonly kind: 'archive'; readonly candidate: Candidate }
  /** It was archived, and its events are still there. */
  | { readonly kind: 'cut'; readonly cut: StreamCut }
  | { readonly kind: 'keep'; readonly why: string }
  | { readonly kind: 'done' };

export interface ChooserDeps {
  readonly store: EventStore;
  readonly sha256: Sha256;
  readonly clock: LedgerClock;
  readonly files: ArchivedStreams;
  readonly shorten: Shortener;
  /** Nothing may have happened to an action since. Wall-clock ms. */
  readonly settledBefore: number;
  /** Also those that would take as much room as before. */
  readonly isAnySize: boolean;
}

export type Chooser = (stream: string) => Promise<Choice>;

/** So much less, at least, an action must take when it is archived: 1 to 1.5. */
const gainMin = 1.5;
/** What a marker takes beside its data: id, type, metadata, the name of the stream. */
const besideData = 220;
/** Who archives can have a longer name. */
const spareBytes = 1_024;

export function createChooser(deps: ChooserDeps): Chooser {
  return async (stream) => {
    const { store, sha256 } = deps;
    const events = (await readOrNot(store, stream)) ?? [];
    const folded = foldAction(sha256, stream, events);
    if (folded.kind === 'broken' || events.length === 0) return keep('damaged');
    const { action, hash } = folded;
    const left = await leftByEarlierRun(deps, stream, action, events);
    if (left !== undefined) return left;
    const why = await whyKept(deps, action, events);
    if (why !== undefined) return keep(why);
    const lines = events.map(lineOfEvent);
    if (!lines.every((line, index) => givesBack(line, events[index]))) return keep('not plain');
    const characters = lines.reduce((sum, line) => sum + line.length, 0);
    const position = firstPosition(events);
    return {
      kind: 'archive',
      candidate: { stream, action, hash, position, events, lines, characters },
    };
  };
}

function keep(why: string): Choice {
  return { kind: 'keep', why };
}

/** Undefined where it is damaged. */
async function readOrNot(
  store: EventStore,
  stream: string,
): Promise<readonly RecordedEvent[] | undefined> {
  try {
    return await store.readStream(stream);
  } catch (fault) {
    if (fault instanceof StoreFault && fault.code === 'store.corrupt') return undefined;
    throw fault;
  }
}

/** Nothing happened to it since it was archived: it is done with, or half so. */
async function leftByEarlierRun(
  { files }: ChooserDeps,
  stream: string,
  { archived, revision }: Action,
  events: readonly RecordedEvent[],
): Promise<Choice | undefined> {
  if (archived === undefined || archived.through + 1 !== revision) return undefined;
  if (events.length === 1) return { kind: 'done' };
  const marker = JSON.parse(events.at(-1)?.data ?? '{}') as { readonly previousHash?: string };
  const end = { revision: archived.through, hash: marker.previousHash ?? '' };
  const found = await files.find(archived.file, stream, end);
  return found.kind === 'whole'
    ? { kind: 'cut', cut: { stream, before: revision } }
    : keep(`archive ${found.kind}`);
}

/** In words that are counted. */
async function whyKept(
  deps: ChooserDeps,
  action: Action,
  events: readonly RecordedEvent[],
): Promise<string | undefined> {
  const { store, clock, settledBefore, shorten, isAnySize } = deps;
  const trial = {
    file: likeAName,
    revisionSeen: action.revision,
    previousHash: likeAHash,
    position: 0,
    ...(await shorten(action, likeAName)),
  };
  const decision = decide(
    action,
    { type: 'ArchiveAction', settledBefore, ...trial },
    { wallMs: clock.nowMs() },
  );
  if (decision.kind === 'refusal') return refusedAs(action, decision, settledBefore);
  if ((await readOrNot(store, quarantineStream(action.id)))?.length !== 0) return 'damaged';
  if (action.workflow !== undefined && !(await isOver(deps, action.workflow.id)))
    return 'in a workflow';
  const bytes = bytesOf(decision.events);
  if (bytes + spareBytes > eventBytesMax) return 'too large';
  return isAnySize || isWorthIt(events, bytes) ? undefined : 'too small';
}

const likeAName = `archive-2026-01-01-${'0'.repeat(20)}.ndjson`;
const likeAHash = '0'.repeat(43);

function bytesOf(marker: readonly { readonly data: object }[]): number {
  return marker.reduce(
    (sum, { data }) => sum + Buffer.byteLength(JSON.stringify(data)),
    besideData,
  );
}

function isWorthIt(events: readonly RecordedEvent[], bytes: number): boolean {
  const before = events.reduce((sum, { data, metadata }) => sum + data.length + metadata.length, 0);
  return before >= bytes * gainMin;
}

/** Its workflow has come to its end, long enough ago, and waits for nobody. */
async function isOver(
  { store, sha256, settledBefore }: ChooserDeps,
  workflowId: string,
): Promise<boolean> {
  const events = (await readOrNot(store, streamOfWorkflow(workflowId))) ?? [];
  const folded = foldWorkflow(sha256, workflowId, events);
  // Of what cannot be read nobody knows that it is over.
  if (folded.kind === 'broken' || events.length === 0) return false;
  const { workflow } = folded;
  const isAtRest = !isOpenWorkflow(workflow) && workflow.watch === undefined;
  return isAtRest && workflow.updatedAt < settledBefore;
}

function refusedAs(
  action: Action,
  { code }: Refusal<ActionRefusalCode>,
  settledBefore: number,
): string {
  if (action.status === 'reserved') return 'reserved name';
  if (code === 'action.in-doubt') return 'in doubt';
  if (code === 'action.not-due')
    return action.updatedAt < settledBefore ? 'valid for some time yet' : 'too recent';
  const isSettled = (archivableStatuses as readonly string[]).includes(action.status);
  return isSettled ? 'with a person' : 'open';
}

function firstPosition(events: readonly RecordedEvent[]): number {
  const [first] = events;
  if (first === undefined) return 0;
  if (first.revision === 0) return first.position;
  return (JSON.parse(first.data) as { readonly position: number }).position;
}

function givesBack(line: string, event: RecordedEvent | undefined): boolean {
  try {
    return event !== undefined && isSame(eventOfLine(line), event);
  } catch {
    return false;
  }
}

function isSame(a: RecordedEvent, b: RecordedEvent): boolean {
  return (
    a.id === b.id &&
    a.type === b.type &&
    a.data === b.data &&
    a.metadata === b.metadata &&
    a.stream === b.stream &&
    a.revision === b.revision &&
    a.position === b.position
  );
}
