// Secret arguments stay in this process: the ledger gets a keyed digest in the place of each, by which it
// knows a repeat. The whole is held for as long as the action may still be sent or looked up.
import { createHmac } from 'node:crypto';
import {
  identify,
  type JsonObject,
  type JsonValue,
  readField,
  type Sha256,
} from '@action-ledger/domain';
import { type Tool } from '@action-ledger/tools';

/** What stands in the place of secrets. @param key the same in all processes that call the tool */
export function withoutSecrets(
  sha256: Sha256,
  key: string,
  { declaration }: Tool,
  args: JsonObject,
): JsonObject {
  const digest = (field: string, text: string): string =>
    createHmac('sha256', key).update(field).update('\0').update(text).digest('hex');
  const named = identify(sha256, declaration, { tenant: '', origin: {}, key: 'any', args }, digest);
  if (named.kind === 'refusal') throw new Error(named.message);
  return declaration.secret.reduce<JsonObject>((shown, path) => {
    const mark = readField(shown, path) as { readonly secretDigest?: string } | undefined;
    const text = mark?.secretDigest;
    return text === undefined ? shown : replaced(shown, path.split('.'), text);
  }, named.arguments);
}

/** @param recorded with what stands in their place */
export function withSecrets(
  paths: readonly string[],
  recorded: JsonObject,
  held: JsonObject,
): JsonObject {
  return paths.reduce((whole, path) => {
    const secret = readField(held, path);
    return secret === undefined ? whole : replaced(whole, path.split('.'), secret);
  }, recorded);
}

function replaced(
  args: JsonObject,
  [name = '', ...below]: readonly string[],
  by: JsonValue,
): JsonObject {
  const member: JsonValue = below.length === 0 ? by : replaced(args[name] as JsonObject, below, by);
  return { ...args, [name]: member };
}

/** As many as the ledger can be told of; the oldest are lost first. */
const heldMax = 1_000;

export interface HeldSecrets {
  hold(actionId: string, args: JsonObject): void;
  get(actionId: string): JsonObject | undefined;
  forget(actionId: string): void;
  ids(): readonly string[];
}

/**
 * @param onHeld there is one more action that may be asked for
 * @param onLost there were too many: nobody can go on with this one any more
 */
export function createHeldSecrets(
  onHeld: () => void,
  onLost: (actionId: string) => void,
): HeldSecrets {
  const held = new Map<string, JsonObject>();
  return {
    hold: (actionId, args) => {
      // Whatever joins it has the same secrets.
      const first = held.get(actionId) ?? args;
      held.delete(actionId);
      held.set(actionId, first);
      const [oldest] = held.keys();
      if (held.size > heldMax && oldest !== undefined) {
        held.delete(oldest);
        onLost(oldest);
      }
      onHeld();
    },
    get: (actionId) => held.get(actionId),
    forget: (actionId) => {
      held.delete(actionId);
    },
    ids: () => [...held.keys()],
  };
}
