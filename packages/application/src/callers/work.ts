// Work for callers: what is due of the tools they have. An action that may be sent is only named, and is
// theirs when they claim it: an answer that is lost on the way commits to nothing. A lookup changes
// nothing outside, so it is handed out at once, with all that it needs, and asked of one caller at a time.
import {
  type Action,
  type ActionRefusalCode,
  type CallOrigin,
  type JsonObject,
  type Refusal,
  staleRevision,
  type Watched,
} from '@action-ledger/domain';
import { type LookupOutcome, type Tool } from '@action-ledger/tools';
import { type Broken } from '../record/action-store.ts';
import { type Answer, answerFor } from '../answer/answer.ts';
import { attendAction } from '../attend/attend.ts';
import { isThere, unknownAction } from '../record/known-action.ts';
import { recordVerdict } from '../attend/look-up.ts';
import { type Parts, toolOf } from '../core/parts.ts';
import { blockedLookMs } from '../attempt/send.ts';
import { type HandedOut } from './handed-out.ts';
import { type Offer } from './offers.ts';

export interface WorkRequest {
  readonly tenant: string;
  readonly tools: readonly string[];
  /** Actions whose secret arguments this caller holds. */
  readonly holding: readonly string[];
  readonly max: number;
  readonly waitMs: number;
  readonly signal?: AbortSignal;
}

export type Work =
  | { readonly kind: 'send'; readonly actionId: string; readonly tool: string }
  | ({ readonly kind: 'lookup'; readonly actionId: string; readonly tool: string } & Lookup);

/** Everything that a lookup is given. Times in ms. */
export interface Lookup {
  /** Of this one hand-out, to be said with the verdict: its `absent` is judged by when it was asked. */
  readonly lookup: string;
  /** To be said with the verdict. */
  readonly revision: number;
  readonly timeoutMs: number;
  readonly downstreamKey: string;
  readonly arguments: JsonObject;
  readonly attempts: HandedOut['attempts'];
  readonly evidence: Action['evidence'];
  readonly origin?: CallOrigin;
  /** W3C trace context of the proposal. */
  readonly traceparent?: string;
  readonly tracestate?: string;
}

/** What a caller is asked beyond its own time for a lookup. */
const answerMarginMs = 5_000;

/** Waits until there is some, at most `waitMs`. */
export async function findWork(parts: Parts, request: WorkRequest): Promise<readonly Work[]> {
  const { tenant, waitMs, signal } = request;
  const until = parts.clock.monoMs() + waitMs;
  for (;;) {
    const found: Work[] = [];
    for (const offer of offersFor(parts, request)) {
      if (found.length >= request.max) break;
      const work = await workOf(parts, offer);
      if (work !== undefined) found.push(work);
    }
    const left = until - parts.clock.monoMs();
    if (found.length > 0 || left <= 0 || signal?.aborted === true || parts.isClosing())
      return found;
    // From the look at the offers to here nothing was awaited, where there was none.
    await parts.offers.wait(tenant, left, signal);
  }
}

function offersFor(
  { offers, quarantine }: Parts,
  { tenant, tools, holding }: WorkRequest,
): readonly Offer[] {
  return offers.list(tenant).filter(
    ({ tool, secret, actionId }) =>
      tools.includes(tool) &&
      (!secret || holding.includes(actionId)) &&
      // Nobody could take it on.
      quarantine.whyQuarantined(actionId) === undefined,
  );
}

async function workOf(parts: Parts, { actionId, kind, tool }: Offer): Promise<Work | undefined> {
  if (kind === 'send') return { kind, actionId, tool };
  let work: Work | undefined;
  parts.offers.drop(actionId);
  parts.due.set(actionId, parts.clock.nowMs() + blockedLookMs);
  await attendAction(parts, actionId, {
    // It is offered as one.
    send: async () => undefined,
    lookUp: async (of, action) => {
      const sentMono = parts.clock.monoMs();
      const heldMs = of.rules.timeoutMs + answerMarginMs;
      const { revision } = action;
      const lookup = parts.runtime.ids.next();
      const untilMono = sentMono + heldMs;
      parts.offers.noteAsking(actionId, { revision, lookup, sentMono, untilMono });
      parts.due.set(actionId, parts.clock.nowMs() + heldMs);
      work = { kind, actionId, tool, lookup, ...lookupOf(of, action) };
    },
  });
  return work;
}

function lookupOf({ rules }: Tool, action: Action): Omit<Lookup, 'lookup'> {
  const { revision, downstreamKey = '', attempts, evidence } = action;
  const origin = action.calls[0];
  return {
    revision,
    timeoutMs: rules.timeoutMs,
    downstreamKey,
    arguments: action.arguments,
    attempts: attempts.map(({ attempt, dispatchedAt, deadlineAt }) => ({
      attempt,
      dispatchedAt,
      deadlineAt,
    })),
    evidence,
    ...(origin === undefined ? {} : { origin }),
    ...action.trace,
  };
}

export interface VerdictRequest {
  readonly actionId: string;
  readonly revisionRead: number;
  /** The one that it answers. */
  readonly lookup?: string;
  readonly outcome: LookupOutcome;
}

const notWatched: Watched = { doubtMs: 0, firstDispatchMs: 0 };

/**
 * The waits before `absent` counts are judged from the moment when the lookup was handed out; where none is
 * named, from the first of that revision. Of one that is not known here, only `found` can settle anything.
 */
export async function takeVerdict(
  parts: Parts,
  { actionId, revisionRead, lookup, outcome }: VerdictRequest,
): Promise<
  { readonly kind: 'verdict'; readonly answer: Answer } | Refusal<ActionRefusalCode> | Broken
> {
  const loaded = await parts.actions.load(actionId);
  if (loaded.kind === 'broken') return loaded;
  const { action } = loaded;
  const tool = toolOf(parts, action);
  if (!isThere(action) || tool?.byCaller !== true) return unknownAction(actionId);
  // Without its name, it may be one that another process has handed out before.
  const isNamed = lookup !== undefined || !parts.crew.isShared();
  const askedAt = isNamed ? parts.offers.askedAt(actionId, revisionRead, lookup) : undefined;
  const watched = askedAt === undefined ? notWatched : parts.judge.watched(action, askedAt);
  const told = { outcome, revisionRead, watched };
  const performed = await recordVerdict(parts, tool, action, told);
  if (performed.kind !== 'done') return performed;
  if (performed.events.length === 0 && outcome.verdict !== 'found')
    return staleRevision(performed.action, revisionRead);
  return { kind: 'verdict', answer: answerFor(performed.action, { repeat: false }) };
}
