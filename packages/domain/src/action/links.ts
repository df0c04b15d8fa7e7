// Facts that tie an action to others: calls that joined it, what undid it, what replaced it, and its
// compensation. Each is told by one event; saying it again changes nothing.
import { type CallOrigin } from '../identity/declaration.ts';
import { type CommandOf } from './command.ts';
import { accept, type Decision, type Instant, refuse, wrongStatus } from './decision.ts';
import { type ActionEvent } from './event.ts';
import { type Action } from './state.ts';
import { defaultChecks } from './tool-rules.ts';

/** More joined calls than this are kept in the side table only. */
export const joinedCallsMax = 1_000;

export function joinCalls(action: Action, { calls }: CommandOf<'JoinCalls'>): Decision {
  if (action.status === 'new' || action.status === 'reserved') return wrongStatus(action, 'join');
  const joined = callsJoined(action, calls);
  if (joined.length === 0 && calls.some((call) => isNewTo(action, call)))
    return refuse('action.joins-full', 'The action has its full number of joined calls.', action);
  return accept(...joined);
}

/** One append holds so many; the calls beyond it join after it. */
export const joinedAtOnceMax = 32;

/** The calls among these that are not on record yet, in their order. */
export function callsJoined(action: Action, calls: readonly CallOrigin[]): readonly ActionEvent[] {
  const room = Math.min(joinedAtOnceMax, joinedCallsMax + 1 - action.calls.length);
  const fresh: CallOrigin[] = [];
  for (const call of calls) {
    if (fresh.length >= room) break;
    if (isNewTo(action, call) && !fresh.some((each) => isSameCall(each, call))) fresh.push(call);
  }
  return fresh.map((call) => ({ type: 'CallJoined', data: { call } }));
}

/** A success that was found or reported, with the calls that had joined and wait for it. */
export function withJoined(
  action: Action,
  { joined = [] }: { readonly joined?: readonly CallOrigin[] },
  decision: Decision,
): Decision {
  if (decision.kind === 'refusal' || !decision.events.some(isSuccess)) return decision;
  return { ...decision, events: [...decision.events, ...callsJoined(action, joined)] };
}

function isSuccess({ type, data }: ActionEvent): boolean {
  return type === 'ActionSucceeded' || (type === 'ActionReconciled' && data.verdict === 'found');
}

/** One without an id is no call of its own. */
export function isNewTo({ calls }: Action, call: CallOrigin): boolean {
  return call.call !== undefined && !calls.some((each) => isSameCall(each, call));
}

/** A call is (run, turn, call id); the arguments hash is the action's own. */
export function isSameCall(a: CallOrigin, b: CallOrigin): boolean {
  return a.call !== undefined && a.call === b.call && a.run === b.run && a.turn === b.turn;
}

export function markUndone(action: Action, command: CommandOf<'MarkUndone'>): Decision {
  if (action.undoneBy !== undefined) return accept();
  if (action.status !== 'succeeded' && action.status !== 'compensation_failed')
    return wrongStatus(action, 'mark as undone');
  return accept({ type: 'ActionUndone', data: { by: command.by } });
}

export function supersede(action: Action, command: CommandOf<'Supersede'>): Decision {
  if (action.status === 'superseded') return accept();
  if (action.guarantee !== 'natural') return wrongStatus(action, 'supersede');
  switch (action.status) {
    case 'unknown':
      return accept({ type: 'ActionSuperseded', data: { by: command.by } });
    case 'planned':
    case 'awaiting_approval':
    case 'ready':
      return accept({
        type: 'ActionCancelled',
        data: {
          by: 'ledger',
          person: false,
          reason: 'a later value was proposed',
          supersededBy: command.by,
        },
      });
    case 'new':
    case 'reserved':
    case 'claimed':
    case 'dispatched':
    case 'succeeded':
    case 'failed':
    case 'denied':
    case 'rejected':
    case 'expired':
    case 'cancelled':
    case 'compensating':
    case 'compensated':
    case 'compensation_failed':
      return wrongStatus(action, 'supersede');
  }
}

export function planCompensation(action: Action, command: CommandOf<'PlanCompensation'>): Decision {
  if (action.status === 'compensating' && action.compensatedBy === command.by) return accept();
  if (action.undoneBy !== undefined)
    return refuse('action.status', `${action.undoneBy} has undone it already.`, action);
  if (action.status !== 'succeeded' && action.status !== 'compensation_failed')
    return wrongStatus(action, 'compensate');
  return accept({ type: 'CompensationPlanned', data: { by: command.by } });
}

/** What failed may turn out to have been done after all: then it is compensated, late. */
export function recordCompensation(
  action: Action,
  command: CommandOf<'RecordCompensation'>,
  now: Instant,
): Decision {
  const { by, succeeded, reason } = command;
  const { status } = action;
  if (action.compensatedBy !== by) return wrongStatus(action, 'record a compensation');
  if (status === (succeeded ? 'compensated' : 'compensation_failed')) return accept();
  const open = status === 'compensating' || (status === 'compensation_failed' && succeeded);
  if (!open) return wrongStatus(action, 'record a compensation');
  if (succeeded) return accept({ type: 'ActionCompensated', data: { by } });
  const nextCheckAt = now.wallMs + defaultChecks.escalateAfterMs;
  return accept({
    type: 'CompensationFailed',
    data: { by, reason, owner: 'operator', nextCheckAt },
  });
}
