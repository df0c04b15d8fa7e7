// How an unknown is settled: by a lookup's verdict, or by an operator with a reason. `found` counts at
// once; `absent` only from a lookup sent after the in-flight bound and the settle time.
import { type CommandOf } from './command.ts';
import {
  accept,
  type Accepted,
  type Decision,
  type Instant,
  refuse,
  wrongStatus,
} from './decision.ts';
import { staleRevision } from './cancel.ts';
import { type ActionEvent, type EventData, type Watch } from './event.ts';
import { cancelNow } from './outcome.ts';
import { type Action, dispatches } from './state.ts';
import { type ActionGuarantee, type ToolRules } from './tool-rules.ts';
import { absentAfterMs, checkIntervalMs, resendHindrance } from './waits.ts';

export function recordVerdict(
  action: Action,
  command: CommandOf<'RecordVerdict'>,
  now: Instant,
): Decision {
  const { verdict, rules, watched } = command;
  if (action.status !== 'unknown') return wrongStatus(action, 'record a verdict');
  if (command.revisionRead !== action.revision) return staleRevision(action, command.revisionRead);
  switch (verdict.kind) {
    case 'found': {
      const { kind: _kind, ...result } = verdict;
      return accept({
        type: 'ActionReconciled',
        data: { verdict: 'found', by: 'reconciler', ...result },
      });
    }
    case 'absent': {
      const wait = absentAfterMs(action, rules) - watched.doubtMs;
      if (wait <= 0) return absent(action, rules, { verdict: 'absent', by: 'reconciler' }, now);
      const reason = 'not there, but a request may still arrive or a read may lag';
      return accept(checked(action, rules, { verdict: 'absent', reason, soonestMs: wait }, now));
    }
    case 'ambiguous':
    case 'error':
      return accept(
        checked(
          action,
          rules,
          { verdict: verdict.kind, reason: verdict.reason, soonestMs: 0 },
          now,
        ),
      );
  }
}

function checked(
  action: Action,
  rules: ToolRules,
  made: {
    readonly verdict: 'absent' | 'ambiguous' | 'error';
    readonly reason: string;
    readonly soonestMs: number;
  },
  now: Instant,
): ActionEvent {
  const check = action.checks + 1;
  const interval = checkIntervalMs(rules, check);
  const wait =
    made.verdict === 'absent' ? Math.min(Math.max(made.soonestMs, 1), interval) : interval;
  const watch: Watch = {
    owner: ownerAfter(action, rules, check, now),
    nextCheckAt: now.wallMs + Math.ceil(wait),
  };
  return {
    type: 'ReconciliationChecked',
    data: { check, verdict: made.verdict, reason: made.reason, ...watch },
  };
}

/** After so many checks, or so long, an operator answers for it, and goes on to; so do the checks. */
function ownerAfter(action: Action, rules: ToolRules, check: number, now: Instant): Watch['owner'] {
  if (action.watch?.owner === 'operator') return 'operator';
  const since = action.unknownSince ?? now.wallMs;
  const { checksMax, escalateAfterMs } = rules.checks;
  return check >= checksMax || now.wallMs - since >= escalateAfterMs ? 'operator' : 'reconciler';
}

/** The doubt is cleared: nothing was done. What follows depends on what was wished meanwhile. */
export function absent(
  action: Action,
  rules: ToolRules,
  data: EventData['ActionReconciled'],
  now: Instant,
): Accepted {
  const reconciled: ActionEvent = { type: 'ActionReconciled', data };
  if (action.cancelRequested !== undefined) return accept(reconciled, cancelNow(action));
  if (isLeftToPeople(rules) || isLeftToPeople(action)) {
    return accept(reconciled, {
      type: 'ActionFailed',
      data: { reason: data.reason ?? 'settled: nothing was done' },
    });
  }
  if (now.wallMs >= action.validUntil) {
    return accept(reconciled, {
      type: 'ActionExpired',
      data: { reason: 'nothing was done, and it is too old to try again' },
    });
  }
  if (dispatches(action) >= rules.retry.attemptsMax) {
    return accept(reconciled, {
      type: 'ActionFailed',
      data: { reason: 'nothing was done in any of its attempts' },
    });
  }
  return accept(reconciled);
}

