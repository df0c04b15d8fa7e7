// The few facts a file keeps about itself, beside its events: that it must be recovered, and which
// missing positions an operator has confirmed.
import { type DatabaseSync } from 'node:sqlite';
import { type StoreCondition } from '@action-ledger/event-store';

/** The first and the last position. */
export type PositionRange = readonly [number, number];

/** Only the newest are looked for at opening. */
const confirmedRangesMax = 1000;

export interface Facts {
  /** Positions that are missing and known to be. */
  confirmedMissing(): readonly PositionRange[];
  /** Kept until an operator confirms, however often the file is opened. */
  recovery(): Extract<StoreCondition, { kind: 'recovering' }> | undefined;
  keepRecovery(condition: StoreCondition): void;
  confirmRecovered(missing: readonly PositionRange[]): void;
}

export function createFacts(db: DatabaseSync): Facts {
  const read = db.prepare('select value from facts where name = ?');
  const write = db.prepare(
    'insert into facts (name, value) values (?, ?) on conflict (name) do update set value = excluded.value',
  );
  const remove = db.prepare('delete from facts where name = ?');
  const value = (name: string): string | undefined =>
    (read.get(name) as { readonly value: string } | undefined)?.value;
  const confirmedMissing = (): readonly PositionRange[] =>
    JSON.parse(value('confirmed-missing') ?? '[]') as readonly PositionRange[];
  return {
    confirmedMissing,
    recovery: () => {
      const text = value('recovery');
      return text === undefined
        ? undefined
        : (JSON.parse(text) as Extract<StoreCondition, { kind: 'recovering' }>);
    },
    keepRecovery: (condition) => {
      write.run('recovery', JSON.stringify(condition));
    },
    confirmRecovered: (missing) => {
      db.exec('begin immediate');
      try {
        remove.run('recovery');
        const all = [...confirmedMissing(), ...missing].slice(-confirmedRangesMax);
        write.run('confirmed-missing', JSON.stringify(all));
        db.exec('commit');
      } catch (error) {
        if (db.isTransaction) db.exec('rollback');
        throw error;
      }
    },
  };
}
