// The names of workflows and of what they create. A step's action and a compensation's action are links
// between streams (DESIGN.md section 4): the same workflow and step always lead to the same action, whoever
// asks, however often.
import { linkKey } from '../identity/keys.ts';
import { hashVersion } from '../identity/keys.ts';
import { canonicalJson } from '../json/canonical-json.ts';
import { type Sha256 } from '../sha256.ts';

const streamPrefix = 'workflow-';
const idForm = /^[A-Za-z0-9_-]{43}$/;

/** The caller's id is unique in its tenant; without one a run has one workflow. */
export type WorkflowName =
  { readonly kind: 'id'; readonly id: string } | { readonly kind: 'run'; readonly run: string };

/** 43 base64url characters. */
export function workflowIdOf(sha256: Sha256, tenant: string, name: WorkflowName): string {
  const value = name.kind === 'id' ? name.id : name.run;
  return sha256(canonicalJson([hashVersion, tenant, 'workflow', name.kind, value]));
}

export function streamOfWorkflow(workflowId: string): string {
  return `${streamPrefix}${workflowId}`;
}

/** The workflow's id; undefined: the stream is not a workflow's. */
export function workflowOfStream(stream: string): string | undefined {
  if (!stream.startsWith(streamPrefix)) return undefined;
  const id = stream.slice(streamPrefix.length);
  return idForm.test(id) ? id : undefined;
}

export const workflowStreamPrefix = streamPrefix;

/** The key of the action of a step. */
export function stepKeyOf(
  sha256: Sha256,
  tenant: string,
  workflowId: string,
  step: string,
): string {
  return linkKey(sha256, tenant, 'step', workflowId, step);
}

/** The key of the actions that undo an action; a later try is a later epoch. */
export function compensationKeyOf(sha256: Sha256, tenant: string, actionId: string): string {
  return linkKey(sha256, tenant, 'compensation', actionId, 'undo');
}
