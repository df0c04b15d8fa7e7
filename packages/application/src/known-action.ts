// Commands to an action that somebody names: one that does not exist is unknown, whatever was asked of it.
import {
  type Action,
  type ActionCommand,
  type ActionRefusalCode,
  parseActionId,
  refusal,
  type Refusal,
} from '@action-ledger/domain';
import { type Performed, type PerformOptions } from './action-store.ts';
import { type Parts } from './parts.ts';

/** As `ActionStore.perform`, of actions that exist. */
export async function performKnown(
  parts: Pick<Parts, 'actions'>,
  actionId: string,
  command: (action: Action) => ActionCommand,
  options?: PerformOptions,
): Promise<Performed> {
  if (parseActionId(actionId) === undefined) return unknownAction(actionId);
  const performed = await parts.actions.perform(
    actionId,
    (action) => (isThere(action) ? command(action) : undefined),
    options,
  );
  return performed.kind === 'done' && !isThere(performed.action)
    ? unknownAction(actionId)
    : performed;
}

/** A name that is kept for an action is none. */
export function isThere({ status }: Action): boolean {
  return status !== 'new' && status !== 'reserved';
}

export function unknownAction(actionId: string): Refusal<ActionRefusalCode> {
  const message =
    parseActionId(actionId) === undefined
      ? `"${actionId}" is not the id of an action: the full id is needed, 43 characters, a dot and a number.`
      : `There is no action ${actionId} here.`;
  return refusal('action.unknown', message, { action: actionId });
}
