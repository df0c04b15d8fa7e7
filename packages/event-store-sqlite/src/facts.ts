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
  /** @param found positions that were found lost while the file was open, beside those kept */
  keepRecovery(condition: StoreCondition, found?: PositionRange): void;
  confirmRecovered(missing: readonly PositionRange[]): void;
}

type Kept = Extract<StoreCondition, { kind: 'recovering' }> & {
  readonly lost?: readonly PositionRange[];
};

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
  const lostKept = (): readonly PositionRange[] =>
    (JSON.parse(value('recovery') ?? '{}') as Partial<Kept>).lost ?? [];
  return {
    confirmedMissing,
    recovery: () => {
      const text = value('recovery');
      if (text === undefined) return undefined;
      const { lost = [], ...condition } = JSON.parse(text) as Kept;
      return lost.length === 0 ? condition : { ...condition, lost };
    },
    keepRecovery: (condition, found) => {
      const lost = lostKept().filter((each) => String(each) !== String(found));
      const all = found === undefined ? lost : [...lost, found].slice(-confirmedRangesMax);
      write.run('recovery', JSON.stringify({ ...condition, lost: all }));
    },
    confirmRecovered: (missing) => {
      db.exec('begin immediate');
      try {
        const lost = lostKept();
        remove.run('recovery');
        const all = [...confirmedMissing(), ...missing, ...lost].slice(-confirmedRangesMax);
        write.run('confirmed-missing', JSON.stringify(all));
        db.exec('commit');
      } catch (error) {
        if (db.isTransaction) db.exec('rollback');
        throw error;
      }
    },
  };
}
