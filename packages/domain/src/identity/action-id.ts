// An action's id is its key and its epoch; its stream and its downstream key follow from the id, so
// that a restored store finds and sends the same ones.
import { canonicalJson } from '../json/canonical-json.ts';
import { type Sha256 } from '../sha256.ts';

const idForm = /^([A-Za-z0-9_-]{43})\.(0|[1-9]\d{0,8})$/;
const keyHashLength = 43;
export const actionStreamPrefix = 'action-';

export interface ActionName {
  readonly keyHash: string;
  readonly epoch: number;
}

export function actionIdOf(keyHash: string, epoch: number): string {
  return `${keyHash}.${epoch}`;
}

/** For ids from outside. Undefined: not an action id. */
export function parseActionId(actionId: string): ActionName | undefined {
  const [, keyHash, epoch] = idForm.exec(actionId) ?? [];
  return keyHash === undefined ? undefined : { keyHash, epoch: Number(epoch) };
}

/** @throws TypeError if it is not an action id. */
export function keyHashOf(actionId: string): string {
  if (!idForm.test(actionId)) throw notAnId(actionId);
  return actionId.slice(0, keyHashLength);
}

/** @throws TypeError if it is not an action id. */
export function epochOf(actionId: string): number {
  if (!idForm.test(actionId)) throw notAnId(actionId);
  return Number(actionId.slice(keyHashLength + 1));
}

export function streamOfAction(actionId: string): string {
  return `${actionStreamPrefix}${actionId}`;
}

/** The action's id; undefined: the stream is not an action's. */
export function actionOfStream(stream: string): string | undefined {
  if (!stream.startsWith(actionStreamPrefix)) return undefined;
  const actionId = stream.slice(actionStreamPrefix.length);
  return idForm.test(actionId) ? actionId : undefined;
}

/** What the provider sees, the same for every attempt: 43 base64url characters. */
export function downstreamKeyOf(sha256: Sha256, actionId: string): string {
  return sha256(canonicalJson(['downstream', actionId]));
}

function notAnId(actionId: string): TypeError {
  return new TypeError(`Not an action id: ${JSON.stringify(actionId)}`);
}
