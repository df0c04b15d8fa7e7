// After a recovery: the store has lost a time, and what was dispatched in it left no trace here. An
// action that may have been among it starts, or goes on, as if an attempt of then were in doubt, so
// that every rule for a doubt holds: no blind send, lookups first, and what cannot be known to a person.
import { type CommandOf, type Presumption } from './command.ts';
import { accept, type Decision, type Instant, wrongStatus } from './decision.ts';
import { type ActionEvent, type Watch } from './event.ts';
import { type Action } from './state.ts';
import { type ToolRules } from './tool-rules.ts';
import { isResendable, watchByOperator } from './waits.ts';

/** Once per recovery. What runs is in doubt by itself when its process is found gone. */
export function presumeAttempt(
  action: Action,
  command: CommandOf<'PresumeAttempt'>,
  now: Instant,
): Decision {
  const { recovery, rules } = command;
  if (action.attempts.some(({ presumed }) => presumed === recovery)) return accept();
  switch (action.status) {
    case 'planned':
    case 'awaiting_approval':
    case 'ready':
    case 'claimed':
    case 'unknown':
      return accept(attemptPresumed(action, command, rules, now));
    case 'new':
    case 'reserved':
    case 'dispatched':
    case 'succeeded':
    case 'failed':
    case 'denied':
    case 'rejected':
    case 'expired':
    case 'cancelled':
    case 'superseded':
    case 'compensating':
    case 'compensated':
    case 'compensation_failed':
      return wrongStatus(action, 'presume an attempt');
  }
}

/** @param action as it is before; for one that is just planned, whatever it was planned from */
export function attemptPresumed(
  { attempts, downstreamKey: known, watch }: Action,
  { recovery, knownUntil, downstreamKey, undoes }: Presumption,
  rules: ToolRules,
  now: Instant,
): ActionEvent {
  return {
    type: 'AttemptPresumed',
    data: {
      attempt: attempts.length + 1,
      downstreamKey: known ?? downstreamKey,
      inFlightMs: rules.inFlightMs,
      recovery,
      knownUntil,
      ...(watch?.owner === 'operator' ? watch : watchPresumed(rules, now)),
      ...(undoes === undefined ? {} : { undoes }),
    },
  };
}

/** The wait for what may be under way began with the process, so the first look need not be put off. */
function watchPresumed(rules: ToolRules, now: Instant): Watch {
  return rules.canLookUp || isResendable(rules)
    ? { owner: 'reconciler', nextCheckAt: now.wallMs }
    : watchByOperator(rules, now.wallMs);
}
