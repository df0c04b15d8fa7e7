// An ending in favour of another action answers with that one's outcome, whatever the chain between.
import { type Action, type EpochAnswer } from '@action-ledger/domain';
import { type Answer, answerFor } from './answer.ts';
import { awaitRest } from './await-rest.ts';
import { completeEdit } from '../people/complete-edit.ts';
import { type Parts } from '../core/parts.ts';

export interface Waiting {
  /** Monotonic ms. */
  readonly untilMono: number;
  readonly signal?: AbortSignal | undefined;
}

const followMax = 16;

/** @param as what the caller's own action is to it, where nothing stands for that */
export function followed(
  parts: Parts,
  action: Action,
  waiting: Waiting,
  as: EpochAnswer = 'recorded ending',
): Answer | Promise<Answer> {
  if (action.status !== 'cancelled') return answerFor(action, { repeat: true, as });
  return followedOn(parts, action, waiting, as);
}

async function followedOn(
  parts: Parts,
  action: Action,
  waiting: Waiting,
  as: EpochAnswer,
): Promise<Answer> {
  let current = action;
  for (let hops = 0; hops < followMax && current.status === 'cancelled'; hops += 1) {
    const next = await standIn(parts, current);
    if (next === undefined) break;
    current = next;
  }
  if (current === action) return answerFor(action, { repeat: true, as });
  const rested = await restUntil(parts, current.id, waiting);
  // A value that a later one took the place of: what was done is not what this caller asked for.
  const isOther = action.guarantee === 'natural' && action.edited === undefined;
  return answerFor(rested ?? current, { repeat: true, ...(isOther ? { as: 'replaced' } : {}) });
}

/** @returns undefined where its stream is broken */
export function restUntil(
  parts: Parts,
  actionId: string,
  { untilMono, signal }: Waiting,
): Promise<Action | undefined> {
  return awaitRest(parts, actionId, untilMono - parts.clock.monoMs(), signal);
}

/** The action whose outcome its callers get; an edit that was left half is completed. */
export async function standIn(parts: Parts, action: Action): Promise<Action | undefined> {
  if (action.supersededBy === undefined) return undefined;
  if (action.edited !== undefined) return completeEdit(parts, action);
  const next = await parts.actions.load(action.supersededBy);
  return next.kind === 'broken' || next.action.status === 'new' ? undefined : next.action;
}
