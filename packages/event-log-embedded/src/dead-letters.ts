// Dead letters, the only records that an embedded log keeps itself: one partition for each topic, and
// the newest 10,000 of each.
import { type LogRecord, type NewRecord, type Page } from '@action-ledger/event-log';
import { type TopicView } from './topic-view.ts';
import { type LogFile, logFileFault } from './log-file.ts';

export interface DeadLetters extends TopicView {
  add(record: NewRecord): Promise<void>;
}

const lettersMax = 10_000;

export function createDeadLetters({ db }: LogFile, onAdded: (topic: string) => void): DeadLetters {
  const insert = db.prepare(`
    insert into dead_letters
    values (?1, ifnull((select max(number) from dead_letters where topic = ?1), 0) + 1, ?2, ?3, ?4, ?5)
    returning number`);
  const trim = db.prepare('delete from dead_letters where topic = ? and number <= ?');
  const select = db.prepare(`
    select number, key, value, headers, timestamp from dead_letters
    where topic = ? and number >= ? order by number limit ?`);
  const last = db.prepare('select max(number) as number from dead_letters where topic = ?');
  const count = db.prepare(
    'select count(*) as number from dead_letters where topic = ? and number >= ?',
  );
  const lastOf = (topic: string): number => numberIn(last.get(topic));

  return {
    add: async ({ topic, key, value, headers = {}, timestamp = 0 }) => {
      try {
        const row = insert.get(topic, key, value ?? null, JSON.stringify(headers), timestamp);
        trim.run(topic, numberIn(row) - lettersMax);
      } catch (error) {
        throw logFileFault('The file of the log', error);
      }
      onAdded(topic);
    },
    read: async ({ topic, partition, from, max }): Promise<Page> => {
      const rows = select.all(topic, from, max) as unknown as readonly LetterRow[];
      const records = rows.map((row) => recordOf(row, topic, partition));
      const end = records.at(-1)?.offset ?? lastOf(topic);
      return { records, next: Math.max(from, end + 1) };
    },
    end: async ({ topic }) => lastOf(topic) + 1,
    waiting: async ({ topic }, from) => numberIn(count.get(topic, from)),
  };
}

interface LetterRow {
  readonly number: number;
  readonly key: string;
  readonly value: Uint8Array | null;
  readonly headers: string;
  readonly timestamp: number;
}

function recordOf(row: LetterRow, topic: string, partition: number): LogRecord {
  return {
    topic,
    partition,
    offset: row.number,
    key: row.key,
    value: row.value ?? undefined,
    headers: JSON.parse(row.headers) as LogRecord['headers'],
    timestamp: row.timestamp,
  };
}

function numberIn(row: unknown): number {
  const { number } = (row ?? {}) as { readonly number?: unknown };
  return typeof number === 'number' ? number : 0;
}
