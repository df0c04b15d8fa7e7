// What must hold of one stream: its chain, its fold, and the order of its attempts.
import { evolve, ImpossibleEvent } from '../action/evolve.ts';
import { type ActionEvent, type EventPlace } from '../action/event.ts';
import { type Action, newAction } from '../action/state.ts';
import { type ChainedText, findChainBreak } from '../chain.ts';
import { actionOfStream } from '../identity/action-id.ts';
import { type Sha256 } from '../sha256.ts';
import { type AuditContext, type BrokenInvariant, type InvariantName } from './broken.ts';
import { checkState } from './check-state.ts';

export interface StreamEvent {
  readonly event: ActionEvent;
  readonly place: EventPlace;
  /** As stored, its metadata with the hash; without it the chain is not checked. */
  readonly stored?: ChainedText;
}

export interface StreamContext extends AuditContext {
  /** Without it the chain is not checked. */
  readonly sha256?: Sha256;
  /** Told the state that the stream leads to, so that nobody has to fold it again. */
  readonly onFolded?: (action: Action) => void;
}

/** `events`: the whole stream of an action, in order. */
export function checkAction(
  stream: string,
  events: readonly StreamEvent[],
  context: StreamContext,
): readonly BrokenInvariant[] {
  const broken: BrokenInvariant[] = [];
  const report = (invariant: InvariantName, detail: string): void => {
    broken.push({ stream, invariant, detail });
  };
  checkChain(stream, events, context, report);
  checkHashes(events, report);
  checkSuccesses(events, report);
  checkAttempts(events, report);
  const action = checkFold(stream, events, report);
  if (action === undefined) return broken;
  context.onFolded?.(action);
  return [...broken, ...checkState(stream, action, context)];
}

type Report = (invariant: InvariantName, detail: string) => void;

function checkChain(
  stream: string,
  events: readonly StreamEvent[],
  { sha256 }: StreamContext,
  report: Report,
): void {
  if (sha256 === undefined) return;
  const texts = events.flatMap(({ stored, place }) =>
    stored === undefined ? [] : [{ ...stored, revision: place.revision }],
  );
  if (texts.length < events.length) return;
  const found = findChainBreak(sha256, stream, texts);
  if (found !== undefined) report('chain-holds', `revision ${found.revision}: ${found.what}`);
}

/** @returns the state that the stream leads to, undefined where it leads nowhere */
function checkFold(
  stream: string,
  events: readonly StreamEvent[],
  report: Report,
): Action | undefined {
  let action = newAction(actionOfStream(stream) ?? stream);
  for (const { event, place } of events) {
    if (place.revision !== action.revision + 1) {
      report('stream-folds', `revision ${place.revision} follows ${action.revision}`);
      return undefined;
    }
    if (event.type === 'ActionDispatched') checkLease(action, place, report);
    try {
      action = evolve(action, event, place);
    } catch (error) {
      if (!(error instanceof ImpossibleEvent)) throw error;
      report('stream-folds', error.message);
      return undefined;
    }
  }
  return action;
}

function checkLease({ claim }: Action, { revision, at }: EventPlace, report: Report): void {
  const name: InvariantName = 'dispatch-under-live-claim';
  if (claim === undefined) report(name, `revision ${revision} dispatches without a claim`);
  else if (at >= claim.leaseUntil)
    report(name, `revision ${revision} dispatches at ${at}, after its lease (${claim.leaseUntil})`);
}

function checkHashes(events: readonly StreamEvent[], report: Report): void {
  const hashes = events.flatMap(({ event }) =>
    event.type === 'ActionPlanned' || event.type === 'ApprovalRequested'
      ? [event.data.argumentsHash]
      : [],
  );
  const distinct = new Set(hashes);
  if (distinct.size > 1) report('one-arguments-hash', `it names ${[...distinct].join(' and ')}`);
}

function checkSuccesses(events: readonly StreamEvent[], report: Report): void {
  const successes = events.filter(
    ({ event }) =>
      event.type === 'ActionSucceeded' ||
      (event.type === 'ActionReconciled' && event.data.verdict === 'found'),
  );
  for (const { place } of successes.slice(1))
    report('success-never-changes', `revision ${place.revision} records another success`);
}

/** Attempts are numbered 1, 2, … by their dispatches, share one key, and settle after them. */
function checkAttempts(events: readonly StreamEvent[], report: Report): void {
  const name: InvariantName = 'attempts-follow-dispatches';
  let dispatched = 0;
  let key: string | undefined;
  for (const { event, place } of events) {
    if (event.type === 'ActionDispatched' || event.type === 'AttemptPresumed') {
      dispatched += 1;
      const { attempt, downstreamKey } = event.data;
      if (attempt !== dispatched)
        report(
          name,
          `revision ${place.revision} dispatches attempt ${attempt} as number ${dispatched}`,
        );
      if (key !== undefined && key !== downstreamKey)
        report(name, `revision ${place.revision} sends another downstream key`);
      key ??= downstreamKey;
      continue;
    }
    const attempt = attemptOf(event);
    if (attempt !== undefined && (attempt < 1 || attempt > dispatched))
      report(
        name,
        `revision ${place.revision} settles attempt ${attempt}, which was not dispatched`,
      );
  }
}

function attemptOf(event: ActionEvent): number | undefined {
  switch (event.type) {
    case 'RetryPlanned':
    case 'AttemptNotSent':
    case 'AttemptRefused':
    case 'ActionOutcomeUnknown':
    case 'ActionSucceeded':
    case 'ActionFailed':
      return event.data.attempt;
    case 'ActionPlanned':
    case 'ActionDenied':
    case 'ApprovalRequested':
    case 'ApprovalVoted':
    case 'ActionApproved':
    case 'ActionRejected':
    case 'ActionExpired':
    case 'ActionCancelled':
    case 'ActionClaimed':
    case 'ClaimExtended':
    case 'ClaimEnded':
    case 'ActionDispatched':
    case 'AttemptPresumed':
    case 'ReconciliationChecked':
    case 'ActionReconciled':
    case 'OwnerAssigned':
    case 'EvidenceRecorded':
    case 'DuplicateEffectDetected':
    case 'CallJoined':
    case 'ActionUndone':
    case 'CompensationPlanned':
    case 'ActionCompensated':
    case 'CompensationFailed':
    case 'CancelRequested':
    case 'ActionSuperseded':
    case 'IncidentOpened':
    case 'IncidentClosed':
    case 'NameReserved':
      return undefined;
  }
}
