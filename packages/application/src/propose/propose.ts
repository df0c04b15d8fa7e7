// A proposal's way to its answer, in the order of DESIGN.md section 8: check, identify, meet what
// exists, and only where nothing does: policy, create, and (for a caller that executes here) dispatch
// in the same append.
import {
  type Action,
  actionIdOf,
  checkJson,
  isOpen,
  type JsonValue,
  mayBeOvertaken,
  meet,
  type MeetingProposal,
  type PlanAction,
  type Refusal,
  traceContextOf,
} from '@action-ledger/domain';
import { needsApproval, passThrough, type Tool } from '@action-ledger/tools';
import { type ActionStore, type Performed } from '../record/action-store.ts';
import { type Answer, answerFor } from '../answer/answer.ts';
import { type RefusedCode } from '../answer/answer-codes.ts';
import { answerMet, waitingFor } from './answer-met.ts';
import { runAttempt } from '../attempt/attempt.ts';
import { checkProposal } from './check-request.ts';
import { type EpochChains } from './chain-of-epochs.ts';
import { epochsToMeet } from './epochs-to-meet.ts';
import { completeEdit, pendingEdit } from '../people/complete-edit.ts';
import { followed, restUntil } from '../answer/follow.ts';
import {
  argumentsHashFor,
  type Names,
  namesOf,
  reserveOlderNames,
  underOlderName,
  underReservedName,
} from './names.ts';
import { notRead, notRecordable, notStored, wasNotStored } from '../answer/not-recordable.ts';
import { ownAttempt } from '../callers/handed-out.ts';
import { holdDispatch } from '../callers/hold-dispatch.ts';
import { type Parts, toolNamed } from '../core/parts.ts';
import { policyFor } from './policy.ts';
import { type Proposal } from './proposal.ts';
import { isOfLostTime, presumptionFor } from '../attend/presumed.ts';
import { brokenAnswer, conflict, refused, refusedBy } from './refused-proposals.ts';
import { type RepeatedNames } from './repeated-names.ts';
import { type Claimant, downstreamKeyFor } from '../attempt/send.ts';
import { inSpan } from '../core/spans.ts';
import { createInSlot } from '../attempt/slots.ts';
import { completeUndo, completeUndoOf, undoneByThis } from '../attempt/undo.ts';

export interface ProposeDeps {
  readonly parts: Parts;
  readonly chains: EpochChains;
  readonly repeated: RepeatedNames;
}

/** Racing callers meet at `no stream`; each lost race reads again. A bound on such rounds. */
const roundsMax = 64;

export async function propose(deps: ProposeDeps, proposal: Proposal): Promise<Answer> {
  const { tool, tenant, traceparent, tracestate } = proposal;
  const parent = traceContextOf(traceparent, tracestate);
  const ended = ({ word, actionId, repeat }: Answer): object => ({
    word,
    action: actionId,
    repeat,
  });
  const answer = await inSpan({ name: 'propose', facts: { tool, tenant }, parent, ended }, () =>
    answerTo(deps, proposal),
  );
  deps.parts.watch.onAnswer(answer);
  return answer;
}

async function answerTo(deps: ProposeDeps, proposal: Proposal): Promise<Answer> {
  const { parts } = deps;
  const tool = toolNamed(parts, proposal.tenant, proposal.tool);
  if (tool === undefined) {
    return unknownTool(parts, proposal);
  }
  if (proposal.execute !== undefined && tool.byCaller !== true) {
    const reason = `The ledger itself carries out "${tool.name}": propose it without execute.`;
    return refused(proposal, 'refused', 'tool.served-here', reason);
  }
  const misfit = checkProposal(proposal);
  if (misfit !== undefined) return refusedBy(proposal, misfit);
  const plain = checkJson(proposal.arguments);
  if (plain.kind === 'refusal') return refusedBy(proposal, plain);
  if (tool.kind === 'read') return read(parts, tool, proposal, plain.value);
  const known = deps.repeated.find(tool, proposal, plain.value);
  const named = known ?? namedFrom(parts, tool, proposal, plain.value);
  if (named.kind === 'refusal') return refusedBy(proposal, named);
  try {
    const answer = await meetNow(deps, tool, proposal, named);
    if (answer.repeat && known === undefined)
      deps.repeated.keep(tool, proposal, plain.value, named);
    return answer;
  } catch (fault) {
    return notRead(parts, proposal, fault);
  }
}

function unknownTool({ callerTools }: Parts, proposal: Proposal): Answer {
  const { tenant, tool } = proposal;
  const reason = callerTools.whyHeld(tenant, tool) ?? `There is no tool "${tool}".`;
  return refused(proposal, 'refused', 'tool.unknown', reason);
}

function namedFrom(
  parts: Parts,
  tool: Tool,
  proposal: Proposal,
  plain: JsonValue,
): Names | Refusal<RefusedCode> {
  const valid = tool.validate(plain);
  return valid.kind === 'refusal' ? valid : namesOf(parts, tool, proposal, valid.args);
}

