// Answers to proposals that nothing came of: why, and what the caller can do.
import { type Action, type Refusal } from '@action-ledger/domain';
import { type Answer, type AnswerWord, refusedAnswer } from '../answer/answer.ts';
import { type AnswerCode, type RefusedCode } from '../answer/answer-codes.ts';
import { differencesFrom, type Names } from './names.ts';
import { type Parts } from '../core/parts.ts';
import { type Proposal } from './proposal.ts';

export function conflict(parts: Parts, proposal: Proposal, names: Names, action: Action): Answer {
  const sameTool = action.tool === proposal.tool;
  const differs = sameTool
    ? differencesFrom(names, action)
    : [{ path: 'tool', note: `${action.tool} is not ${proposal.tool}` }];
  parts.sides.add({
    at: parts.clock.nowMs(),
    tenant: proposal.tenant,
    tool: proposal.tool,
    action: action.id,
    kind: 'conflict',
    reason: differs.map(({ path }) => path).join(', '),
    call: proposal.origin,
  });
  return refusedAnswer({
    tenant: proposal.tenant,
    tool: proposal.tool,
    word: 'other-arguments',
    code: 'key.other-arguments',
    reason: `The key belongs to ${action.tool} with other arguments; that action is ${action.status}.`,
    actionId: action.id,
    differs,
  });
}

export function brokenAnswer(proposal: Proposal, actionId: string): Answer {
  return refused(
    proposal,
    'checking',
    'stream.broken',
    'The record of this action is damaged; a person is looking into it.',
    actionId,
  );
}

export function refusedBy(proposal: Proposal, no: Refusal<RefusedCode>): Answer {
  return refusedAnswer({
    tenant: proposal.tenant,
    tool: proposal.tool,
    word: 'failed-without-effect',
    code: no.code,
    reason: no.message,
    ...(no.detail === undefined ? {} : { detail: no.detail }),
  });
}

export function refused(
  proposal: Proposal,
  word: AnswerWord,
  code: AnswerCode,
  reason: string,
  actionId?: string,
): Answer {
  const { tenant, tool } = proposal;
  return refusedAnswer({
    tenant,
    tool,
    word,
    code,
    reason,
    ...(actionId === undefined ? {} : { actionId }),
  });
}
