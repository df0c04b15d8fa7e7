// Links between streams: each is told by one event on one side, and the sweep completes the other.
// What has moved within the last sweep may still be half.
import { isEnded } from '../action/state.ts';
import { defaultTimes } from '../action/tool-rules.ts';
import { actionIdOf, parseActionId, streamOfAction } from '../identity/action-id.ts';
import { type AuditedAction } from './action-trail.ts';
import { type AuditContext, type BrokenInvariant } from './broken.ts';

export type Actions = ReadonlyMap<string, AuditedAction>;

type LinkCheck = (
  action: AuditedAction,
  actions: Actions,
  context: AuditContext,
) => readonly string[];

const checks: readonly LinkCheck[] = [
  halfUndone,
  missing,
  misplacedRepeat,
  untoldEdit,
  halfCompensated,
  halfCompensating,
];

export function checkLinks(actions: Actions, context: AuditContext): readonly BrokenInvariant[] {
  const broken: BrokenInvariant[] = [];
  for (const action of actions.values())
    for (const check of checks)
      for (const detail of check(action, actions, context))
        broken.push({ stream: streamOfAction(action.id), invariant: 'links-complete', detail });
  return broken;
}

/** Nothing about these has moved within the last sweep. */
function isQuiet(
  context: AuditContext,
  ...actions: readonly (AuditedAction | undefined)[]
): boolean {
  const { now, sweepMs = defaultTimes.sweepMs } = context;
  return actions.every((action) => action === undefined || now - action.updatedAt > sweepMs);
}

/** The undoer's dispatch names what it undoes; its success is followed by the mark. */
function halfUndone(
  action: AuditedAction,
  actions: Actions,
  context: AuditContext,
): readonly string[] {
  const unmarked = action.undoes.filter((id) => {
    const target = actions.get(id);
    if (target === undefined) return true;
    if (action.outcome === undefined || target.undoneBy !== undefined) return false;
    return hasStandingEffect(target) && isQuiet(context, action, target);
  });
  const problems = unmarked.map((id) => `it undid ${id}, which is not marked as undone`);
  const { undoneBy } = action;
  const undoer = undoneBy === undefined ? undefined : actions.get(undoneBy);
  if (undoneBy === undefined) return problems;
  const tells = undoer?.outcome !== undefined && undoer.undoes.includes(action.id);
  return tells ? problems : [...problems, `it was undone by ${undoneBy}, which does not say so`];
}

function hasStandingEffect({ status }: AuditedAction): boolean {
  return status === 'succeeded' || status === 'compensation_failed';
}

/** What stands for it, and what it waits for, is there. */
function missing(
  action: AuditedAction,
  actions: Actions,
  context: AuditContext,
): readonly string[] {
  const { supersededBy, after } = action;
  if (!isQuiet(context, action)) return [];
  return [
    ...(supersededBy !== undefined && !actions.has(supersededBy)
      ? [`it is superseded by ${supersededBy}, which does not exist`]
      : []),
    ...(after !== undefined && !actions.has(after)
      ? [`it waits for ${after}, which does not exist`]
      : []),
  ];
}

/** A repeat is the epoch after what it repeats; an edit of it comes later in that chain. */
function misplacedRepeat(
  { id, repeatOf, editOf }: AuditedAction,
  actions: Actions,
): readonly string[] {
  if (repeatOf === undefined) return [];
  if (!actions.has(repeatOf)) return [`it repeats ${repeatOf}, which does not exist`];
  const of = parseActionId(repeatOf);
  const isNext = of === undefined || actionIdOf(of.keyHash, of.epoch + 1) === id;
  return isNext || editOf !== undefined
    ? []
    : [`it repeats ${repeatOf} without being the epoch after it`];
}

/** An edit's action names what it was made of, and that one names it. */
function untoldEdit({ id, editOf }: AuditedAction, actions: Actions): readonly string[] {
  if (editOf === undefined || actions.get(editOf)?.supersededBy === id) return [];
  return [`it is an edit of ${editOf}, which does not say so`];
}

/** The original was told of its compensation before that was planned, and how it ended after. */
function halfCompensated(
  action: AuditedAction,
  actions: Actions,
  context: AuditContext,
): readonly string[] {
  const { compensatedBy, status } = action;
  if (compensatedBy === undefined) return [];
  const undo = actions.get(compensatedBy);
  if (!isQuiet(context, action, undo)) return [];
  if (undo?.compensates !== action.id)
    return [`it is compensated by ${compensatedBy}, which does not say so`];
  const done = undo.outcome !== undefined;
  const told = done ? status === 'compensated' : status !== 'compensated';
  const open = status === 'compensating' && isEnded(undo);
  return told && !open
    ? []
    : [`it is ${status}, but its compensation ${compensatedBy} is ${undo.status}`];
}

function halfCompensating(
  { id, compensates, status, outcome }: AuditedAction,
  actions: Actions,
  context: AuditContext,
): readonly string[] {
  if (compensates === undefined) return [];
  const original = actions.get(compensates);
  if (original === undefined) return [`it compensates ${compensates}, which does not exist`];
  if (original.compensatedBy === id) return [];
  // One that had no effect may have been followed by another.
  const followed = outcome === undefined && original.compensatedBy !== undefined;
  return followed || !isQuiet(context, original)
    ? []
    : [`it is ${status} and compensates ${compensates}, which was never told`];
}
