// Every epoch of an identity, in order. Streams of epochs follow one another without gaps, so the
// first missing one ends the chain; the number known is kept, and a create at `no stream` decides.
import { type Action, actionIdOf } from '@action-ledger/domain';
import { type ActionStore, type Broken } from '../record/action-store.ts';
import { createRecentMap } from '../record/recent-map.ts';

export type Epochs = { readonly kind: 'epochs'; readonly actions: readonly Action[] } | Broken;

export interface EpochChains {
  load(keyHash: string, options?: { readonly fresh?: boolean }): Promise<Epochs>;
  /** The whole chain as last seen here, without reading; undefined where not all of it is kept. */
  held(keyHash: string): Epochs | undefined;
  /** An epoch was created: `count` epochs exist now. */
  grew(keyHash: string, count: number): void;
  /** An epoch was read: so many exist at least, where any are known of. */
  found(keyHash: string, count: number): void;
  /**
   * Where nothing is held of an identity, it is worth trying to create its first epoch without
   * reading first: `no stream` finds out. Not while such tries have lately met existing streams.
   */
  mayTryFirst(): boolean;
  /** A try without reading met an existing stream. */
  wasKnown(): void;
}

const knownCountsMax = 50_000;
/** So many identities of which nothing is held are read first after one that turned out to exist. */
const readsAfterMiss = 256;
/** A bound that no honest identity reaches. */
export const epochsMax = 100_000;

/** @param isShared others append too: what was known here may be behind */
export function createEpochChains(actions: ActionStore, isShared: () => boolean): EpochChains {
  const counts = createRecentMap<number>({ entriesMax: knownCountsMax });
  let readFirst = 0;
  return {
    held: (keyHash) => {
      const first = isShared() ? undefined : actions.peek(actionIdOf(keyHash, 0));
      const count = first === undefined ? undefined : counts.get(keyHash);
      if (first === undefined || count === undefined) return undefined;
      const chain = [first];
      for (let epoch = 1; epoch < count; epoch += 1) {
        const action = actions.peek(actionIdOf(keyHash, epoch));
        if (action === undefined) return undefined;
        chain.push(action);
      }
      return { kind: 'epochs', actions: chain };
    },
    mayTryFirst: () => {
      if (readFirst > 0) readFirst -= 1;
      return readFirst === 0;
    },
    wasKnown: () => {
      readFirst = readsAfterMiss;
    },
    found: (keyHash, count) => {
      const known = counts.get(keyHash);
      if (known !== undefined && known < count) counts.set(keyHash, count);
    },
    grew: (keyHash, count) => {
      if ((counts.get(keyHash) ?? 0) < count) counts.set(keyHash, count);
    },
    load: async (keyHash, options) => {
      const known = options?.fresh === true || isShared() ? undefined : counts.get(keyHash);
      const chain: Action[] = [];
      for (let epoch = 0; epoch < (known ?? epochsMax); epoch += 1) {
        const loaded = await actions.load(actionIdOf(keyHash, epoch));
        if (loaded.kind === 'broken') return loaded;
        if (loaded.action.status === 'new') break;
        chain.push(loaded.action);
      }
      // Another may have been opened since this was read.
      const count = Math.max(chain.length, counts.get(keyHash) ?? 0);
      if (count > 0) counts.set(keyHash, count);
      return { kind: 'epochs', actions: chain };
    },
  };
}
