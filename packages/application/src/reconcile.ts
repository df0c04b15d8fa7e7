// Settles what is not known: by a lookup, by sending again where the guarantee allows it, else by an
// operator. `absent` is judged in the domain; an error is never taken for it.
import {
  type Action,
  actionIdOf,
  type CommandOf,
  keyHashOf,
  mayBeOvertaken,
  resendHindrance,
} from '@action-ledger/domain';
import { type LookupOutcome, lookupShape, runLookup, type Tool } from '@action-ledger/tools';
import { afterSuccess } from './after-success.ts';
import { attemptContext } from './attempt.ts';
import { isHeldByEarlierEpoch, waitsForUndoer } from './held-back.ts';
import { joinedBy } from './join.ts';
import { recordable } from './outcome-text.ts';
import { inSpan } from './spans.ts';
import { type Parts, toolOf } from './parts.ts';
import { blockBy, blockedLookMs, send } from './send.ts';

const operatorLooksAfterMs = 24 * 3_600_000;

export async function reconcile(parts: Parts, action: Action): Promise<void> {
  const now = parts.clock.nowMs();
  const dueAt = action.watch?.nextCheckAt ?? now;
  if (now < dueAt) {
    parts.due.set(action.id, dueAt);
    return;
  }
  const tool = toolOf(parts, action);
  if (tool === undefined) {
    await toOperator(parts, action, 'nobody here serves the tool');
    return;
  }
  if (!(await isSuperseded(parts, action))) await settleOrSend(parts, tool, action);
}

async function settleOrSend(parts: Parts, tool: Tool, action: Action): Promise<void> {
  const hindrance = hindranceOf(parts, tool, action);
  const lookFirst = tool.rules.canLookUp && (hindrance !== undefined || action.checks === 0);
  if (lookFirst && !(action.secret && !parts.secrets.has(action.id))) {
    await lookUp(parts, tool, action);
    return;
  }
  if (hindrance === undefined && maySend(parts, action)) {
    if (await isNotYetDue(parts, action)) return;
    await send(parts, tool, action);
    return;
  }
  await wait(parts, tool, action, hindrance);
}

/** What was never dispatched by this record has not waited yet for what comes before it. */
async function isNotYetDue(parts: Parts, action: Action): Promise<boolean> {
  if (action.attempts.some(({ presumed }) => presumed === undefined)) return false;
  if (action.after !== undefined && (await waitsForUndoer(parts, action, action.after)))
    return true;
  return action.guarantee === 'natural' && (await isHeldByEarlierEpoch(parts, action));
}

function hindranceOf(parts: Parts, tool: Tool, action: Action): ReturnType<typeof resendHindrance> {
  if (action.secret && !parts.secrets.has(action.id)) return 'guarantee';
  return resendHindrance(
    action,
    tool.rules,
    parts.clock.nowMs(),
    parts.judge.watched(action),
    parts.clock.isBehind(),
  );
}

function maySend(parts: Parts, action: Action): boolean {
  return (
    parts.recovering() === undefined &&
    !parts.isClosing() &&
    parts.whyPaused(action.tenant, action.tool) === undefined
  );
}

/** An absolute write with a later epoch is never sent again. */
async function isSuperseded(parts: Parts, action: Action): Promise<boolean> {
  if (action.guarantee !== 'natural') return false;
  const next = actionIdOf(keyHashOf(action.id), action.epoch + 1);
  const later = await parts.actions.load(next);
  if (later.kind === 'broken' || later.action.status === 'new') return false;
  const watched = parts.judge.watched(action);
  if (!mayBeOvertaken(action, watched.doubtMs)) {
    blockBy(parts, next, action.id);
    return true;
  }
  await parts.actions.perform(action.id, ({ status }) =>
    status === 'unknown' ? { type: 'Supersede', by: next } : undefined,
  );
  return true;
}

