// An action as callers see it: the answer to "what became of it", and the facts of its state that people
// decide by. A projection of the state; nothing of the claim's fencing, nothing that is secret.
import { type Answer, answerFor } from '@action-ledger/application';
import { type Action } from '@action-ledger/domain';

export type ActionView = Answer & ActionFacts;

/** Named one by one, so that a new member of the state is not published by itself. */
const shown = [
  'key',
  'identityVersion',
  'arguments',
  'argumentsHash',
  'by',
  'plannedAt',
  'updatedAt',
  'validUntil',
  'readyAt',
  'after',
  'policyVersion',
  'repeatOf',
  'compensates',
  'calls',
  'attempts',
  'downstreamKey',
  'undoes',
  'approval',
  'checks',
  'unknownSince',
  'undoneBy',
  'undoneAt',
  'supersededBy',
  'edited',
  'cancelRequested',
  'compensatedBy',
  'evidence',
  'incidents',
  'duplicates',
] as const satisfies readonly (keyof Action)[];

export type ActionFacts = Pick<Action, (typeof shown)[number]>;

/** Of the fencing, an attempt shows nothing. */
function attemptView({
  claim: _claim,
  worker: _worker,
  lost: _lost,
  ...attempt
}: Action['attempts'][number]): object {
  return attempt;
}

/** @param now this request has brought it about; otherwise it is what an earlier one did */
export function viewOf(action: Action, now = false): ActionView {
  const facts: Record<string, unknown> = {};
  for (const name of shown) if (action[name] !== undefined) facts[name] = action[name];
  facts['attempts'] = action.attempts.map(attemptView);
  return { ...answerFor(action, { repeat: !now }), ...(facts as unknown as ActionFacts) };
}

/** The revision as an entity tag, to be sent back as `If-Match`. */
export function etagOf({ revision }: { readonly revision?: number }): string {
  return `"${revision ?? -1}"`;
}
