// The thread that follows the ledger's file into its views, so that the thread that answers calls
// pays nothing for it. It opens both files by itself, does what each message asks, and answers each.
import { parentPort, workerData } from 'node:worker_threads';
import { matchesOf } from '@action-ledger/application';
import { openSqliteEventStore } from '@action-ledger/event-store-sqlite';
import { followViews } from '@action-ledger/read-models';
import { createSystemRuntime } from '@action-ledger/runtime';
import { type FromThread, type ToThread, type ViewsThreadData } from './views-thread.ts';
import { toolsForMatching } from './match-rules.ts';

const { storePath, viewsPath, matchRules } = workerData as ViewsThreadData;
const answer = (message: FromThread): void => {
  parentPort?.postMessage(message);
};

const store = await openSqliteEventStore({
  path: storePath,
  runtime: createSystemRuntime(),
  readOnly: true,
});
const toolOf = toolsForMatching(matchRules);
const follower = followViews({
  path: viewsPath,
  store,
  matchesOf: (action) => matchesOf(action, toolOf(action.tool)),
});

parentPort?.on('message', (message: ToThread) => {
  switch (message.kind) {
    case 'advance':
      follower.advance(message.sides).then(
        (position) => {
          answer({ kind: 'reached', position });
        },
        (fault: unknown) => {
          answer({ kind: 'fault', message: String(fault) });
        },
      );
      return;
    case 'close':
      void Promise.all([follower.close(), store.close()]).finally(() => {
        parentPort?.close();
      });
  }
});
