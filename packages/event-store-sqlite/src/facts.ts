// The few facts a file keeps about itself, beside its events: that it must be recovered, and up to
// where an operator has confirmed that positions are missing.
import { type DatabaseSync } from 'node:sqlite';
import { type StoreCondition } from '@action-ledger/event-store';

export interface Facts {
  confirmedThrough(): number;
  /** Kept until an operator confirms, however often the file is opened. */
  recovery(): Extract<StoreCondition, { kind: 'recovering' }> | undefined;
  keepRecovery(condition: StoreCondition): void;
  confirmRecovered(head: number): void;
}

export function createFacts(db: DatabaseSync): Facts {
  const read = db.prepare('select value from facts where name = ?');
  const write = db.prepare(
    'insert into facts (name, value) values (?, ?) on conflict (name) do update set value = excluded.value',
  );
  const remove = db.prepare('delete from facts where name = ?');
  const value = (name: string): string | undefined =>
    (read.get(name) as { readonly value: string } | undefined)?.value;
  return {
    confirmedThrough: () => Number(value('confirmed-through') ?? 0),
    recovery: () => {
      const text = value('recovery');
      return text === undefined
        ? undefined
        : (JSON.parse(text) as Extract<StoreCondition, { kind: 'recovering' }>);
    },
    keepRecovery: (condition) => {
      write.run('recovery', JSON.stringify(condition));
    },
    confirmRecovered: (head) => {
      db.exec('begin immediate');
      try {
        remove.run('recovery');
        write.run('confirmed-through', String(head));
        db.exec('commit');
      } catch (error) {
        if (db.isTransaction) db.exec('rollback');
        throw error;
      }
    },
  };
}
