// What the SQLite adapter is opened with, and what it offers beyond the port.
import {
  type EventStore,
  type GivenUp,
  type IndexCheck,
  type IndexFault,
  type PositionsAfter,
} from '@action-ledger/event-store';
import { type Runtime } from '@action-ledger/runtime';
import { type AppendLatency } from '@action-ledger/event-store';
import { type Backup, type BackupOptions } from './backup.ts';
import { type IndexCheckRange } from './check-index.ts';
import { type FileOwner } from './file-lock.ts';
import { type Counters } from './group-writer.ts';
import { type DamagedRow } from './inspect.ts';

export interface SqliteEventStoreOptions {
  /** The file; its folder must exist. `:memory:` keeps everything in memory, for tests. */
  readonly path: string;
  readonly runtime: Runtime;
  /** Opens beside a live writer, or alone; appends are refused. */
  readonly readOnly?: boolean;
  /** How long an append or the opening waits for another connection's lock. Default 30,000. */
  readonly busyWaitMs?: number;
  /** Appends that would let the file grow beyond this are refused with `store.disk-full`. */
  readonly fileBytesMax?: number;
  /** Streams that wait in memory to be merged into the index. Default 8,192. */
  readonly pendingStreamsMax?: number;
  /** How often a read-only store looks for new events while it has subscribers. Default 50. */
  readonly pollMs?: number;
}

export interface SqliteEventStore extends EventStore {
  counters(): Counters;
  /** Of appends that were answered, since it was opened. */
  latency(): AppendLatency;
  /** Rows among the newest events that could not be read when the file was opened. */
  damaged(): readonly DamagedRow[];
  /** This process as the holder of the file; undefined read-only and in memory. */
  owner(): FileOwner | undefined;
  /** Compares the index with a scan of the rows: seconds for a million of them. */
  checkIndex(range?: IndexCheckRange): Promise<IndexCheck>;
  /**
   * Streams whose entry in the index was deleted or set back by hand: at opening; read-only, now,
   * which counts the index, and reads every row where the count is wrong.
   */
  lostStreams(): Promise<readonly IndexFault[]>;
  /** Places of events that were given up, as the port says. */
  givenUp(range: PositionsAfter): Promise<readonly GivenUp[]>;
  /** Names of streams that begin so, in their order and at most `max`; their events are not read. */
  streamNames(start: string, max: number): Promise<readonly string[]>;
  /** A copy of the file at this moment, which will open as `recovering`; writing goes on. */
  backup(to: string, options?: BackupOptions): Promise<Backup>;
  /**
   * Makes the file as small as what it holds; it is written anew meanwhile, which needs the room of a
   * second one. Nothing else is written at that time.
   */
  compact(): Promise<void>;
  /** An operator has settled what a store that went back in time has lost: `ready` from now on. */
  confirmRecovered(): Promise<void>;
}
