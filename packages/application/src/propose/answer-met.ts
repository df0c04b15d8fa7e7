// What a proposal is told that meets an epoch which exists: its outcome, or a place among those who
// wait for it.
import { type Action, type EpochAnswer, type meet } from '@action-ledger/domain';
import { type Tool } from '@action-ledger/tools';
import { type Answer, answerFor } from '../answer/answer.ts';
import { isOwnAttempt } from '../callers/handed-out.ts';
import { followed, restUntil, type Waiting } from '../answer/follow.ts';
import { isJoinRecorded, noteJoin, recordJoin, recordJoined } from './join.ts';
import { type Names } from './names.ts';
import { type Parts } from '../core/parts.ts';
import { type Proposal } from './proposal.ts';
import { brokenAnswer, conflict } from './refused-proposals.ts';
import { completeUndo } from '../attempt/undo.ts';

type MetEpoch = Extract<ReturnType<typeof meet>, { readonly kind: 'answer' }>;

/** A proposal that an epoch answers. @returns undefined where the chain has changed */
export function answerMet(
  parts: Parts,
  tool: Tool,
  proposal: Proposal,
  names: Names,
  chain: readonly Action[],
  met: MetEpoch,
): Answer | Promise<Answer | undefined> | undefined {
  const action = chain[met.epoch];
  if (action === undefined) return undefined;
  if (action.tool !== tool.name) return conflict(parts, proposal, names, action);
  // The same request again, whose answer was lost: the claim is the one that it made.
  if (isOwnAttempt(action, proposal.execute)) return answerFor(action, { repeat: false });
  noteJoin(parts, tool, proposal, action, met.newCall);
  return met.as === 'attach'
    ? attached(parts, tool, proposal, action, met.newCall)
    : repeated(parts, tool, proposal, action, met.newCall, met.as);
}

/** Without a wait where nothing follows from the repeat. The promise is of nothing where the chain has moved on. */
function repeated(
  parts: Parts,
  tool: Tool,
  proposal: Proposal,
  action: Action,
  newCall: boolean,
  as: EpochAnswer,
): Answer | Promise<Answer | undefined> {
  const mayUndo = action.undoes.length > 0 && action.status === 'succeeded';
  const isRecorded = newCall && isJoinRecorded(tool, action);
  const answer = (): Answer | Promise<Answer> =>
    followed(parts, action, waitingFor(parts, tool, proposal), as);
  if (!mayUndo && !isRecorded) return answer();
  const wasBeingUndone = parts.undoers.has(action.id);
  // Another delivery of the same call may be opening the next epoch: one of them waits, and finds the other.
  const joined = (): Promise<boolean> =>
    parts.epochTurns(action.id, async () => {
      if (!wasBeingUndone && parts.undoers.has(action.id)) return false;
      await recordJoin(parts, tool, proposal, action);
      return true;
    });
  return (async () => {
    if (mayUndo) await completeUndo(parts, action);
    if (isRecorded && !(await joined())) return undefined;
    return answer();
  })();
}

async function attached(
  parts: Parts,
  tool: Tool,
  proposal: Proposal,
  action: Action,
  newCall: boolean,
): Promise<Answer> {
  const waiting = waitingFor(parts, tool, proposal);
  // Claimed by a process that is gone: nobody else may be looking at it.
  if (action.claim !== undefined && parts.crew.isGone(action.claim.worker))
    void parts.attend(action.id);
  const rested = await restUntil(parts, action.id, waiting);
  if (rested === undefined) return brokenAnswer(proposal, action.id);
  if (newCall) await recordJoined(parts, tool, proposal, rested);
  if (rested.supersededBy !== undefined) return followed(parts, rested, waiting);
  return answerFor(rested, { repeat: true, beingRecorded: parts.beingRecorded.has(action.id) });
}

export function waitingFor(parts: Parts, tool: Tool, proposal: Proposal): Waiting {
  const { waitMs = tool.rules.leaseMs, signal } = proposal;
  return { untilMono: parts.clock.monoMs() + waitMs, signal };
}
