// What an idempotent provider remembers of the keys it was sent: for a window from the first request,
// the reply it gave, so that the same key has one effect however often it comes.
import { isDeepStrictEqual } from 'node:util';
import { type JsonObject } from '@action-ledger/domain';
import { type ProviderReply } from './wire.ts';

export type KeyState =
  | { readonly kind: 'new' }
  | { readonly kind: 'in use' }
  | { readonly kind: 'other arguments' }
  | { readonly kind: 'answered'; readonly reply: ProviderReply };

interface Entry {
  readonly arguments: JsonObject;
  readonly forgottenAtMs: number;
  reply: ProviderReply | undefined;
}

export interface KeyMemory {
  /** What the provider knows of the key now. `new` takes it: the caller must answer or release it. */
  take(key: string, args: JsonObject, windowMs: number, nowMs: number): KeyState;
  answer(key: string, reply: ProviderReply): void;
  /** Nothing was done under the key; its next request is the first. */
  release(key: string): void;
}

/** Times are of the provider's monotonic clock. */
export function createKeyMemory(): KeyMemory {
  const entries = new Map<string, Entry>();
  return {
    take(key, args, windowMs, nowMs) {
      const entry = entries.get(key);
      if (entry === undefined || (entry.reply !== undefined && nowMs >= entry.forgottenAtMs)) {
        entries.set(key, { arguments: args, forgottenAtMs: nowMs + windowMs, reply: undefined });
        return { kind: 'new' };
      }
      if (!isDeepStrictEqual(entry.arguments, args)) return { kind: 'other arguments' };
      if (entry.reply === undefined) return { kind: 'in use' };
      return { kind: 'answered', reply: { ...entry.reply, replayed: true } };
    },
    answer(key, reply) {
      const entry = entries.get(key);
      if (entry !== undefined) entry.reply = reply;
    },
    release(key) {
      entries.delete(key);
    },
  };
}
