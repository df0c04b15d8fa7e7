// An epoch that no action has yet is opened: recorded, and (for a caller that executes here) dispatched in
// the same append. Racing callers meet at `no stream`.
import {
  type Action,
  actionIdOf,
  isOpen,
  mayBeOvertaken,
  type Observed,
  type PlanAction,
  traceContextOf,
} from '@action-ledger/domain';
import { needsApproval, type Tool } from '@action-ledger/tools';
import { type ActionStore, type Performed } from '../record/action-store.ts';
import { type Answer, answerFor } from '../answer/answer.ts';
import { waitingFor } from './answer-met.ts';
import { runAttempt } from '../attempt/attempt.ts';
import { ownAttempt } from '../callers/handed-out.ts';
import { holdDispatch } from '../callers/hold-dispatch.ts';
import { type EpochChains } from './chain-of-epochs.ts';
import { completeEdit, pendingEdit } from '../people/complete-edit.ts';
import { followed, restUntil } from '../answer/follow.ts';
import { type Names, reserveOlderNames } from './names.ts';
import { notRecordable, notStored, wasNotStored } from '../answer/not-recordable.ts';
import { onceSent } from '../observe/once-sent.ts';
import { type Parts } from '../core/parts.ts';
import { type policyFor } from './policy.ts';
import { isOfLostTime, presumptionFor } from '../attend/presumed.ts';
import { type Proposal } from './proposal.ts';
import { brokenAnswer, refusedBy } from './refused-proposals.ts';
import { type Claimant, downstreamKeyFor } from '../attempt/send.ts';
import { createInSlot, isDispatchedBy } from '../attempt/slots.ts';
import { completeUndo, undoneByThis } from '../attempt/undo.ts';

export interface OpenDeps {
  readonly parts: Parts;
  readonly chains: EpochChains;
}

export interface Opening {
  readonly epoch: number;
  readonly chain: readonly Action[];
  readonly after: string | undefined;
  readonly policy: ReturnType<typeof policyFor>;
  /** Tried without reading what exists. */
  readonly unread: boolean;
  /** Of a tool whose calls are only observed. */
  readonly observed?: Observed | undefined;
}

/** @returns undefined where another caller opened the epoch first */
export async function open(
  deps: OpenDeps,
  tool: Tool,
  proposal: Proposal,
  names: Names,
  opening: Opening,
): Promise<Answer | undefined> {
  const { parts, chains } = deps;
  const closed = notRecordable(parts, proposal);
  if (closed !== undefined) return closed;
  const actionId = actionIdOf(names.keyHash, opening.epoch);
  const last = opening.chain.at(-1);
  if (last !== undefined && pendingEdit(last) === actionId) {
    await completeEdit(parts, last);
    return undefined;
  }
  await parts.passed('before plan', actionId);
  if (names.older.length > 0 && !(await reserveOlderNames(parts, names, actionId)))
    return undefined;
  const startedMono = parts.clock.monoMs();
  const create = () =>
    createWhereRoom(parts, tool, proposal, names, opening, actionId).catch((fault: unknown) =>
      opening.unread && wasNotStored(fault)
        ? ({ kind: 'taken' } as const)
        : notStored(parts, proposal, actionId, fault),
    );
  // A call may just be joining the epoch before: where it is this one, it gets that one's outcome.
  const created =
    last === undefined
      ? await create()
      : await parts.epochTurns(last.id, async () =>
          hasMovedOn(parts, last) ? ({ kind: 'taken' } as const) : create(),
        );
  if ('word' in created) return created;
  if (created.kind === 'taken') {
    if (opening.unread) chains.wasKnown();
    return undefined;
  }
  return answerCreated(parts, tool, proposal, actionId, created, startedMono, names);
}

function hasMovedOn({ actions }: Parts, last: Action): boolean {
  return (actions.peek(last.id)?.revision ?? last.revision) > last.revision;
}

async function answerCreated(
  parts: Parts,
  tool: Tool,
  proposal: Proposal,
  actionId: string,
  created: Performed,
  startedMono: number,
  names: Names,
): Promise<Answer | undefined> {
  switch (created.kind) {
    case 'broken':
      return brokenAnswer(proposal, actionId);
    case 'refusal':
      return created.code === 'action.exists' ? undefined : refusedBy(proposal, created);
    case 'done':
      if (created.action.secret && tool.byCaller !== true) parts.secrets.set(actionId, names.args);
      await begin(parts, tool, created.action, startedMono);
      return tool.observes === undefined
        ? answerOpened(parts, tool, proposal, actionId)
        : onceSent(created.action, answerOpened(parts, tool, proposal, actionId));
  }
}

async function begin(parts: Parts, tool: Tool, action: Action, startedMono: number): Promise<void> {
  if (isDispatchedBy(parts.worker, { action })) {
    void runAttempt(parts, tool, action, startedMono);
    return;
  }
  if (action.status === 'dispatched' && action.claim?.caller === true) {
    await holdDispatch(parts, tool, action);
    return;
  }
  await parts.passed('planned', action.id);
  if (action.status === 'ready' || action.status === 'planned' || action.status === 'unknown')
    void parts.attend(action.id);
}

