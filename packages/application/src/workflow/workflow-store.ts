// The one door to a workflow's stream: load its state, decide, append, and on a conflict do all three
// again. A stream that does not hold together is quarantined, and nothing of it goes on.
import { foldWorkflow, sealEvents } from '@action-ledger/codec';
import {
  decideWorkflow,
  evolveWorkflow,
  type Refusal,
  type Sha256,
  streamOfWorkflow,
  type Workflow,
  type WorkflowCommand,
  type WorkflowEvent,
  type WorkflowRefusalCode,
} from '@action-ledger/domain';
import { type EventStore, StoreFault } from '@action-ledger/event-store';
import { type Runtime } from '@action-ledger/runtime';
import { appendOnce } from '../record/append.ts';
import { type LedgerClock } from '../core/ledger-clock.ts';
import { type Quarantine } from '../record/quarantine.ts';

export interface BrokenWorkflow {
  readonly kind: 'broken';
  readonly workflowId: string;
  readonly reason: string;
}

export type LoadedWorkflow =
  { readonly kind: 'workflow'; readonly workflow: Workflow } | BrokenWorkflow;

export type PerformedWorkflow =
  | {
      readonly kind: 'done';
      readonly workflow: Workflow;
      /** Empty where there was nothing to do. */
      readonly events: readonly WorkflowEvent[];
    }
  | Refusal<WorkflowRefusalCode>
  | BrokenWorkflow;

export interface WorkflowStore {
  /** As the store holds it now. @throws StoreFault */
  load(workflowId: string): Promise<LoadedWorkflow>;
  /** Decided again on every conflict. `undefined`: nothing to do in this state. @throws StoreFault */
  perform(
    workflowId: string,
    command: (workflow: Workflow) => WorkflowCommand | undefined,
    options?: { readonly by?: string },
  ): Promise<PerformedWorkflow>;
}

export interface WorkflowStoreDeps {
  readonly store: EventStore;
  readonly sha256: Sha256;
  readonly clock: LedgerClock;
  readonly runtime: Runtime;
  readonly quarantine: Quarantine;
  /** After each append and read, before anyone is answered. */
  readonly onSeen: (workflow: Workflow) => void;
}

const roundsMax = 64;

export function createWorkflowStore(deps: WorkflowStoreDeps): WorkflowStore {
  return {
    load: async (workflowId) => {
      const read = await readWorkflow(deps, workflowId);
      return read.kind === 'broken' ? read : { kind: 'workflow', workflow: read.workflow };
    },
    perform: async (workflowId, command, options = {}) => {
      for (let round = 0; round < roundsMax; round += 1) {
        const read = await readWorkflow(deps, workflowId);
        if (read.kind === 'broken') return read;
        const wanted = command(read.workflow);
        if (wanted === undefined) return { kind: 'done', workflow: read.workflow, events: [] };
        const performed = await tryOnce(deps, read, wanted, options.by);
        if (performed !== 'conflict') return performed;
      }
      throw new Error(`workflow ${workflowId} met ${roundsMax} conflicts in a row`);
    },
  };
}

interface Read {
  readonly kind: 'folded';
  readonly workflow: Workflow;
  readonly hash: string;
}

async function readWorkflow(
  { store, sha256, clock, quarantine, onSeen }: WorkflowStoreDeps,
  workflowId: string,
): Promise<Read | BrokenWorkflow> {
  const stream = streamOfWorkflow(workflowId);
  const folded = await readFolded(store, sha256, workflowId, stream);
  if (folded.kind === 'broken') {
    const reason = `revision ${folded.revision}: ${folded.reason}`;
    await quarantine.open(stream, reason);
    return { kind: 'broken', workflowId, reason };
  }
  if (folded.workflow.revision >= 0) {
    clock.observe(folded.workflow.updatedAt);
    onSeen(folded.workflow);
  }
  return folded;
}

async function readFolded(
  store: EventStore,
  sha256: Sha256,
  workflowId: string,
  stream: string,
): Promise<ReturnType<typeof foldWorkflow>> {
  try {
    return foldWorkflow(sha256, workflowId, await store.readStream(stream));
  } catch (fault) {
    if (!(fault instanceof StoreFault) || fault.code !== 'store.corrupt') throw fault;
    return { kind: 'broken', revision: 0, reason: fault.message };
  }
}

async function tryOnce(
  { store, sha256, clock, runtime, onSeen }: WorkflowStoreDeps,
  { workflow, hash }: Read,
  command: WorkflowCommand,
  by: string | undefined,
): Promise<PerformedWorkflow | 'conflict'> {
  const at = clock.nowMs();
  const decision = decideWorkflow(workflow, command, { wallMs: at });
  if (decision.kind === 'refusal') return decision;
  const { events } = decision;
  if (events.length === 0) return { kind: 'done', workflow, events };
  const context = { sha256, nextId: runtime.ids.next, at, ...(by === undefined ? {} : { by }) };
  const sealed = sealEvents(context, hash, events);
  const expected = workflow.revision < 0 ? 'no stream' : workflow.revision;
  const stream = streamOfWorkflow(workflow.id);
  const appended = await appendOnce(store, runtime.timers, stream, expected, sealed.events);
  if (appended.kind === 'conflict') return 'conflict';
  let next = workflow;
  for (const event of events)
    next = evolveWorkflow(next, event, { revision: next.revision + 1, at });
  onSeen(next);
  return { kind: 'done', workflow: next, events };
}
