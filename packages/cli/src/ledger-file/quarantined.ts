// Actions that are held because their record was found damaged: each has a stream of its own that says so.
import { quarantineStream } from '@action-ledger/application';
import { type SqliteEventStore } from '@action-ledger/event-store-sqlite';

/** More are counted as so many. */
export const quarantinedMax = 1_000;

/** Their ids. */
export async function quarantined(store: SqliteEventStore): Promise<readonly string[]> {
  const start = quarantineStream('');
  const names = await store.streamNames(start, quarantinedMax);
  return names.map((name) => name.slice(start.length));
}