function read(
  parts: Parts,
  tool: Tool,
  proposal: Proposal,
  plain: JsonValue,
): Answer | Promise<Answer> {
  const valid = tool.validate(plain);
  if (valid.kind === 'refusal') return refusedBy(proposal, valid);
  const { tenant, origin, traceparent, tracestate } = proposal;
  const call = { tool, args: valid.args, tenant, origin, traceparent, tracestate };
  return passThrough({ timers: parts.runtime.timers, sha256: parts.sha256 }, call);
}

async function meetNow(
  deps: ProposeDeps,
  tool: Tool,
  proposal: Proposal,
  named: Names,
): Promise<Answer> {
  const { parts } = deps;
  for (let round = 0; round < roundsMax; round += 1) {
    const names = named.older.length === 0 ? named : await underOlderName(parts, named);
    const answer = await meetOnce(deps, tool, proposal, names, round > 0);
    if (answer !== undefined) return answer;
  }
  throw new Error(`a proposal to ${tool.name} lost ${roundsMax} races in a row`);
}

async function meetOnce(
  deps: ProposeDeps,
  tool: Tool,
  proposal: Proposal,
  names: Names,
  fresh: boolean,
): Promise<Answer | undefined> {
  const { parts } = deps;
  const found = epochsToMeet(deps, proposal, names, fresh);
  const { epochs, unread } = found instanceof Promise ? await found : found;
  if (epochs.kind === 'broken') return brokenAnswer(proposal, epochs.actionId);
  const chain = epochs.actions;
  const followed = underReservedName(names, chain);
  if (followed !== undefined) return meetOnce(deps, tool, proposal, followed, fresh);
  const last = chain.at(-1);
  const isBeingUndone = last !== undefined && parts.undoers.has(last.id);
  if (isBeingUndone && (await completeUndoOf(parts, last.id))) return undefined;
  const policy = policyFor(tool, proposal.tenant, names.args);
  const meeting = meet(chain, meetingProposal(parts, tool, proposal, names, policy.version, last));
  switch (meeting.kind) {
    case 'answer':
      return answerMet(parts, tool, proposal, names, chain, meeting);
    case 'conflict':
      return last === undefined ? undefined : conflict(parts, proposal, names, last);
    case 'exhausted':
      return refused(
        proposal,
        'refused',
        'epochs.exhausted',
        'Ten attempts at this in a row ended without effect; an operator can repeat it.',
        last?.id,
      );
    case 'open':
      if (last !== undefined && last.tool !== tool.name)
        return conflict(parts, proposal, names, last);
      return open(deps, tool, proposal, names, {
        epoch: meeting.epoch,
        chain,
        after: meeting.after,
        policy,
        unread,
      });
  }
}

function meetingProposal(
  parts: Parts,
  tool: Tool,
  proposal: Proposal,
  names: Names,
  policyVersion: string,
  last: Action | undefined,
): MeetingProposal {
  const pendingUndoer = last === undefined ? undefined : parts.undoers.get(last.id);
  return {
    argumentsHash: names.argumentsHash,
    argumentsHashFor: (action) => argumentsHashFor(names, action),
    call: proposal.origin,
    keyKind: names.keyKind,
    guarantee: tool.rules.guarantee,
    policyVersion,
    ...(pendingUndoer === undefined ? {} : { pendingUndoer }),
  };
}

interface Opening {
  readonly epoch: number;
  readonly chain: readonly Action[];
  readonly after: string | undefined;
  readonly policy: ReturnType<typeof policyFor>;
  /** Tried without reading what exists. */
  readonly unread: boolean;
}

/** @returns undefined where another caller opened the epoch first */
async function open(
  deps: ProposeDeps,
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
  const created = await createWhereRoom(parts, tool, proposal, names, opening, actionId).catch(
    (fault: unknown) =>
      opening.unread && wasNotStored(fault)
        ? ({ kind: 'taken' } as const)
        : notStored(parts, proposal, actionId, fault),
  );
  if ('word' in created) return created;
  if (created.kind === 'taken') {
    if (opening.unread) chains.wasKnown();
    return undefined;
  }
  return answerCreated(parts, tool, proposal, actionId, created, startedMono, names);
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
      return answerOpened(parts, tool, proposal, actionId);
  }
}

async function begin(parts: Parts, tool: Tool, action: Action, startedMono: number): Promise<void> {
  if (action.status === 'dispatched' && action.claim?.worker === parts.worker) {
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
  if (isLeft || after !== undefined || !mayDispatchNow(parts, tool, chain)) return createIt(false);
  const wanted = { actionId, tenant: proposal.tenant, tool, arguments: names.args };
  return createInSlot(parts.slots, wanted, createIt);
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
    },
    { argumentsText: names.argumentsText },
  );
}

function planOf(
  tool: Tool,
  { tenant, origin, by, key, link, traceparent, tracestate }: Proposal,
  names: Names,
  { epoch, after }: Opening,
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
