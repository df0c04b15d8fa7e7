// Keeps a core right about streams that others append to: told of them by a log, or reading them by
// position, it takes over what is news and wakes whoever waits for it. Nothing that it does here is an
// effect, or a notification, and doing it again changes nothing.
import {
  actionOfStream,
  actionStreamPrefix,
  type Action,
  workflowOfStream,
  workflowStreamPrefix,
} from '@action-ledger/domain';
import { type CallerTools } from '../callers/caller-tools.ts';
import { callerToolStreamName } from '../callers/declared-tools.ts';
import { recordJoins } from '../propose/join.ts';
import { type Parts } from './parts.ts';
import { pauseStreamName, type Pauses } from '../people/pauses.ts';
import { actionOfQuarantine } from '../record/quarantine.ts';
import { createKeyedTurns } from '../record/keyed-turns.ts';
import { readEvents } from '../record/read-events.ts';
import { sideBySide } from './side-by-side.ts';
import { type CompensatorDeps } from '../workflow/compensator-deps.ts';

/** How far a stream is known to go. */
export interface StreamPlace {
  readonly stream: string;
  readonly revision: number;
}

export interface Following {
  /** It is this far here: by what it did itself, or has taken over. */
  readonly isKnown: (place: StreamPlace) => boolean;
  /** @throws StoreFault */
  readonly follow: (places: readonly StreamPlace[]) => Promise<void>;
  /** Reads by position whatever was appended since the last time. @throws StoreFault */
  readonly catchUp: () => Promise<void>;
}

/** What is known beside the streams of actions and workflows. */
export interface Records {
  readonly pauses: Pick<Pauses, 'refresh'>;
  readonly callerTools: Pick<CallerTools, 'refresh'>;
}

/** @param from everything up to this position is known */
export function createFollowing(deps: CompensatorDeps, records: Records, from: number): Following {
  const { parts } = deps;
  let position = from;
  let catchingUp: Promise<void> | undefined;
  const turns = createKeyedTurns();
  const follow = async (places: readonly StreamPlace[]): Promise<void> => {
    const last = [...lastOfEach(places)];
    // What holds for many actions is known before any of them is taken over.
    for (const [stream] of last) if (!isOfWork(stream)) await followRecord(deps, records, stream);
    const work = last.filter(([stream]) => isOfWork(stream));
    // Of a stream that several ask for, who comes later finds it taken over.
    await sideBySide(work, ([stream, revision]) =>
      turns(stream, () => followWork(deps, stream, revision)),
    );
  };
  const readOn = async (): Promise<void> => {
    for await (const batch of readEvents(parts.store, { after: position })) {
      await follow(batch);
      position = Math.max(position, batch.at(-1)?.position ?? 0);
    }
  };
  return {
    isKnown: (place) => isKnown(deps, place),
    follow,
    catchUp: async () => {
      // What is appended while one reads on may have been passed by it already.
      await catchingUp?.catch(() => undefined);
      catchingUp ??= readOn().finally(() => {
        catchingUp = undefined;
      });
      await catchingUp;
    },
  };
}

function isKnown(
  { parts, workflows }: CompensatorDeps,
  { stream, revision }: StreamPlace,
): boolean {
  // Asked of every event by every service: what is no action's id is held under no name.
  if (stream.startsWith(actionStreamPrefix)) {
    const held = parts.actions.peek(stream.slice(actionStreamPrefix.length));
    return held !== undefined && held.revision >= revision;
  }
  const workflowId = workflowOfStream(stream);
  return workflowId !== undefined && workflows.index.revisionOf(workflowId) >= revision;
}

function lastOfEach(places: readonly StreamPlace[]): ReadonlyMap<string, number> {
  const last = new Map<string, number>();
  for (const { stream, revision } of places)
    last.set(stream, Math.max(revision, last.get(stream) ?? -1));
  return last;
}

function isOfWork(stream: string): boolean {
  return actionOfStream(stream) !== undefined || stream.startsWith(workflowStreamPrefix);
}

async function followRecord(
  { parts }: CompensatorDeps,
  records: Records,
  stream: string,
): Promise<void> {
  if (stream === pauseStreamName) await records.pauses.refresh();
  else if (stream === callerToolStreamName) await records.callerTools.refresh();
  else await noteQuarantine(parts, stream);
}

async function followWork(deps: CompensatorDeps, stream: string, revision: number): Promise<void> {
  const actionId = actionOfStream(stream);
  if (actionId !== undefined) await followAction(deps.parts, actionId, revision);
  else await followWorkflow(deps, stream, revision);
}

async function followAction(parts: Parts, actionId: string, revision: number): Promise<void> {
  const known = parts.actions.peek(actionId);
  if (known === undefined || known.revision < revision) await parts.actions.follow(actionId);
  const now = parts.actions.peek(actionId);
  if (now !== undefined) await recordOwnJoins(parts, now);
}

/** Calls that joined it here, of an action that was carried out elsewhere. */
async function recordOwnJoins(parts: Parts, action: Action): Promise<void> {
  const isSettledElsewhere = action.status === 'succeeded' && !parts.runs.has(action.id);
  if (isSettledElsewhere && parts.joins.has(action.id)) await recordJoins(parts, action);
}

async function followWorkflow(
  { parts, workflows }: CompensatorDeps,
  stream: string,
  revision: number,
): Promise<void> {
  const id = workflowOfStream(stream);
  if (id === undefined || workflows.index.revisionOf(id) >= revision) return;
  await workflows.store.load(id);
  if (parts.duties.has('compensate')) parts.due.set(stream, parts.clock.nowMs());
}

/** What others have found broken is not acted on here either. */
async function noteQuarantine(parts: Parts, stream: string): Promise<void> {
  const actionId = actionOfQuarantine(stream);
  if (actionId !== undefined) await parts.quarantine.learn(actionId);
}
