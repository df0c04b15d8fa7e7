// One attempt, from a durable dispatch to a durable outcome. Nothing here decides whether it may be
// sent: that was decided when the dispatch was appended, and `beforeSend` asks once more.
import {
  type Action,
  actionIdOf,
  type AttemptOutcome,
  isEnded,
  type JsonObject,
  type JsonValue,
  keyHashOf,
  type ToolRules,
} from '@action-ledger/domain';
import { StoreFault } from '@action-ledger/event-store';
import {
  type AttemptOutcome as ToolOutcome,
  type ExecuteContext,
  keepLease,
  runTool,
  storedOutcome,
  type Tool,
} from '@action-ledger/tools';
import { type Performed, type Tries } from '../record/action-store.ts';
import { pause } from '../record/append.ts';
import { afterSuccess } from './after-success.ts';
import { cancelFor } from './cancel-for.ts';
import { type OwnReport, reportEvidence } from '../reports/evidence.ts';
import { joinedBy } from '../propose/join.ts';
import { type Duty } from '../core/duties.ts';
import { type Parts, type Run } from '../core/parts.ts';
import { inSpan } from '../core/spans.ts';

interface Running {
  readonly claim: number;
  readonly attempt: number;
  readonly controller: AbortController;
  readonly state: { lost: boolean };
  readonly startedMono: number;
}

/** Until the outcome can be stored; the pauses between tries grow to this. */
const storePauseMaxMs = 2_000;

/**
 * Runs the attempt that `action` has just been dispatched for.
 * @param startedMono monotonic ms, read before the dispatch was appended
 * @param duty that begins it
 * @returns when the outcome is stored, or known to be another's to store
 */
export function runAttempt(
  parts: Parts,
  tool: Tool,
  action: Action,
  startedMono: number,
  duty: Duty = 'send',
): Promise<void> {
  const controller = new AbortController();
  const claim = action.claim?.revision ?? -1;
  const attempt = action.attempts.length;
  const state = { lost: false };
  const done = attemptInFull(parts, tool, action, {
    claim,
    attempt,
    controller,
    state,
    startedMono,
  })
    .catch((fault: unknown) => {
      parts.onFault(`attempt ${attempt} of ${action.id}`, fault);
    })
    .finally(() => {
      if (parts.runs.get(action.id) === run) parts.runs.delete(action.id);
      parts.slots.release(action.id);
      // Its end is news as well: an unknown rests only when no attempt here can still settle it.
      parts.waiters.notify(action.id);
    });
  const abort = (reason: string): void => {
    state.lost = true;
    controller.abort(new Error(reason));
  };
  const run: Run = { claim, attempt, duty, abort, done };
  parts.runs.set(action.id, run);
  return done;
}

async function attemptInFull(
  parts: Parts,
  tool: Tool,
  action: Action,
  running: Running,
): Promise<void> {
  await parts.passed('dispatched', action.id);
  if (!(await mayGoOn(parts, tool, action, running))) return;
  const outcome = await outcomeOf(parts, tool, action, running);
  await parts.passed('replied', action.id);
  // Under this key it may have been sent in the lost time, so that nothing is proven by this attempt.
  if (outcome.kind === 'not sent' && mayBeOfLostTime(parts, action)) return;
  await record(parts, tool, action, running, outcome);
}

async function outcomeOf(
  parts: Parts,
  tool: Tool,
  action: Action,
  running: Running,
): Promise<AttemptOutcome> {
  const args = parts.secrets.get(action.id) ?? (action.secret ? undefined : action.arguments);
  return args === undefined
    ? { kind: 'not sent', reason: 'its secret arguments were lost with their process' }
    : execute(parts, tool, action, args, running);
}

/**
 * The dispatch is on record; an epoch before it that has had its effect meanwhile still stops it: then
 * nothing is sent, and that is recorded. Where its append has met a store that went back in time, nothing is
 * sent or recorded: it comes into doubt.
 */
export async function mayGoOn(
  parts: Parts,
  tool: Tool,
  action: Action,
  of: Pick<Running, 'claim' | 'attempt'>,
): Promise<boolean> {
  if (mayBeOfLostTime(parts, action)) return false;
  const earlier = await earlierEpochs(parts, action);
  if (earlier.kind === 'without effect') return true;
  await record(parts, tool, action, of, { kind: 'not sent', reason: earlier.reason });
  if (earlier.kind === 'succeeded') await cancelFor(parts, action.id, earlier.action);
  return false;
}

