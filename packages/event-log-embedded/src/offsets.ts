// The offsets of all groups: decided in memory, written to the file at a bounded pace. What a crash
// takes of them brings records again.
import { type OffsetStore, type TopicPartition } from '@action-ledger/event-log';
import { type Runtime, type Timer } from '@action-ledger/runtime';
import { type LogFile, logFileFault, type Seen, seenText } from './log-file.ts';

export interface Offsets extends OffsetStore {
  /** Writes what is left. The file is its owner's to close, afterwards. */
  close(): void;
}

export interface OffsetsParts {
  readonly file: LogFile;
  readonly runtime: Pick<Runtime, 'timers'>;
  readonly tellFault: (where: string, fault: unknown) => void;
  /** The last event known, by which a store that went back in time is found out. */
  readonly seen: () => Seen | undefined;
}

/** At most so much of the work comes again after a crash. */
const writeAfterMs = 250;

interface Kept {
  readonly group: string;
  readonly place: TopicPartition;
  next: number;
}

export function createOffsets({ file, runtime, tellFault, seen }: OffsetsParts): Offsets {
  const rows = createRows(file);
  const kept = new Map(rows.read().map((each) => [keyOf(each.group, each.place), each]));
  let changed = new Set<Kept>();
  let timer: Timer | undefined;

  const writeChanged = (): void => {
    timer?.cancel();
    timer = undefined;
    if (changed.size === 0) return;
    rows.write(changed, seen());
    changed = new Set();
  };
  const writeOrTell = (): void => {
    try {
      writeChanged();
    } catch (error) {
      tellFault('writing offsets', error);
      writeLater();
    }
  };
  const writeLater = (): void => {
    timer ??= runtime.timers.after(writeAfterMs, writeOrTell);
  };

  return {
    get: (group, place) => kept.get(keyOf(group, place))?.next,
    set: (group, place, next) => {
      const key = keyOf(group, place);
      const known = kept.get(key) ?? { group, place, next };
      known.next = next;
      kept.set(key, known);
      changed.add(known);
      writeLater();
    },
    flush: async () => {
      writeChanged();
    },
    close: () => {
      writeOrTell();
      timer?.cancel();
    },
  };
}

interface Rows {
  readonly read: () => readonly Kept[];
  readonly write: (changed: Iterable<Kept>, seen: Seen | undefined) => void;
}

function createRows({ db }: LogFile): Rows {
  const select = db.prepare('select group_name, topic, partition, next from offsets');
  const upsert = db.prepare(`
    insert into offsets values (?, ?, ?, ?)
    on conflict (group_name, topic, partition) do update set next = excluded.next`);
  const upsertSeen = db.prepare(`insert or replace into facts values ('seen', ?)`);
  return {
    read: () =>
      (select.all() as unknown as readonly OffsetRow[]).map(
        ({ group_name: group, topic, partition, next }) => ({
          group,
          place: { topic, partition },
          next,
        }),
      ),
    write: (changed, seen) => {
      try {
        db.exec('begin immediate');
        for (const { group, place, next } of changed) {
          upsert.run(group, place.topic, place.partition, next);
        }
        if (seen !== undefined) upsertSeen.run(seenText(seen));
        db.exec('commit');
      } catch (error) {
        if (db.isTransaction) db.exec('rollback');
        throw logFileFault('The file of the log', error);
      }
    },
  };
}

interface OffsetRow {
  readonly group_name: string;
  readonly topic: string;
  readonly partition: number;
  readonly next: number;
}

function keyOf(group: string, { topic, partition }: TopicPartition): string {
  return `${group}/${topic}/${partition}`;
}
