import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type LocalConsumer } from '@action-ledger/event-log';
import { createMemoryEventStore, type EventStore } from '@action-ledger/event-store';
import { openSqliteEventStore } from '@action-ledger/event-store-sqlite';
import { createSystemRuntime } from '@action-ledger/runtime';
import { eventLogContract, type OpenedEventLog } from '@action-ledger/testkit';
import { openEmbeddedEventLog } from './index.ts';

const runtime = createSystemRuntime();

eventLogContract('embedded, over a store in memory', () =>
  open(async () => createMemoryEventStore()),
);

eventLogContract('embedded, over a SQLite file', () =>
  open((folder) => openSqliteEventStore({ path: join(folder, 'ledger.db'), runtime })),
);

async function open(openStore: (folder: string) => Promise<EventStore>): Promise<OpenedEventLog> {
  const folder = mkdtempSync(join(tmpdir(), 'event-log-'));
  const store = await openStore(folder);
  const path = join(folder, 'ledger.db.log');
  const log = await openEmbeddedEventLog({ store, path, runtime });
  const revisions = new Map<string, number>();
  let minted = 0;
  return {
    log,
    feed: async (streams) => {
      // Callers that do not wait for each other share a commit; the order is that of the calls.
      await Promise.all(
        streams.map((stream) => {
          const last = revisions.get(stream) ?? -1;
          revisions.set(stream, last + 1);
          minted += 1;
          return store.append(stream, last === -1 ? 'no stream' : last, [
            { id: `e${minted}`, type: 'T', data: `{"n":${minted}}`, metadata: '{"at":1}' },
          ]);
        }),
      );
    },
    kill: async (consumer) => {
      (consumer as LocalConsumer).kill();
    },
    // Positions are shared by all partitions, so offsets jump by themselves.
    leaveGap: async () => undefined,
    reopen: async () => {
      await log.close();
      return openEmbeddedEventLog({ store, path, runtime });
    },
    dispose: async () => {
      await store.close();
      rmSync(folder, { recursive: true });
    },
  };
}