/** Of what is only observed every call goes out. */
function mayBeOfLostTime(parts: Parts, { guarantee }: Action): boolean {
  return guarantee !== 'observed' && parts.recovering() !== undefined;
}

type EarlierEpochs =
  | { readonly kind: 'without effect' }
  | { readonly kind: 'succeeded'; readonly reason: string; readonly action: Action }
  | { readonly kind: 'not known'; readonly reason: string };

/**
 * The dispatch is durable; now the epochs before are read from the store itself, back to the nearest
 * one that has not ended without effect, so that of a late success and this dispatch at least one
 * sees the other.
 */
export async function earlierEpochs(parts: Parts, action: Action): Promise<EarlierEpochs> {
  const { guarantee, repeatOf } = action;
  const isBound = guarantee !== 'natural' && guarantee !== 'observed' && repeatOf === undefined;
  for (let epoch = action.epoch - 1; isBound && epoch >= 0; epoch -= 1) {
    const before = await readEpoch(parts, actionIdOf(keyHashOf(action.id), epoch));
    if (before === undefined)
      return { kind: 'not known', reason: `epoch ${epoch} before it could not be read` };
    if (isEnded(before)) continue;
    if (before.status !== 'succeeded' || before.undoneBy !== undefined) break;
    return { kind: 'succeeded', reason: 'an epoch before succeeded meanwhile', action: before };
  }
  return { kind: 'without effect' };
}

async function readEpoch(parts: Parts, actionId: string): Promise<Action | undefined> {
  try {
    const loaded = await parts.actions.load(actionId, { fresh: true });
    return loaded.kind === 'action' ? loaded.action : undefined;
  } catch (fault) {
    if (!(fault instanceof StoreFault)) throw fault;
    parts.onFault(`read of ${actionId}`, fault);
    return undefined;
  }
}

async function execute(
  parts: Parts,
  tool: Tool,
  action: Action,
  args: JsonObject,
  running: Running,
): Promise<AttemptOutcome> {
  const { clock, runtime } = parts;
  const { controller, startedMono, state, claim, attempt } = running;
  const { timeoutMs, leaseMs } = tool.rules;
  const deadlineMono = startedMono + timeoutMs;
  const lease = keepLease({
    timers: runtime.timers,
    clock,
    leaseMs,
    startedMono,
    deadlineMono,
    extend: async () => {
      const command = { type: 'ExtendClaim', claim, leaseMs } as const;
      const performed = await parts.actions.perform(action.id, () => command);
      return performed.kind === 'refusal' ? 'lost' : 'extended';
    },
    onLost: () => {
      state.lost = true;
      controller.abort(new Error('the claim is lost'));
    },
  });
  const context = { ...attemptContext(action, args), attempt };
  try {
    const { id, tenant, guarantee, trace: parent } = action;
    const facts = { action: id, tool: tool.name, tenant, guarantee, attempt };
    const ended = ({ kind }: ToolOutcome): object => ({ outcome: kind });
    const outcome = await inSpan({ name: 'attempt', facts, parent, ended }, (downstream) =>
      runTool(
        tool,
        { ...context, ...downstream },
        {
          clock,
          timers: runtime.timers,
          deadlineMono,
          deadlineAt: action.attempts.at(-1)?.deadlineAt ?? Infinity,
          controller,
          isLost: () => state.lost || mayBeOfLostTime(parts, action),
          onSending: () => void parts.passed('sending', action.id),
          onLate: (late) => void reportLate(parts, tool, action, attempt, late),
        },
      ),
    );
    return storedOutcome(parts.sha256, tool, outcome);
  } finally {
    lease.stop();
  }
}

export function attemptContext(
  action: Action,
  args: JsonObject,
): Omit<ExecuteContext<JsonObject>, 'signal' | 'attempt' | 'beforeSend'> {
  const call = action.calls[0];
  return {
    actionId: action.id,
    tenant: action.tenant,
    tool: action.tool,
    arguments: args,
    downstreamKey: action.downstreamKey ?? '',
    attempts: action.attempts,
    evidence: action.evidence,
    ...(call === undefined ? {} : { origin: call }),
    ...action.trace,
  };
}