async function answerOpened(
  parts: Parts,
  tool: Tool,
  proposal: Proposal,
  actionId: string,
): Promise<Answer> {
  const own = await ownAttempt(parts, actionId, proposal.execute);
  if (own !== undefined) return answerFor(own, { repeat: false });
  const waiting = waitingFor(parts, tool, proposal);
  const rested = await restUntil(parts, actionId, waiting);
  if (rested === undefined) return brokenAnswer(proposal, actionId);
  if (rested.supersededBy !== undefined) return followed(parts, rested, waiting);
  if (rested.status === 'succeeded' && rested.undoes.length > 0) await completeUndo(parts, rested);
  const repeat = isOfLostTime(rested);
  return answerFor(rested, { repeat, beingRecorded: parts.beingRecorded.has(actionId) });
}

/** Sent at once where nothing holds it back. */
function createWhereRoom(
  parts: Parts,
  tool: Tool,
  proposal: Proposal,
  names: Names,
  opening: Opening,
  actionId: string,
): ReturnType<ActionStore['create']> {
  const { after, chain } = opening;
  const createIt = (isSent: boolean): ReturnType<ActionStore['create']> =>
    create(parts, tool, proposal, names, opening, { actionId, isSent });
  const isLeft = tool.byCaller === true && proposal.execute === undefined;
  // What is only observed waits for no room.
  if (!isLeft && tool.observes !== undefined) return createIt(true);
  if (isLeft || after !== undefined || !mayDispatchNow(parts, tool, chain)) return createIt(false);
  const wanted = { actionId, tenant: proposal.tenant, tool, arguments: names.args };
  return createInSlot(parts.slots, wanted, claimantOf(parts, proposal).worker, createIt);
}

function create(
  parts: Parts,
  tool: Tool,
  proposal: Proposal,
  names: Names,
  opening: Opening,
  { actionId, isSent }: { readonly actionId: string; readonly isSent: boolean },
): ReturnType<ActionStore['create']> {
  const { chain, policy } = opening;
  const approval = needsApproval(tool, names.args) ? tool.approval?.rules : undefined;
  const undoes = undoneByThis(parts, tool, proposal.tenant, names.stored);
  const claimant = claimantOf(parts, proposal);
  const dispatch = isSent ? dispatchOf(parts, tool, claimant, { actionId, undoes }) : undefined;
  const presumed = presumptionFor(parts, tool, { actionId, previous: chain.at(-1), undoes });
  return parts.actions.create(
    actionId,
    {
      type: 'PlanAction',
      plan: planOf(tool, proposal, names, opening),
      policy,
      rules: tool.rules,
      ...(approval === undefined ? {} : { approval }),
      ...(dispatch === undefined ? {} : { dispatch }),
      ...(presumed === undefined ? {} : { presumed }),
      ...(proposal.loggedAt === undefined ? {} : { saidAt: proposal.loggedAt }),
    },
    { argumentsText: names.argumentsText },
  );
}

function planOf(
  tool: Tool,
  { tenant, origin, by, key, link, traceparent, tracestate }: Proposal,
  names: Names,
  { epoch, after, observed }: Opening,
): PlanAction['plan'] {
  const trace = traceContextOf(traceparent, tracestate);
  return {
    tenant,
    tool: tool.name,
    epoch,
    identityVersion: tool.declaration.identityVersion,
    arguments: names.stored,
    argumentsHash: names.argumentsHash,
    ...(Object.keys(origin).length === 0 ? {} : { call: origin }),
    ...(by === undefined ? {} : { by }),
    ...(key === undefined ? {} : { key }),
    ...(link === undefined ? {} : { workflow: link.workflow }),
    ...(after === undefined ? {} : { after }),
    ...(tool.declaration.secret.length === 0 ? {} : { secret: true as const }),
    ...(trace === undefined ? {} : { trace }),
    ...(observed === undefined ? {} : { observed }),
  };
}

function claimantOf({ worker }: Parts, { execute }: Proposal): Claimant {
  return execute === undefined ? { worker } : { worker: execute.worker, caller: true };
}

function dispatchOf(
  parts: Parts,
  tool: Tool,
  claimant: Claimant,
  { actionId, undoes }: { readonly actionId: string; readonly undoes: readonly string[] },
): NonNullable<PlanAction['dispatch']> {
  const base = { ...claimant, downstreamKey: downstreamKeyFor(parts, tool, actionId) };
  return undoes.length === 0 ? base : { ...base, undoes };
}

/** An absolute write behind open epochs, or one that nothing may be sent for, is planned only. */
function mayDispatchNow(parts: Parts, tool: Tool, chain: readonly Action[]): boolean {
  if (tool.rules.guarantee !== 'natural') return true;
  return chain.every(
    (epoch) => !isOpen(epoch) && mayBeOvertaken(epoch, parts.judge.watched(epoch).doubtMs),
  );
}
