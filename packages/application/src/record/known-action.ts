// Commands to an action that somebody names: one that does not exist is unknown, whatever was asked of it.
import {
  type Action,
  type ActionCommand,
  type ActionRefusalCode,
  parseActionId,
  refusal,
  type Refusal,
  streamOfAction,
} from '@action-ledger/domain';
import { type Performed, type PerformOptions } from './action-store.ts';
import { type Parts } from '../core/parts.ts';
import { withWhatHappened } from './what-happened.ts';

/** As `ActionStore.perform`, of actions that exist. */
export async function performKnown(
  parts: Pick<Parts, 'actions' | 'store'>,
  actionId: string,
  command: (action: Action) => ActionCommand,
  options?: PerformOptions,
): Promise<Performed> {
  if (parseActionId(actionId) === undefined) return unknownAction(actionId);
  const asked: { seen?: number | undefined } = {};
  const performed = await parts.actions.perform(
    actionId,
    (action) => {
      if (!isThere(action)) return undefined;
      const wanted = command(action);
      if ('revisionSeen' in wanted) asked.seen = wanted.revisionSeen;
      return wanted;
    },
    options,
  );
  if (performed.kind === 'done' && !isThere(performed.action)) return unknownAction(actionId);
  const { seen } = asked;
  return performed.kind === 'refusal' && seen !== undefined
    ? withWhatHappened(parts.store, streamOfAction(actionId), seen, performed)
    : performed;
}

/** A name that is kept for an action is none. */
export function isThere({ status }: Action): boolean {
  return status !== 'new' && status !== 'reserved';
}

/** Whoever has the tool can do it: a process that only has the file cannot. */
export function notServed(tool: string): Refusal<'tool.unknown'> {
  const message = `This process does not have the tool "${tool}": ask one that has.`;
  return refusal('tool.unknown', message);
}

export function unknownAction(actionId: string): Refusal<ActionRefusalCode> {
  const message =
    parseActionId(actionId) === undefined
      ? `"${actionId}" is not the id of an action: the full id is needed, 43 characters, a dot and a number.`
      : `There is no action ${actionId} here.`;
  return refusal('action.unknown', message, { action: actionId });
}
