// What the log says of a stored event: under which key, when, and its contents as a JSON object.
import { type Action, actionOfStream, canonicalJson, type JsonObject } from '@action-ledger/domain';
import { type RecordedEvent } from '@action-ledger/event-store';

/** The action's id; of other streams their name. */
export function keyOfStream(stream: string): string {
  return actionOfStream(stream) ?? stream;
}

/** Wall-clock ms since the epoch; 0 where the metadata do not say it. */
export function timeOfEvent({ metadata }: Pick<RecordedEvent, 'metadata'>): number {
  const at = /[{,]"at":(\d{1,15})[,}]/.exec(metadata)?.[1];
  return at === undefined ? 0 : Number(at);
}

/** Data and metadata are canonical JSON texts, and so is this. */
export function eventAsJson({
  data,
  metadata,
}: Pick<RecordedEvent, 'data' | 'metadata'>): Uint8Array {
  return Buffer.from(`{"data":${data},"metadata":${metadata}}`);
}

/** As it is folded, in canonical JSON. */
export function stateAsJson(action: Action): Uint8Array {
  return Buffer.from(canonicalJson(action as unknown as JsonObject));
}
