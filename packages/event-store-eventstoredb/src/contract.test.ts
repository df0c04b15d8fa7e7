import { randomUUID } from 'node:crypto';
import { describe, it } from '@jest/globals';
import { openEventStoreDbDouble } from '@action-ledger/eventstoredb-double';
import { createSystemRuntime } from '@action-ledger/runtime';
import { eventStoreContract, type OpenedEventStore } from '@action-ledger/testkit';
import { openEventStoreDbEventStore } from './index.ts';

const runtime = createSystemRuntime();
/** Nothing here is lost: a slow machine must not be taken for a dead server. */
const deadlineMs = 60_000;

eventStoreContract('EventStoreDB, on a protocol double of the server', async () => {
  const double = await openEventStoreDbDouble({ runtime });
  await double.write('$stats-127.0.0.1:2113', { id: randomUUID(), type: '$statsCollected' });
  await double.write('elsewhere.action-a', { id: randomUUID(), type: 'OrderPlaced' });
  const opened = await openLedger({ connectionString: double.connectionString, prefix: 'ledger.' });
  return { ...opened, dispose: () => double.close() };
});

const real = process.env['EVENTSTOREDB_URL'];
if (real === undefined) {
  describe('event store contract: EventStoreDB, on a real server', () => {
    // Nothing starts a container by itself: an engine may be there for other things.
    it.skip('set EVENTSTOREDB_URL (a server, or a container of eventstore/eventstore with --insecure --mem-db)', () =>
      undefined);
  });
} else {
  let opened = 0;
  eventStoreContract('EventStoreDB, on the server of EVENTSTOREDB_URL', () => {
    opened += 1;
    const run = runtime.ids.next().replaceAll('-', '_');
    return openLedger({ connectionString: real, prefix: `test_${run}_${opened}.` });
  });
}

async function openLedger(on: {
  readonly connectionString: string;
  readonly prefix: string;
}): Promise<OpenedEventStore> {
  const options = { ...on, runtime, deadlineMs };
  const store = await openEventStoreDbEventStore(options);
  return {
    store,
    hasGaps: true,
    reopen: async () => {
      await store.close();
      return openEventStoreDbEventStore(options);
    },
  };
}
