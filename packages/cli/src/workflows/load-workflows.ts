// Workflows as a file holds them: all, or one by what a person types.
import { workflowIdsOf } from '@action-ledger/application';
import { foldWorkflow } from '@action-ledger/codec';
import { streamOfWorkflow, type Workflow, workflowOfStream } from '@action-ledger/domain';
import { type EventStore, StoreFault } from '@action-ledger/event-store';
import { CliError } from '../cli-error.ts';
import { printable } from '../format/printable.ts';
import { sha256 } from '../sha256.ts';

const shortLength = 10;

/** Enough to name the workflow in a command. */
export function shortWorkflow(id: string): string {
  return id.slice(0, shortLength);
}

export interface LoadedWorkflows {
  readonly workflows: readonly Workflow[];
  /** Ids of those whose record cannot be trusted. */
  readonly damaged: readonly string[];
}

export async function loadWorkflows(store: EventStore): Promise<LoadedWorkflows> {
  const workflows: Workflow[] = [];
  const damaged: string[] = [];
  for (const id of await workflowIdsOf(store)) {
    const workflow = await loadOne(store, id);
    if (typeof workflow === 'string') damaged.push(id);
    else workflows.push(workflow);
  }
  return { workflows, damaged };
}

/** @returns what is wrong with its record, where it is damaged */
async function loadOne(store: EventStore, id: string): Promise<Workflow | string> {
  try {
    const folded = foldWorkflow(sha256, id, await store.readStream(streamOfWorkflow(id)));
    if (folded.kind === 'folded') return folded.workflow;
    return `revision ${folded.revision}: ${folded.reason}`;
  } catch (fault) {
    if (!(fault instanceof StoreFault) || fault.code !== 'store.corrupt') throw fault;
    return fault.message;
  }
}

/**
 * @param file what names the ledger in a command
 * @throws CliError `workflow.unknown`, `workflow.ambiguous`, `stream.broken`
 */
export async function findWorkflow(store: EventStore, typed: string, file = ''): Promise<Workflow> {
  const wanted = workflowOfStream(typed) ?? typed;
  const { workflows, damaged } = await loadWorkflows(store);
  const byId = workflows.filter(({ id }) => id.startsWith(wanted));
  const named = workflows.filter(
    ({ name, run }) => name === wanted || (name === undefined && run === wanted),
  );
  const found = named.length > 0 ? named : byId;
  const [first] = found;
  if (first !== undefined && found.length === 1) return first;
  if (first !== undefined) throw ambiguous(typed, found);
  const broken = damaged.find((id) => id.startsWith(wanted));
  if (broken !== undefined)
    throw new CliError('stream.broken', `the record of workflow ${broken} is damaged`, {
      fix: `\`action-ledger verify${file}\` says what is wrong; nothing in it runs.`,
    });
  throw new CliError('workflow.unknown', `there is no workflow ${printable(typed)}`, {
    fix: `\`action-ledger workflow list${file}\` shows them; --path names ${file === '' ? 'another' : 'the'} file.`,
  });
}

function ambiguous(typed: string, found: readonly Workflow[]): CliError {
  const shown = found
    .slice(0, 5)
    .map(({ id, tenant }) => `${shortWorkflow(id)} (tenant ${tenant})`);
  return new CliError(
    'workflow.ambiguous',
    `${found.length} workflows fit ${printable(typed)}: ${printable(shown.join(', '))}`,
    { fix: 'type more of the id.' },
  );
}
