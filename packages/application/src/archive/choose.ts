// Which actions may be archived: those that the lifecycle lets go, whose record is whole, whose workflow
// is over, and of which a line can be made that gives every event back as it is stored.
import { eventOfLine, foldAction, foldWorkflow, lineOfEvent } from '@action-ledger/codec';
import {
  type Action,
  type ActionRefusalCode,
  decide,
  isOpenWorkflow,
  type Refusal,
  type Sha256,
  streamOfWorkflow,
} from '@action-ledger/domain';
import {
  type EventStore,
  type RecordedEvent,
  StoreFault,
  type StreamCut,
} from '@action-ledger/event-store';
import { type LedgerClock } from '../ledger-clock.ts';
import { quarantineStream } from '../quarantine.ts';
import { type ArchivedStreams } from './archived-streams.ts';

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
}

export type Chooser = (stream: string, settledBefore: number) => Promise<Choice>;

export function createChooser(deps: ChooserDeps): Chooser {
  return async (stream, settledBefore) => {
    const { store, sha256 } = deps;
    const events = await readOrNone(store, stream);
    const folded = foldAction(sha256, stream, events);
    if (folded.kind === 'broken' || events.length === 0) return keep('damaged');
    const { action, hash } = folded;
    const left = await leftByEarlierRun(deps, stream, action, events);
    if (left !== undefined) return left;
    const why = await whyKept(deps, action, settledBefore);
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

async function readOrNone(store: EventStore, stream: string): Promise<readonly RecordedEvent[]> {
  try {
    return await store.readStream(stream);
  } catch (fault) {
    if (fault instanceof StoreFault && fault.code === 'store.corrupt') return [];
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
  { store, sha256, clock }: ChooserDeps,
  action: Action,
  settledBefore: number,
): Promise<string | undefined> {
  const trial = { file: '', revisionSeen: action.revision, previousHash: '', position: 0 };
  const decision = decide(
    action,
    { type: 'ArchiveAction', settledBefore, ...trial },
    { wallMs: clock.nowMs() },
  );
  if (decision.kind === 'refusal') return refusedAs(action, decision);
  if ((await store.readStream(quarantineStream(action.id))).length > 0) return 'damaged';
  if (action.workflow === undefined) return undefined;
  const { id } = action.workflow;
  const folded = foldWorkflow(sha256, id, await readOrNone(store, streamOfWorkflow(id)));
  if (folded.kind === 'broken') return 'damaged';
  const { workflow } = folded;
  const isOver = !isOpenWorkflow(workflow) && workflow.watch === undefined;
  return isOver && workflow.updatedAt < settledBefore ? undefined : 'in a workflow';
}

function refusedAs(action: Action, { code }: Refusal<ActionRefusalCode>): string {
  if (action.status === 'reserved') return 'reserved name';
  if (code === 'action.in-doubt') return 'in doubt';
  if (code === 'action.not-due') return 'too recent';
  return action.incidents.length > 0 || action.watch !== undefined ? 'with a person' : 'open';
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
