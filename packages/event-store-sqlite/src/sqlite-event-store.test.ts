import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSystemRuntime } from '@action-ledger/runtime';
import { eventStoreContract } from '@action-ledger/testkit';
import { openSqliteEventStore } from './index.ts';

const runtime = createSystemRuntime();

eventStoreContract('sqlite, in memory', async () => ({
  store: await openSqliteEventStore({ path: ':memory:', runtime }),
}));

eventStoreContract('sqlite, in a file', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'event-store-'));
  const path = join(folder, 'ledger.db');
  const store = await openSqliteEventStore({ path, runtime });
  return {
    store,
    reopen: async () => {
      await store.close();
      return openSqliteEventStore({ path, runtime });
    },
    dispose: async () => {
      rmSync(folder, { recursive: true });
    },
  };
});
