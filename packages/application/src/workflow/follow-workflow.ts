// Workflows as a verification follows them: folded event by event in the one pass over all, without the
// arguments, which no check asks for.
import { unsealEvent } from '@action-ledger/codec';
import {
  evolveWorkflow,
  ImpossibleWorkflowEvent,
  newWorkflow,
  type Workflow,
  type WorkflowEvent,
  workflowOfStream,
} from '@action-ledger/domain';
import { type RecordedEvent } from '@action-ledger/event-store';
import { type BrokenRecord } from '../record/prove-store.ts';

interface WorkflowFold {
  workflow: Workflow;
  /** An event could not follow: nothing after it is folded. */
  broken: string | undefined;
}

/** By stream. */
export type WorkflowFolds = Map<string, WorkflowFold>;

/** @param recorded the next event of any stream */
export function followWorkflow(folds: WorkflowFolds, recorded: RecordedEvent): void {
  const { stream, revision } = recorded;
  const id = workflowOfStream(stream);
  if (id === undefined) return;
  const fold = folds.get(stream) ?? { workflow: newWorkflow(id), broken: undefined };
  folds.set(stream, fold);
  if (fold.broken !== undefined) return;
  try {
    const { event, metadata } = unsealEvent(recorded);
    const place = { revision, at: metadata.at };
    fold.workflow = evolveWorkflow(fold.workflow, withoutContents(event), place);
  } catch (error) {
    if (!(error instanceof ImpossibleWorkflowEvent || error instanceof SyntaxError)) throw error;
    fold.broken = `revision ${revision}: ${error.message}`;
  }
}

function withoutContents(event: { readonly type: string; readonly data: object }): WorkflowEvent {
  const data = event.type === 'StepPlanned' ? { ...event.data, arguments: {} } : event.data;
  return { type: event.type, data } as unknown as WorkflowEvent;
}

/** Those whose record can be trusted, and what is wrong with the others. */
export function soundWorkflows(
  folds: WorkflowFolds,
  soundThrough: ReadonlyMap<string, number>,
): {
  readonly workflows: ReadonlyMap<string, Workflow>;
  readonly damaged: ReadonlySet<string>;
  readonly broken: readonly BrokenRecord[];
} {
  const workflows = new Map<string, Workflow>();
  const damaged = new Set<string>();
  const broken: BrokenRecord[] = [];
  for (const [stream, { workflow, broken: detail }] of folds) {
    const isDamaged = soundThrough.has(stream);
    if (detail !== undefined && !isDamaged)
      broken.push({ stream, invariant: 'stream-folds', detail });
    if (isDamaged || detail !== undefined) damaged.add(workflow.id);
    else workflows.set(workflow.id, workflow);
  }
  return { workflows, damaged, broken };
}
