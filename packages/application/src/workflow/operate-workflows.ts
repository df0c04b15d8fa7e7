// What people ask about workflows and do with them. A command carries the revision that its author saw.
import {
  type ActionRefusalCode,
  type OnFailedCompensation,
  refusal,
  type Refusal,
  streamOfWorkflow,
  type Workflow,
  workflowIdOf,
  type WorkflowRefusalCode,
} from '@action-ledger/domain';
import { type EventStore } from '@action-ledger/event-store';
import { checkRequest } from '../core/check-request.ts';
import { withWhatHappened } from '../record/what-happened.ts';
import { type CompensatorDeps } from './compensator-deps.ts';
import { brokenRecord } from './program.ts';

export interface CompensateRequest {
  readonly by: string;
  readonly reason: string;
  /** The revision of the workflow that its author saw. */
  readonly revisionSeen: number;
  /** Only this step and those after it. Default: all. */
  readonly from?: string;
  /** From now on, where a compensation fails. Default: as before. */
  readonly onFailedCompensation?: OnFailedCompensation;
}

const compensateShape = {
  by: 'text',
  reason: 'text',
  revisionSeen: 'revision',
  from: 'text?',
} as const;

/** By its own id of 43 characters, or by the id that its program gave it. */
export async function findWorkflow(
  { parts, workflows }: CompensatorDeps,
  tenant: string,
  id: string,
): Promise<Workflow | Refusal> {
  const named = workflowIdOf(parts.sha256, tenant, { kind: 'id', id });
  const ofRun = workflowIdOf(parts.sha256, tenant, { kind: 'run', run: id });
  for (const workflowId of [id, named, ofRun]) {
    if (!/^[\w-]{43}$/.test(workflowId)) continue;
    const loaded = await workflows.store.load(workflowId);
    if (loaded.kind === 'broken') {
      // A name of the tenant leads to what is theirs; any other id may be somebody else's.
      const isOwn = workflowId !== id || (await tenantOfDamaged(parts.store, id)) === tenant;
      if (isOwn) return brokenRecord(loaded.reason);
      continue;
    }
    const { workflow } = loaded;
    if (workflow.status !== 'new' && workflow.tenant === tenant) return workflow;
  }
  return refusal('workflow.unknown', `There is no workflow ${id} here.`, { workflow: id });
}

/** As far as its first event can be read. */
async function tenantOfDamaged(
  store: Pick<EventStore, 'readStream'>,
  workflowId: string,
): Promise<string | undefined> {
  try {
    const [first] = await store.readStream(streamOfWorkflow(workflowId));
    if (first?.type !== 'WorkflowStarted') return undefined;
    const { tenant } = JSON.parse(first.data) as { readonly tenant?: unknown };
    return typeof tenant === 'string' ? tenant : undefined;
  } catch {
    return undefined;
  }
}

export async function compensateWorkflow(
  deps: CompensatorDeps,
  tenant: string,
  id: string,
  request: CompensateRequest,
): Promise<Workflow | Refusal<WorkflowRefusalCode | ActionRefusalCode> | Refusal> {
  const { onFailedCompensation } = request;
  const misfit =
    checkRequest(request, compensateShape) ??
    (onFailedCompensation === undefined
      ? undefined
      : checkRequest({ onFailedCompensation }, { onFailedCompensation: ['stop', 'go on'] }));
  if (misfit !== undefined) return misfit;
  const found = await findWorkflow(deps, tenant, id);
  if ('code' in found) return found;
  const { by, reason, revisionSeen, from } = request;
  const performed = await deps.workflows.store.perform(
    found.id,
    () => ({
      type: 'StartCompensation',
      by,
      reason,
      revisionSeen,
      ...(from === undefined ? {} : { from }),
      ...(onFailedCompensation === undefined ? {} : { onFailedCompensation }),
    }),
    { by },
  );
  if (performed.kind === 'broken') return brokenRecord(performed.reason);
  if (performed.kind === 'refusal')
    return withWhatHappened(deps.parts.store, streamOfWorkflow(found.id), revisionSeen, performed);
  if (performed.events.length > 0) {
    await deps.parts.passed('compensation started', found.id);
    deps.parts.due.set(streamOfWorkflow(found.id), deps.parts.clock.nowMs());
  }
  return performed.workflow;
}
