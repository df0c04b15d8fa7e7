// What must hold of an action's present state, whatever led to it. Cheap: for every open action at
// every sweep.
import { isEnded, isInDoubt } from '../action/state.ts';
import { type Watch } from '../action/event.ts';
import { defaultTimes } from '../action/tool-rules.ts';
import { type AuditedAction } from './action-trail.ts';
import { type AuditContext, type BrokenInvariant, type InvariantName } from './broken.ts';

export function checkState(
  stream: string,
  action: AuditedAction,
  context: AuditContext,
): readonly BrokenInvariant[] {
  const broken = (invariant: InvariantName, detail: string): BrokenInvariant => ({
    stream,
    invariant,
    detail,
  });
  return [
    ...unwatched(action).map((what) => broken('unknown-is-watched', what)),
    ...restingPastLease(action, context).map((what) => broken('no-rest-past-the-lease', what)),
    ...lostDoubt(action).map((what) => broken('doubt-is-kept', what)),
  ];
}

function unwatched(action: AuditedAction): readonly string[] {
  const { status, watch, incidents } = action;
  const needsWatch = status === 'unknown' || status === 'compensation_failed';
  return [
    ...(needsWatch && !isWatched(watch) ? [`it is ${status} without owner or next check`] : []),
    ...incidents
      .filter((incident) => !isWatched(incident))
      .map(({ incident }) => `incident ${incident} is without owner or next check`),
  ];
}

// Read from a stream that may hold anything: the types promise what is checked here.
function isWatched(watch: Partial<Watch> | undefined): boolean {
  return watch?.owner !== undefined && Number.isFinite(watch.nextCheckAt);
}

function restingPastLease(action: AuditedAction, context: AuditContext): readonly string[] {
  const { status, claim } = action;
  if (status !== 'claimed' && status !== 'dispatched') return [];
  if (claim === undefined) return [`it is ${status} without a claim`];
  const { now, sweepMs = defaultTimes.sweepMs } = context;
  const overdueMs = now - claim.leaseUntil - sweepMs;
  return overdueMs > 0
    ? [`it is ${status}, and its lease ended ${overdueMs} ms before the last sweep`]
    : [];
}

/** Only an operator's forced failure ends an action in doubt; only an absolute write is superseded. */
function lostDoubt(action: AuditedAction): readonly string[] {
  if (!isInDoubt(action)) return [];
  const { status, ending, guarantee } = action;
  if (isEnded(action) && !(status === 'failed' && ending?.stands === true))
    return [`it ended as ${status} while an attempt is in doubt`];
  if (status === 'superseded' && guarantee !== 'natural')
    return [`it was superseded in doubt, though its guarantee is ${guarantee}`];
  if (status === 'planned' || status === 'awaiting_approval' || status === 'ready')
    return [`it is ${status} while an attempt is in doubt`];
  return [];
}
