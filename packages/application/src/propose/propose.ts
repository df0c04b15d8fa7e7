// A proposal's way to its answer, in the order of DESIGN.md section 8: check, identify, meet what
// exists, and only where nothing does: policy, create, and (for a caller that executes here) dispatch
// in the same append.
import {
  type Action,
  checkJson,
  type JsonValue,
  meet,
  type MeetingProposal,
  type Refusal,
  traceContextOf,
} from '@action-ledger/domain';
import { passThrough, type Tool } from '@action-ledger/tools';
import { type Answer } from '../answer/answer.ts';
import { type AnswerCode, type RefusedCode } from '../answer/answer-codes.ts';
import { answerMet } from './answer-met.ts';
import { checkProposal } from '../core/check-request.ts';
import { epochsToMeet } from './epochs-to-meet.ts';
import {
  argumentsHashFor,
  type Names,
  namesOf,
  underOlderName,
  underReservedName,
} from './names.ts';
import { notRead } from '../answer/not-recordable.ts';
import { letOut } from '../observe/let-out.ts';
import { type Met, observeMet } from '../observe/observe-met.ts';
import { open, type OpenDeps } from './open-epoch.ts';
import { hasSecrets, type Parts, toolNamed } from '../core/parts.ts';
import { policyFor } from './policy.ts';
import { type Proposal } from './proposal.ts';
import { brokenAnswer, conflict, refused, refusedBy } from './refused-proposals.ts';
import { type RepeatedNames } from './repeated-names.ts';
import { inSpan } from '../core/spans.ts';
import { completeUndoOf } from '../attempt/undo.ts';

export interface ProposeDeps extends OpenDeps {
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
  const unfit = proposal.loggedAt === undefined ? undefined : whyNotByLog(tool);
  if (unfit !== undefined) return refused(proposal, 'refused', ...unfit);
  const misfit = checkProposal(proposal);
  if (misfit !== undefined) return refusedBy(proposal, misfit);
  const plain = checkJson(proposal.arguments);
  if (plain.kind === 'refusal') return refusedBy(proposal, plain);
  if (tool.kind === 'read') return read(parts, tool, proposal, plain.value);
  if (tool.observes !== undefined) return observe(deps, tool, proposal, plain.value);
  return answerWrite(deps, tool, proposal, plain.value);
}

async function answerWrite(
  deps: ProposeDeps,
  tool: Tool,
  proposal: Proposal,
  plain: JsonValue,
): Promise<Answer> {
  const { parts } = deps;
  const known = deps.repeated.find(tool, proposal, plain);
  const named = known ?? namedFrom(parts, tool, proposal, plain);
  if (named.kind === 'refusal') return refusedBy(proposal, named);
  try {
    const answer = await meetNow(deps, tool, proposal, named);
    if (answer.repeat && known === undefined) deps.repeated.keep(tool, proposal, plain, named);
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

/** A log keeps what it is told for all who read it, and takes no answers back. */
function whyNotByLog(tool: Tool): readonly [code: AnswerCode, reason: string] | undefined {
  const { name } = tool;
  if (hasSecrets(tool))
    return ['tool.takes-secrets', `"${name}" takes secret arguments, which must be in no log.`];
  if (tool.kind !== 'read') return undefined;
  return ['tool.only-reads', `"${name}" only reads: ask for it where somebody gets the answer.`];
}

/** Whatever the ledger makes of it, a call that is well formed goes out. */
async function observe(
  deps: ProposeDeps,
  tool: Tool,
  proposal: Proposal,
  plain: JsonValue,
): Promise<Answer> {
  const { parts } = deps;
  const valid = tool.validate(plain);
  if (valid.kind === 'refusal') return refusedBy(proposal, valid);
  return letOut(parts, tool, valid.args, proposal, async () => {
    const named = namesOf(parts, tool, proposal, valid.args);
    if (named.kind === 'refusal') return refusedBy(proposal, named);
    return meetNow(deps, tool, proposal, named).catch((fault: unknown) =>
      notRead(parts, proposal, fault),
    );
  });
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
  const declared = tool.observes ?? tool;
  const policy = policyFor(declared, proposal.tenant, names.args);
  const asked = meetingProposal(parts, declared, proposal, names, policy.version, last);
  return follow(deps, tool, proposal, names, {
    chain,
    meeting: meet(chain, asked),
    policy,
    unread,
  });
}

/** What follows from what was met. */
function follow(
  deps: ProposeDeps,
  tool: Tool,
  proposal: Proposal,
  names: Names,
  met: Met,
): Answer | Promise<Answer | undefined> | undefined {
  const { parts } = deps;
  const { chain, meeting } = met;
  const last = chain.at(-1);
  // A step that is taken again gets its outcome: only the ledger knows where its workflow was.
  if (tool.observes !== undefined && (proposal.link === undefined || meeting.kind === 'open'))
    return observeMet(deps, tool, proposal, names, met);
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
    case 'open': {
      if (last !== undefined && last.tool !== tool.name)
        return conflict(parts, proposal, names, last);
      const { epoch, after } = meeting;
      const { policy, unread } = met;
      return open(deps, tool, proposal, names, { epoch, chain, after, policy, unread });
    }
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
    ...(proposal.loggedAt === undefined ? {} : { saidAt: proposal.loggedAt }),
  };
}
