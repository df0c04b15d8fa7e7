export { openSqliteEventStore } from './sqlite-event-store.ts';
export { type SqliteEventStore, type SqliteEventStoreOptions } from './sqlite-store-types.ts';
export { type Backup, type BackupOptions } from './backup.ts';
export { type Restored, restoreBackup, type RestoreOptions } from './restore.ts';
export { type IndexCheck } from '@action-ledger/event-store';
export { readOwner, type FileOwner } from './file-lock.ts';
export { type Counters } from './group-writer.ts';
export { type DamagedRow } from './inspect.ts';
export {
  askOwner,
  serveOwnerSocket,
  type AskOptions,
  type OwnerHandler,
  type OwnerSocket,
} from './owner-socket.ts';
