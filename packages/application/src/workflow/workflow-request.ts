// What a program asks for, checked before anything of it is recorded.
import {
  type ActionRefusalCode,
  checkJson,
  hasReferences,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type OnFailedCompensation,
  refusal,
  type Refusal,
  type StepCompensation,
  type StepIdentity,
  type WorkflowName,
  type WorkflowRefusalCode,
} from '@action-ledger/domain';
import { type Tool } from '@action-ledger/tools';
import { checkRequest } from '../core/check-request.ts';
import { type Known, declaredTool } from '../core/parts.ts';

export interface WorkflowRequest {
  readonly tenant: string;
  /** Of the caller: the same id is the same workflow. Without it: the one of the run. */
  readonly id?: string;
  readonly run?: string;
  readonly conversation?: string;
  /** On whose behalf. */
  readonly by?: string;
  /** What it is started with: started again with another one, it is a conflict. */
  readonly input?: unknown;
  /** Where a compensation has failed for good. Default `stop`. */
  readonly onFailedCompensation?: OnFailedCompensation;
  /** Without anything new for so long, its program is taken for gone. Default 24 h. */
  readonly abandonedAfterMs?: number;
  /** Default `operator`: a person is told and decides. */
  readonly whenAbandoned?: 'operator' | 'compensate';
}

/** A compensation as a program names it. */
export type CompensationRequest =
  | 'not needed'
  | 'impossible'
  | { readonly tool: string; readonly arguments: Readonly<Record<string, unknown>> };

export interface StepRequest {
  readonly step: string;
  readonly tool: string;
  readonly arguments: unknown;
  /** Default: what the tool declares. A step of a tool that declares none must say. */
  readonly compensate?: CompensationRequest;
  /** Its ending without effect does not fail the workflow. */
  readonly mayFail?: boolean;
  /** Default: `tool` where that reaches beyond a run, else `step`. */
  readonly identity?: StepIdentity['kind'];
  /** On whose behalf. Default: whoever started the workflow. */
  readonly by?: string;
  readonly waitMs?: number;
}

type No = Refusal<WorkflowRefusalCode | ActionRefusalCode>;

export const abandonedAfterMsUsual = 24 * 3_600_000;

const startShape = {
  tenant: 'text',
  id: 'text?',
  run: 'text?',
  conversation: 'text?',
  by: 'text?',
  abandonedAfterMs: 'wait?',
} as const;

export interface CheckedStart {
  readonly kind: 'start';
  readonly name: WorkflowName;
  readonly input: JsonValue | undefined;
}

export function checkStart(request: WorkflowRequest): CheckedStart | No {
  const misfit = checkRequest(request, startShape) ?? checkChoices(request);
  if (misfit !== undefined) return misfit;
  const { id, run } = request;
  if (id === undefined && run === undefined)
    return invalid('run', 'given, or an id of your own: by one of them it is found again');
  const name: WorkflowName =
    id !== undefined ? { kind: 'id', id } : { kind: 'run', run: run ?? '' };
  if (request.input === undefined) return { kind: 'start', name, input: undefined };
  const plain = checkJson(request.input);
  return plain.kind === 'refusal'
    ? invalid('input', `plain JSON. ${plain.message}`)
    : { kind: 'start', name, input: plain.value };
}

function checkChoices(request: WorkflowRequest): No | undefined {
  const { onFailedCompensation, whenAbandoned } = request;
  return (
    (onFailedCompensation === undefined
      ? undefined
      : checkRequest({ onFailedCompensation }, { onFailedCompensation: ['stop', 'go on'] })) ??
    (whenAbandoned === undefined
      ? undefined
      : checkRequest({ whenAbandoned }, { whenAbandoned: ['operator', 'compensate'] }))
  );
}

/** Kept short: it is part of names, events and sentences. */
export const stepNameMax = 200;