/** Stored in the end, however long the store is away; never repeated outside. */
async function record(
  parts: Parts,
  tool: Tool,
  action: Action,
  { claim, attempt }: Pick<Running, 'claim' | 'attempt'>,
  outcome: AttemptOutcome,
): Promise<void> {
  const jitter = parts.runtime.randomness.next();
  const tries: Tries = new Map();
  let toStore = outcome;
  const performed = await untilStored(parts, action.id, async () => {
    try {
      const command = { type: 'RecordOutcome', claim, attempt, outcome: toStore } as const;
      return await parts.actions.perform(
        action.id,
        () => ({ ...command, rules: tool.rules, jitter, ...joinedBy(parts, action, outcome.kind) }),
        { tries },
      );
    } catch (fault) {
      if (fault instanceof StoreFault && fault.code === 'store.too-large')
        toStore = withoutResult(toStore);
      throw fault;
    }
  });
  await untilStored(parts, action.id, () =>
    settled(parts, tool, action, attempt, outcome, performed),
  );
}

async function untilStored<Result>(
  parts: Parts,
  actionId: string,
  store: () => Promise<Result>,
): Promise<Result> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await store();
    } catch (fault) {
      if (parts.isClosing() && tries > 3) throw fault;
      parts.onFault(`outcome of ${actionId}`, fault);
      parts.beingRecorded.add(actionId);
      parts.waiters.notify(actionId);
      await pause(parts.runtime.timers, Math.min(storePauseMaxMs, 50 * 2 ** Math.min(tries, 10)));
    } finally {
      parts.beingRecorded.delete(actionId);
    }
  }
}

/** What is left when even the cut result is refused for its size. */
function withoutResult(outcome: AttemptOutcome): AttemptOutcome {
  if (outcome.kind !== 'succeeded') return { ...outcome, reason: outcome.reason.slice(0, 200) };
  return { ...outcome, result: null, notes: ['the result was too large to be stored'] };
}

async function settled(
  parts: Parts,
  tool: Tool,
  action: Action,
  attempt: number,
  outcome: AttemptOutcome,
  performed: Performed,
): Promise<void> {
  switch (performed.kind) {
    case 'broken':
      await parts.quarantine.record(
        action.id,
        {
          source: `attempt ${attempt}`,
          claims: 'note',
          attempt,
          data: outcomeEvidence(outcome),
        },
        'here',
      );
      return;
    case 'refusal':
      await reportHere(parts, tool, action, { attempt, outcome });
      return;
    case 'done':
      await parts.passed(
        performed.action.status === 'unknown' ? 'unknown recorded' : 'outcome recorded',
        action.id,
      );
      if (performed.action.status === 'succeeded')
        await afterSuccess(parts, performed.before, performed.action);
  }
}

export function outcomeEvidence(outcome: AttemptOutcome): JsonValue {
  return JSON.parse(JSON.stringify(outcome)) as JsonValue;
}

interface ToldLate {
  readonly attempt: number;
  readonly outcome: AttemptOutcome;
  /** A caller. */
  readonly by?: string;
  /** It was its attempt. Default: true. */
  readonly proven?: boolean;
}

/**
 * The claim went to another meanwhile: what this attempt brought is evidence.
 * @returns what was recorded, or why it was not
 */
export function reportRecorded(
  parts: Parts,
  rules: ToolRules,
  action: Action,
  told: ToldLate,
): Promise<Performed> {
  const { attempt, by } = told;
  const source = by === undefined ? `attempt ${attempt}` : `attempt ${attempt}, ${by}`;
  return reportEvidence(parts, action.id, { source, attempt, ...claimOf(told) }, rules);
}

function claimOf({ outcome, proven = true }: ToldLate): Omit<OwnReport, 'source' | 'attempt'> {
  switch (outcome.kind) {
    case 'succeeded': {
      const { kind: _kind, result: data, ...rest } = outcome;
      return { claims: 'success', proven, data, ...rest };
    }
    case 'no effect':
      return { claims: 'refusal', proven: false, data: outcome.reason };
    case 'in doubt':
    case 'not sent':
      return { claims: 'note', proven: false, data: outcome.reason };
  }
}

/** What nobody waits for is at least told of. */
async function reportHere(parts: Parts, tool: Tool, action: Action, told: ToldLate): Promise<void> {
  const kept = await reportRecorded(parts, tool.rules, action, told);
  if (kept.kind === 'refusal')
    parts.onFault(`attempt ${told.attempt} of ${action.id}`, new Error(kept.message));
}

/** `execute` came back after its attempt had been given up. */
async function reportLate(
  parts: Parts,
  tool: Tool,
  action: Action,
  attempt: number,
  outcome: ToolOutcome,
): Promise<void> {
  try {
    const told = { attempt, outcome: storedOutcome(parts.sha256, tool, outcome) };
    await reportHere(parts, tool, action, told);
  } catch (fault) {
    parts.onFault(`late report of ${action.id}`, fault);
  }
}
