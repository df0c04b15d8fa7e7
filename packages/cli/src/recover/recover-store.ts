// The store that services share, as `recover --store` opens it: for listing and for confirming alike. Services may
// run on it: they are recovering as well, and open it anew once it is confirmed.
import { type EventStore } from '@action-ledger/event-store';
import { openStore, readStoreSettings } from '@action-ledger/process';
import { type Io } from '../io.ts';

/** @throws SetupFault where no store is named, StoreFault where it does not answer */
export async function withStore<Result>(
  { env, runtime }: Io,
  address: string | true,
  use: (store: EventStore, name: string) => Promise<Result>,
): Promise<Result> {
  const named = address === true ? env : { ...env, ACTION_LEDGER_EVENTSTOREDB_URL: address };
  const settings = readStoreSettings(named);
  const store = await openStore(settings, runtime);
  try {
    return await use(store, withoutUser(settings.eventstoredbUrl));
  } finally {
    await store.close();
  }
}

/** A connection string may hold a password. */
function withoutUser(connectionString: string): string {
  return connectionString.replace(/^([\w+]+:\/\/)[^@/?#]*@/, '$1');
}
