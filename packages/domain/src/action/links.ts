// Facts that tie an action to others: calls that joined it, what undid it, what replaced it, and its
// compensation. Each is told by one event; saying it again changes nothing.
import { type CallOrigin } from '../identity/declaration.ts';
import { type CommandOf } from './command.ts';
import { accept, type Decision, refuse, wrongStatus } from './decision.ts';
import { type Instant } from './decide.ts';
import { type Action } from './state.ts';

/** More joined calls than this are kept in the side table only. */
export const joinedCallsMax = 1_000;

export function joinCall(action: Action, command: CommandOf<'JoinCall'>): Decision {
  if (action.status === 'new' || action.status === 'reserved') return wrongStatus(action, 'join');
  if (action.calls.some((call) => isSameCall(call, command.call))) return accept();
  if (action.calls.length > joinedCallsMax)
    return refuse('action.joins-full', 'The action has its full number of joined calls.', action);
  return accept({ type: 'CallJoined', data: { call: command.call } });
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
  if (action.status !== 'succeeded' && action.status !== 'compensation_failed')
    return wrongStatus(action, 'compensate');
  return accept({ type: 'CompensationPlanned', data: { by: command.by } });
}

export function recordCompensation(
  action: Action,
  command: CommandOf<'RecordCompensation'>,
  now: Instant,
): Decision {
  const { by, succeeded, reason } = command;
  if (action.status !== 'compensating' || action.compensatedBy !== by)
    return wrongStatus(action, 'record a compensation');
  if (succeeded) return accept({ type: 'ActionCompensated', data: { by } });
  const watch = { owner: 'operator' as const, nextCheckAt: now.wallMs + operatorLooksAfterMs };
  return accept({ type: 'CompensationFailed', data: { by, reason, ...watch } });
}

const operatorLooksAfterMs = 24 * 3_600_000;
