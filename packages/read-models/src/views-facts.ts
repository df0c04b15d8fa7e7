// What a views file knows about itself: how far it has followed the store, the last event it has
// seen there (another store, or one that went back in time, does not have it), and by which rules
// undoers find actions in it.
import { type DatabaseSync } from 'node:sqlite';

export interface Reached {
  /** Everything up to here is in the file. */
  readonly position: number;
  /** The last event that could be read; undefined where there was none. */
  readonly seen?: { readonly position: number; readonly id: string };
}

export interface Facts {
  reached(): Reached;
  keepReached(reached: Reached): void;
  matchRules(): unknown;
  keepMatchRules(rules: string): void;
}

export function createFacts(db: DatabaseSync): Facts {
  const read = db.prepare('select value from facts where name = ?');
  const write = db.prepare(
    'insert into facts (name, value) values (?, ?) on conflict (name) do update set value = excluded.value',
  );
  const value = (name: string) => read.get(name)?.['value'];
  const number = (name: string): number => Number(value(name) ?? 0);
  return {
    reached: () => {
      const position = number('position');
      const id = value('seen-id');
      return typeof id === 'string'
        ? { position, seen: { position: number('seen-position'), id } }
        : { position };
    },
    keepReached: ({ position, seen }) => {
      write.run('position', position);
      if (seen === undefined) return;
      write.run('seen-position', seen.position);
      write.run('seen-id', seen.id);
    },
    matchRules: () => value('match-rules'),
    keepMatchRules: (rules) => {
      write.run('match-rules', rules);
    },
  };
}