/** Nothing of it is sent again by itself. */
function isLeftToPeople({ guarantee }: { readonly guarantee: ActionGuarantee }): boolean {
  return guarantee === 'manual' || guarantee === 'observed';
}

/** An operator's decision, with the revision that they saw. */
export function settle(action: Action, command: CommandOf<'Settle'>, now: Instant): Decision {
  const { verdict, by, reason, rules, watched } = command;
  if (command.revisionSeen !== action.revision) return staleRevision(action, command.revisionSeen);
  if (action.status !== 'unknown') return wrongStatus(action, 'settle');
  if (verdict.kind === 'found') {
    const { kind: _kind, ...result } = verdict;
    return accept({ type: 'ActionReconciled', data: { verdict: 'found', by, reason, ...result } });
  }
  if (verdict.forced === true) {
    return accept({ type: 'ActionFailed', data: { reason, forced: { by } } });
  }
  const wait = absentAfterMs(action, rules) - watched.doubtMs;
  if (wait > 0) {
    const message = `A request may still arrive: "absent" can be recorded in ${Math.ceil(wait / 1000)} s.`;
    return refuse('action.too-early', message, action, { waitMs: Math.ceil(wait) });
  }
  return absent(action, rules, { verdict: 'absent', by, reason }, now);
}

/** Due now; its owner stays who it is. Asked again before that has been done, it is no further event. */
export function checkNow(action: Action, command: CommandOf<'CheckNow'>, now: Instant): Decision {
  if (command.revisionSeen !== action.revision) return staleRevision(action, command.revisionSeen);
  if (action.status !== 'unknown') return wrongStatus(action, 'look it up');
  const { owner, nextCheckAt } = action.watch ?? { owner: 'reconciler', nextCheckAt: Infinity };
  // A person has it already, and nothing that the ledger could do would tell them more.
  const why = owner === 'operator' ? whyNothingToAsk(action, command, now) : undefined;
  if (why !== undefined) return refuse('action.nothing-to-ask', why, action);
  if (nextCheckAt <= now.wallMs) return accept();
  return accept({
    type: 'OwnerAssigned',
    data: { owner, nextCheckAt: now.wallMs, reason: 'asked to check now' },
  });
}

function whyNothingToAsk(
  action: Action,
  { rules, watched, clockBehind, secretLost }: CommandOf<'CheckNow'>,
  { wallMs }: Instant,
): string | undefined {
  if (secretLost === true) return `Its secret arguments are lost: ${settleIt}`;
  if (rules.canLookUp) return undefined;
  const hindrance = resendHindrance(action, rules, wallMs, watched, clockBehind);
  if (hindrance === undefined || hindrance === 'in flight') return undefined;
  return action.guarantee === 'manual'
    ? `A manual tool has no lookup: ${settleIt}`
    : `There is no lookup to ask, and it is not sent again (${hindrance}): ${settleIt}`;
}

const settleIt = 'look for the effect where it would be, then settle the action.';

export function assignOwner(action: Action, command: CommandOf<'AssignOwner'>): Decision {
  const { owner, nextCheckAt, reason } = command;
  switch (action.status) {
    case 'unknown':
    case 'compensating':
    case 'compensation_failed':
      return accept({ type: 'OwnerAssigned', data: { owner, nextCheckAt, reason } });
    case 'new':
    case 'reserved':
    case 'planned':
    case 'awaiting_approval':
    case 'ready':
    case 'claimed':
    case 'dispatched':
    case 'succeeded':
    case 'failed':
    case 'denied':
    case 'rejected':
    case 'expired':
    case 'cancelled':
    case 'superseded':
    case 'compensated':
      return wrongStatus(action, 'assign an owner');
  }
}