export function checkStep(request: StepRequest): No | undefined {
  const misfit = checkRequest(request, {
    step: 'text',
    tool: 'text',
    by: 'text?',
    waitMs: 'wait?',
    mayFail: 'flag?',
  });
  if (misfit !== undefined) return misfit;
  if (request.step.length > stepNameMax)
    return invalid('step', `a name of at most ${stepNameMax} characters`);
  const { identity } = request;
  return identity === undefined
    ? undefined
    : checkRequest({ identity }, { identity: ['step', 'tool'] });
}

/** Whether workflow and step make the action, or the tool's own identity does. */
export function identityOf(tool: Tool, asked: StepIdentity['kind'] | undefined): StepIdentity {
  const { scope, secret } = tool.declaration;
  const reachesFurther = scope === 'tenant' || scope === 'conversation';
  // A secret can be hashed only by the process that holds it: the link needs no arguments.
  if (secret.length > 0 && asked === undefined) return { kind: 'step' };
  return { kind: asked ?? (reachesFurther ? 'tool' : 'step') };
}

/** What is recorded before the step is dispatched. */
export function compensationOf(
  parts: Known,
  tenant: string,
  tool: Tool,
  { step, compensate }: Pick<StepRequest, 'step' | 'compensate'>,
): StepCompensation | No {
  if (compensate === 'not needed' || compensate === 'impossible') return { kind: compensate };
  if (compensate === undefined) return declaredBy(parts, tenant, tool, step);
  if (typeof compensate !== 'object')
    return badCompensation(step, `"${String(compensate)}" is none`);
  const undoer = declaredTool(parts, tenant, compensate.tool);
  const misfit = misfitOf(undoer, compensate.tool);
  if (undoer === undefined || misfit !== undefined)
    return badCompensation(step, misfit ?? `there is no tool "${compensate.tool}"`);
  const plain = checkJson(compensate.arguments);
  if (plain.kind === 'refusal') return badCompensation(step, plain.message);
  if (!isJsonObject(plain.value)) return badCompensation(step, 'its arguments are no object');
  return withArguments(step, undoer, plain.value);
}

function withArguments(step: string, undoer: Tool, args: JsonObject): StepCompensation | No {
  if (!hasReferences(args)) {
    const valid = undoer.validate(args);
    if (valid.kind === 'refusal') return badCompensation(step, valid.message);
  }
  return { kind: 'tool', tool: undoer.name, arguments: args };
}

function declaredBy(parts: Known, tenant: string, tool: Tool, step: string): StepCompensation | No {
  if (tool.kind === 'read') return { kind: 'not needed' };
  if (tool.compensate === undefined)
    return refusal(
      'workflow.compensation-missing',
      `Step "${step}" does not say how it is undone, and ${tool.name} declares nothing: name a tool and its arguments, "not needed" or "impossible".`,
      { step, tool: tool.name },
    );
  const undoer = declaredTool(parts, tenant, tool.compensate.tool);
  const misfit = misfitOf(undoer, tool.compensate.tool);
  return misfit === undefined
    ? { kind: 'declared', tool: tool.compensate.tool }
    : badCompensation(step, misfit);
}

function misfitOf(undoer: Tool | undefined, name: string): string | undefined {
  if (undoer === undefined) return `there is no tool "${name}"`;
  if (undoer.kind === 'read') return `${name} only reads: it undoes nothing`;
  if (undoer.declaration.secret.length > 0)
    return `${name} takes secret arguments, which are lost with their process; a compensation must run without it`;
  return undefined;
}

function badCompensation(step: string, why: string): No {
  const message = `Nothing was recorded: the compensation of step "${step}" cannot be carried out: ${why}.`;
  return refusal('workflow.compensation-invalid', message, { step });
}

function invalid(member: string, wanted: string): No {
  return refusal('action.request-invalid', `Nothing was recorded: "${member}" must be ${wanted}.`, {
    member,
  });
}
