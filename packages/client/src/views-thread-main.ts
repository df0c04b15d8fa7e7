// The thread that follows the ledger's file into its views, so that the thread that answers calls
// pays nothing for it. It opens both files by itself, does what each message asks, and answers each.
import { parentPort, workerData } from 'node:worker_threads';
import { type Action } from '@action-ledger/domain';
import { openSqliteEventStore } from '@action-ledger/event-store-sqlite';
import { followViews, type MatchKey } from '@action-ledger/read-models';
import { createSystemRuntime } from '@action-ledger/runtime';
import { type FromThread, type ToThread, type ViewsThreadData } from './views-thread.ts';
import { noMatchRules, toolsForMatching } from './match-rules.ts';

const { storePath, viewsPath, matchRules } = workerData as ViewsThreadData;
const answer = (message: FromThread): void => {
  parentPort?.postMessage(message);
};

const store = await openSqliteEventStore({
  path: storePath,
  runtime: createSystemRuntime(),
  readOnly: true,
});
const follower = followViews({ path: viewsPath, store, matchesOf: await matching(matchRules) });

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

/** Most ledgers have nothing to match: then the thread starts without all that it is decided by. */
async function matching(rules: string): Promise<(action: Action) => readonly MatchKey[]> {
  if (rules === noMatchRules) return () => [];
  const { matchesOf } = await import('@action-ledger/application');
  const toolOf = toolsForMatching(rules);
  return (action) => matchesOf(action, toolOf(action.tool));
}
