// What became of a command of a person: the action as it now is, or why not and how it is instead.
import { type Done, type Performed } from '@action-ledger/application';
import { type Action, type ActionRefusalCode, type Refusal } from '@action-ledger/domain';
import { etagOf, viewOf } from './action-view.ts';
import { type HttpAnswer, problem } from './http-answer.ts';

/** @param current the action as it is after the refusal */
export function performedReply(performed: Performed, current: Action): HttpAnswer {
  switch (performed.kind) {
    case 'broken':
      return problem('stream.broken');
    case 'refusal':
      return refusedCommand(performed, current);
    case 'done':
      return performed.refused === undefined
        ? doneReply(performed)
        : refusedCommand(performed.refused, performed.action);
  }
}

export function doneReply({ action, events }: Pick<Done, 'action' | 'events'>): HttpAnswer {
  return actionReply(action, events.length > 0);
}

export function actionReply(action: Action, now = false): HttpAnswer {
  return { status: 200, body: viewOf(action, now), headers: { etag: etagOf(action) } };
}

/** With the action as it is: whoever is refused for having seen an older state sees what happened. */
export function refusedCommand(no: Refusal<ActionRefusalCode>, current: Action): HttpAnswer {
  const { code, message, detail } = no;
  return problem(code, {
    detail: message,
    ...(detail === undefined ? {} : { facts: detail }),
    action: viewOf(current),
    headers: { etag: etagOf(current) },
  });
}