async function wait(
  parts: Parts,
  tool: Tool,
  action: Action,
  hindrance: ReturnType<typeof resendHindrance>,
): Promise<void> {
  const now = parts.clock.nowMs();
  if (hindrance === 'in flight') {
    const left = tool.rules.inFlightMs - parts.judge.watched(action).doubtMs;
    parts.due.set(action.id, now + Math.max(1, Math.ceil(left)));
    return;
  }
  if (hindrance === undefined) {
    parts.due.set(action.id, now + blockedLookMs);
    return;
  }
  await toOperator(
    parts,
    action,
    `it cannot be sent again (${hindrance}) and there is nothing to ask`,
  );
}

async function toOperator(parts: Parts, action: Action, reason: string): Promise<void> {
  const nextCheckAt = parts.clock.nowMs() + operatorLooksAfterMs;
  await parts.actions.perform(action.id, (current) =>
    current.revision === action.revision
      ? { type: 'AssignOwner', owner: 'operator', nextCheckAt, reason }
      : undefined,
  );
}

/** Asks once. The verdict counts only at the revision that was read before asking. */
export async function lookUp(parts: Parts, tool: Tool, action: Action): Promise<void> {
  const sentMono = parts.clock.monoMs();
  const watched = parts.judge.watched(action, sentMono);
  const controller = new AbortController();
  const deadline = parts.runtime.timers.after(tool.rules.timeoutMs, () => {
    controller.abort(new Error('the lookup took too long'));
  });
  const args = parts.secrets.get(action.id) ?? action.arguments;
  const { id, tenant, guarantee, trace: parent } = action;
  const facts = { action: id, tool: tool.name, tenant, guarantee };
  const ended = ({ verdict }: LookupOutcome): object => ({ verdict });
  const outcome = await inSpan({ name: 'lookup', facts, parent, ended }, (downstream) =>
    runLookup(tool, {
      ...attemptContext(action, args),
      ...downstream,
      signal: controller.signal,
    }),
  );
  deadline.cancel();
  if (outcome.verdict === 'error' && outcome.came !== undefined) {
    const message = `The lookup of ${tool.name} returned ${outcome.came}; it must return ${lookupShape}.`;
    parts.onFault(`lookup of ${action.id}`, new TypeError(message));
  }
  await parts.passed('looked up', action.id);
  const performed = await parts.actions.perform(action.id, ({ status }) =>
    status === 'unknown'
      ? {
          type: 'RecordVerdict',
          verdict: verdictOf(parts, tool, action, outcome),
          revisionRead: action.revision,
          watched,
          rules: tool.rules,
          ...joinedBy(parts, action.id),
        }
      : undefined,
  );
  if (performed.kind === 'refusal') parts.due.set(action.id, parts.clock.nowMs() + blockedLookMs);
  if (performed.kind !== 'done') return;
  await parts.passed('reconciled', action.id);
  if (performed.action.status === 'succeeded')
    await afterSuccess(parts, performed.before, performed.action);
}

type Verdict = CommandOf<'RecordVerdict'>['verdict'];

function verdictOf(parts: Parts, tool: Tool, action: Action, outcome: LookupOutcome): Verdict {
  switch (outcome.verdict) {
    case 'absent':
      return { kind: 'absent' };
    case 'ambiguous':
      return { kind: 'ambiguous', reason: outcome.reason };
    case 'error':
      return { kind: 'error', reason: outcome.reason };
    case 'found': {
      const { externalId, result } = outcome;
      const found = recordable(parts.sha256, result ?? null, tool.keep);
      if (externalId === undefined) return { kind: 'found', ...found };
      const owner = parts.index.ownerOfExternalId(action.tenant, action.tool, externalId);
      if (owner !== undefined && owner !== action.id) {
        return { kind: 'ambiguous', reason: `${externalId} is the effect of ${owner}` };
      }
      return { kind: 'found', ...found, externalId };
    }
  }
}
