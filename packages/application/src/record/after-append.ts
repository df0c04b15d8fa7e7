// What follows in this process from an append, whoever made it: the index, the clocks, what is due, the
// people who are told, and last of all those who wait.
import { type Action, type ActionEvent, isOpen, streamOfWorkflow } from '@action-ledger/domain';
import { type Tool } from '@action-ledger/tools';
import { nextLookAt } from '../attend/due-index.ts';
import { type Parts, toolOf } from '../core/parts.ts';
import { type UnknownOf } from '../people/pauses.ts';
import { settleJoins } from '../propose/join.ts';
import { takeUpReports } from '../reports/report-door.ts';
import { matchesOf, trackUndoer } from '../attempt/undo.ts';

/** Before anyone is answered. */
export function afterAppend(
  parts: Parts,
  before: Action,
  action: Action,
  events: readonly ActionEvent[],
): void {
  const tool = toolOf(parts, action);
  if (action.attempts.length > 0) parts.judge.see(action);
  parts.offers.forget(action.id);
  parts.index.note(action, matchesOf(action, tool));
  if (action.undoes.length > 0) trackUndoer(parts, action, before.status);
  takeUpReports(parts, action);
  parts.due.set(action.id, nextLookAt(action, tool?.rules, parts.duties));
  parts.slots.passOn(action.id);
  if (action.status === 'planned' || action.status === 'ready') parts.judge.readyInMs(action);
  letGo(parts, before, action);
  keepRoom(parts, action, tool);
  wakeDependents(parts, before, action);
  wakeWorkflow(parts, before, action);
  tellPeople(parts, before, action, events);
  parts.watch.onMoved(action, events);
  parts.waiters.notify(action.id);
}

function letGo(parts: Parts, before: Action, action: Action): void {
  if (!isOpen(action)) {
    parts.judge.forget(action.id);
    parts.heldByPause.forget(action.id);
    settleJoins(parts, action);
    parts.secrets.delete(action.id);
    if (!parts.runs.has(action.id)) parts.slots.release(action.id);
  } else if (action.claim !== undefined) parts.slots.leave(action.id);
  // Nothing here runs a caller's attempt, and so nothing else gives its place back.
  if (before.claim?.caller === true && action.claim?.revision !== before.claim.revision)
    parts.slots.release(action.id);
}

/**
 * What a caller has in hand takes its room here too, where another process handed it out, or one before
 * this. All that a core has in hand of its own it takes by itself.
 */
export function keepRoom({ slots }: Parts, action: Action, tool: Tool | undefined): void {
  const { id: actionId, tenant, arguments: args, claim } = action;
  if (claim?.caller === true && tool !== undefined)
    slots.hold({ actionId, tenant, tool, arguments: args });
  else slots.letGo(actionId);
}

function wakeDependents(parts: Parts, before: Action, action: Action): void {
  const waiting = parts.dependents.get(action.id);
  if (waiting === undefined || before.status === action.status) return;
  parts.dependents.delete(action.id);
  for (const dependent of waiting) parts.due.set(dependent, parts.clock.nowMs());
}

function wakeWorkflow(
  { due, clock, duties }: Parts,
  before: Action,
  { workflow, status }: Action,
): void {
  if (workflow !== undefined && status !== before.status && duties.has('compensate'))
    due.set(streamOfWorkflow(workflow.id), clock.nowMs());
}

function tellPeople(
  parts: Parts,
  before: Action,
  action: Action,
  events: readonly ActionEvent[],
): void {
  const tool = toolOf(parts, action);
  const wasTold = before.watch?.owner === 'operator' && before.status === action.status;
  for (const { type, data } of events) {
    // Where calls are only observed, nothing is paused for them.
    if (type === 'ActionOutcomeUnknown' && action.guarantee !== 'observed')
      parts.sawUnknown(unknownOf(action, tool));
    if (type === 'ApprovalRequested') parts.notice({ kind: 'approval waiting', action });
    else if (type === 'IncidentOpened' || type === 'DuplicateEffectDetected')
      parts.notice({ kind: 'incident', action });
    else if ('owner' in data && data.owner === 'operator' && !wasTold)
      parts.notice({ kind: 'unknown escalated', action });
  }
}

/** What callers of a tenant have under a name is no news of another tenant's tool of that name. */
function unknownOf({ tenant, tool: name }: Action, tool: Tool | undefined): UnknownOf {
  return { tenant, tool: name, isShared: tool !== undefined && tool.byCaller !== true };
}
