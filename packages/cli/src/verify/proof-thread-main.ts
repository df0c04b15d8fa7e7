// The thread that proves chains and index: it opens the file by itself, beside the thread that folds
// and beside a ledger that may be running.
import { parentPort, workerData } from 'node:worker_threads';
import { proveStore } from '@action-ledger/application';
import { openSqliteEventStore } from '@action-ledger/event-store-sqlite';
import { createSystemRuntime } from '@action-ledger/runtime';
import { storeWaitMs } from '../ledger-file/read-ledger.ts';
import { sha256 } from '../sha256.ts';
import { type ProofThreadData } from './proof-thread.ts';

const { path, through } = workerData as ProofThreadData;
const store = await openSqliteEventStore({
  path,
  runtime: createSystemRuntime(),
  readOnly: true,
  busyWaitMs: storeWaitMs,
});
try {
  parentPort?.postMessage(await proveStore(store, { sha256, through }));
} finally {
  await store.close();
}
