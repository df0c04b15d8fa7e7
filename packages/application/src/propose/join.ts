// Calls that join an action which exists already: counted beside the streams, and on record where the
// chain of epochs can move on and the call may be met again: after every ending without effect, and after
// a success that can be undone or replaced.
import {
  type Action,
  type AttemptOutcome,
  type CallOrigin,
  isNewTo,
  isOpen,
  joinedAtOnceMax,
} from '@action-ledger/domain';
import { type Tool } from '@action-ledger/tools';
import { type Parts, toolOf } from '../core/parts.ts';
import { type Proposal } from './proposal.ts';

export function noteJoin(
  parts: Parts,
  tool: Tool,
  proposal: Proposal,
  action: Action,
  newCall: boolean,
): void {
  parts.sides.add({
    at: parts.clock.nowMs(),
    tenant: action.tenant,
    tool: tool.name,
    action: action.id,
    kind: 'duplicate',
    reason: action.status,
    call: proposal.origin,
  });
  if (!newCall || !isOpen(action)) return;
  const joins = parts.joins.get(action.id) ?? [];
  if (joins.length < joinsHeldMax) joins.push(proposal.origin);
  parts.joins.set(action.id, joins);
}

/** For the command that may settle it: they go on record in the same append. */
export function joinedBy(
  parts: Parts,
  action: Action,
  outcome: AttemptOutcome['kind'] = 'succeeded',
): { readonly joined?: readonly CallOrigin[] } {
  const joined = parts.joins.get(action.id);
  const isKept = outcome === 'no effect' || advancesAfterSuccess(toolOf(parts, action));
  return joined === undefined || !isKept ? {} : { joined };
}

/** Of an action that is open no more, who joined it and is not on record. */
export function settleJoins(parts: Parts, action: Action): void {
  const { epochTurns, joins, joinsUnderWay, isClosing, onFault } = parts;
  if (!joins.has(action.id)) return;
  if (action.outcome !== undefined) {
    if (!advancesAfterSuccess(toolOf(parts, action))) joins.delete(action.id);
    return;
  }
  // Whoever opens the next epoch waits for it, and meets who has joined this one.
  const work = epochTurns(action.id, () => recordJoins(parts, action))
    .catch((fault: unknown) => {
      if (!isClosing()) onFault(`calls that joined ${action.id}`, fault);
    })
    .finally(() => joinsUnderWay.delete(work));
  joinsUnderWay.add(work);
}

/** More than one append holds, and whoever joined while it was made. */
export async function recordJoins(parts: Parts, action: Action): Promise<void> {
  const joins = parts.joins.get(action.id) ?? [];
  parts.joins.delete(action.id);
  const fresh = joins.filter((call) => isNewTo(action, call));
  for (let from = 0; from < fresh.length; from += joinedAtOnceMax) {
    const calls = fresh.slice(from, from + joinedAtOnceMax);
    await parts.actions.perform(action.id, () => ({ type: 'JoinCalls', calls }));
  }
}

const joinsHeldMax = 1_000;

/** Only then can a call that joined be met again when the chain has moved on after a success. */
function advancesAfterSuccess(tool: Tool | undefined): boolean {
  return tool?.rules.guarantee === 'natural' || (tool?.rules.undoneBy.length ?? 0) > 0;
}

/** Whether a call that meets the action now is kept with it. */
export function isJoinRecorded(tool: Tool, action: Action): boolean {
  return advancesAfterSuccess(tool) && action.status === 'succeeded';
}

export async function recordJoin(
  parts: Parts,
  tool: Tool,
  proposal: Proposal,
  action: Action,
): Promise<void> {
  if (isJoinRecorded(tool, action)) await record(parts, action, proposal);
}

/** A call that has joined an open action, before it is told how that came to rest. */
export async function recordJoined(
  parts: Parts,
  tool: Tool,
  proposal: Proposal,
  rested: Action,
): Promise<void> {
  if (isOpen(rested) || rested.outcome !== undefined)
    await recordJoin(parts, tool, proposal, rested);
  else await parts.epochTurns(rested.id, () => record(parts, rested, proposal));
}

async function record(parts: Parts, action: Action, { origin }: Proposal): Promise<void> {
  if (isNewTo(parts.actions.peek(action.id) ?? action, origin))
    await parts.actions.perform(action.id, () => ({ type: 'JoinCalls', calls: [origin] }));
}
