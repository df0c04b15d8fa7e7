// An action's state in few words, for columns and for the line after an event.
import { type Action, type ActionGuarantee } from '@action-ledger/domain';
import { printable } from '../format/printable.ts';
import { dateTime, duration } from '../format/time.ts';

/** What the guarantee promises, as DESIGN.md section 2 has it. */
export const promises: { readonly [Name in ActionGuarantee]: string } = {
  idempotent: "at most one effect; exactly one if settled inside the provider's key window",
  lookup: 'at most one effect, and its outcome is always found',
  natural: 'the same end state, if nobody else writes the field meanwhile',
  manual: 'at most one effect; what is unknown waits for an operator',
  observed: 'nothing: the ledger only watches, and every call goes out',
};

/** `succeeded`, with what qualifies it. */
export function statusText(action: Action): string {
  const { status, undoneBy, attempts, cancelRequested } = action;
  const doubts = attempts.filter(({ state }) => state === 'in doubt').length;
  const qualities = [
    undoneBy === undefined ? undefined : 'undone',
    doubts > 0 && status !== 'unknown' ? `${doubts} in doubt` : undefined,
    cancelRequested !== undefined && status !== 'cancelled' ? 'cancel wanted' : undefined,
  ].filter((quality) => quality !== undefined);
  return qualities.length === 0 ? status : `${status} (${qualities.join(', ')})`;
}

/** What a person should know of it beside its status: who looks after it, what is wrong, its outcome. */
export function noteText(action: Action): string {
  const { incidents, watch, ending, outcome, approval } = action;
  const notes: string[] = incidents.map(({ incident }) => `incident: ${incident}`);
  if (watch !== undefined) notes.push(watchText(watch));
  if (action.status === 'awaiting_approval' && approval !== undefined) {
    const given = approval.votes.filter(({ vote }) => vote === 'approve').length;
    notes.push(`${given} of ${approval.votesNeeded} votes, until ${dateTime(approval.expiresAt)}`);
  }
  if (outcome?.externalId !== undefined) notes.push(outcome.externalId);
  if (ending !== undefined) notes.push(ending.reason);
  if (action.observed !== undefined) notes.push('only observed');
  return printable(notes.join('; '));
}

export function watchText({
  owner,
  nextCheckAt,
}: {
  readonly owner: string;
  readonly nextCheckAt: number;
}): string {
  return `${owner}, next check ${dateTime(nextCheckAt)}`;
}

/** The state after an event: status, attempts, owner, incidents. @param at of the event */
export function stateText(action: Action, at: number): string {
  const { attempts, watch, incidents } = action;
  const parts = [
    statusText(action),
    ...attempts.map(({ attempt, state }) => `attempt ${attempt} ${state}`),
    ...(watch === undefined
      ? []
      : [`${watch.owner} checks in ${duration(watch.nextCheckAt - at)}`]),
    ...incidents.map(({ incident }) => `incident ${incident}`),
  ];
  return printable(parts.join(', '));
}
