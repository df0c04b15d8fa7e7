// Suppressed duplicates and refused conflicts, for people who ask what the ledger held back. Bounded,
// beside the streams, written in batches: a repeat costs no durable write.
import { type CallOrigin } from '@action-ledger/domain';

export interface SideEntry {
  readonly at: number;
  readonly tenant: string;
  readonly tool: string;
  readonly action: string;
  readonly kind: 'duplicate' | 'conflict' | 'refused' | 'observed';
  readonly reason: string;
  readonly call?: CallOrigin;
}

export interface SideTable {
  add(entry: SideEntry): void;
  /** Newest first. */
  recent(limit: number): readonly SideEntry[];
  counts(): Readonly<Record<SideEntry['kind'], number>>;
}

export const sideEntriesMax = 10_000;

export function createSideTable(onBatch?: (entries: readonly SideEntry[]) => void): SideTable {
  const entries: SideEntry[] = [];
  const counts = { duplicate: 0, conflict: 0, refused: 0, observed: 0 };
  let pending: SideEntry[] = [];
  return {
    add: (entry) => {
      counts[entry.kind] += 1;
      entries.push(entry);
      if (entries.length > sideEntriesMax * 2) entries.splice(0, sideEntriesMax);
      if (onBatch === undefined) return;
      if (pending.length === 0) {
        setImmediate(() => {
          const batch = pending;
          pending = [];
          onBatch(batch);
        });
      }
      pending.push(entry);
    },
    recent: (limit) => entries.slice(-limit).reverse(),
    counts: () => ({ ...counts }),
  };
}
