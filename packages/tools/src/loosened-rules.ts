// What a new declaration of a tool takes away from the guards of the one before it: from the people who
// are asked, and from the waits and windows that stand before a second dispatch.
import { type ActionGuarantee, type Guarantee } from '@action-ledger/domain';
import { type DeclarationData, declarationEvent } from './declaration-event.ts';
import { type Tool } from './tool.ts';

/** The further down, the more is sent again while an outcome is in doubt. */
const resends = [
  'manual',
  'lookup',
  'idempotent',
  'natural',
] as const satisfies readonly Guarantee[] as readonly ActionGuarantee[];

/** The members that it loosens, as their author writes them; empty where it loosens none. */
export function loosenedRules(before: DeclarationData, tool: Tool): readonly string[] {
  const now = declarationEvent(tool);
  const loosened: Readonly<Record<string, boolean>> = {
    approval: asksFewer(before.approval, now.approval),
    undoWindow: now.rules.undoWindowMs < before.rules.undoWindowMs,
    guarantee: resends.indexOf(now.rules.guarantee) > resends.indexOf(before.rules.guarantee),
    keyWindow:
      now.rules.guarantee === before.rules.guarantee &&
      now.rules.keyWindowMs > before.rules.keyWindowMs,
    inFlightMs: afterDeadlineMs(now) < afterDeadlineMs(before),
    settleMs: now.rules.settleMs < before.rules.settleMs,
  };
  return Object.keys(loosened).filter((member) => loosened[member] === true);
}

type Asked = DeclarationData['approval'];

function asksFewer(before: Asked, now: Asked): boolean {
  if (before === null) return false;
  return now === null || now.votes < before.votes || (now.ownVote && !before.ownVote);
}

/** A shorter deadline needs no longer wait; what is left after it is the guard. */
function afterDeadlineMs({ rules }: DeclarationData): number {
  return rules.inFlightMs - rules.timeoutMs;
}
