// What concerns the ledger itself: a pause, rules that were loosened, a stream whose record is damaged, an invariant that is broken.
import { unsealEvent } from '@action-ledger/codec';
import { actionOfStream, type JsonObject, workflowOfStream } from '@action-ledger/domain';
import { type RecordedEvent } from '@action-ledger/event-store';
import { plainText, type Told } from './notification.ts';

/** @returns undefined where it was resumed meanwhile */
export function causeInPauses(
  events: readonly RecordedEvent[],
  cause: RecordedEvent,
): Told | undefined {
  const { event, metadata } = unsealEvent(cause);
  const scope = scopeOf(event.data);
  const isLast = events
    .filter(({ revision }) => revision > cause.revision)
    .every((later) => scopeOf(unsealEvent(later).event.data) !== scope);
  if (!isLast) return undefined;
  const { tenant, tool, reason } = event.data;
  const { by = '' } = metadata;
  return {
    kind: 'paused',
    at: metadata.at,
    ...(typeof tenant === 'string' ? { tenant } : {}),
    ...(typeof tool === 'string' ? { tool: plainText(tool) } : {}),
    text: plainText(`${whatOf(event.data)} is paused by ${by}: ${textOf(reason)}`),
    detail: { reason: plainText(textOf(reason)), by: plainText(by) },
  };
}

function scopeOf({ tenant, tool }: JsonObject): string {
  return JSON.stringify([tenant ?? null, tool ?? null]);
}

function whatOf({ tenant, tool }: JsonObject): string {
  if (typeof tool !== 'string')
    return typeof tenant === 'string' ? `The tenant ${tenant}` : 'Everything';
  return typeof tenant === 'string' ? `${tool} for the tenant ${tenant}` : tool;
}

/** @returns undefined where the declaration loosens nothing */
export function causeInCallerTools(cause: RecordedEvent): Told | undefined {
  const { event, metadata } = unsealEvent(cause);
  const { tenant, tool, loosens } = event.data;
  if (!Array.isArray(loosens)) return undefined;
  const [name, by] = [plainText(textOf(tool)), plainText(metadata.by ?? '')];
  const rules = loosens.map((rule) => plainText(textOf(rule)));
  return {
    kind: 'rules loosened',
    at: metadata.at,
    tenant: textOf(tenant),
    tool: name,
    text: plainText(`${by} has declared ${name} with weaker rules: ${rules.join(', ')}`),
    detail: { rules, by },
  };
}

/** Its owner can read no more of it than this: whose it is lies in the damaged stream. */
export function causeInQuarantine(actionId: string, cause: RecordedEvent): Told | undefined {
  const { event, metadata, revision } = unsealEvent(cause);
  if (revision !== 0) return undefined;
  const reason = plainText(textOf(event.data['reason']));
  return {
    kind: 'stream broken',
    at: metadata.at,
    action: actionId,
    text: plainText(`The record of an action is damaged, and nothing in it runs: ${reason}`),
    detail: { reason },
  };
}

/** It is on record once, and nothing takes it back. */
export function causeInAudit(cause: RecordedEvent): Told {
  const { event, metadata } = unsealEvent(cause);
  const { stream, invariant, detail } = event.data;
  const [of, name, reason] = [textOf(stream), textOf(invariant), plainText(textOf(detail))];
  const [action, workflow] = [actionOfStream(of), workflowOfStream(of)];
  return {
    kind: 'invariant broken',
    at: metadata.at,
    ...(action === undefined ? {} : { action }),
    ...(workflow === undefined ? {} : { workflow }),
    text: plainText(`What must always hold does not (${name}), in ${of}: ${reason}`),
    detail: { stream: plainText(of), invariant: plainText(name), reason },
  };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
