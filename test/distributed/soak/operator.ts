// The person on duty: a tool that the ledger has paused by itself, since many calls came into doubt at once as an
// executor was killed, is resumed as soon as that is seen.
import { hash } from 'node:crypto';
import { amongProcesses, openLedger } from '@action-ledger/application';
import { type EventStore } from '@action-ledger/event-store';
import { createMemoryActionIndex } from '@action-ledger/read-models';
import { type Runtime } from '@action-ledger/runtime';
import { createToolSet } from '@action-ledger/tools';
import { pause } from './pause.ts';

export interface Operator {
  readonly close: () => Promise<void>;
}

const everyMs = 2_000;

/** @param onResumed told of each pause that has ended by it */
export async function openOperator(
  store: EventStore,
  runtime: Runtime,
  onResumed: () => void,
): Promise<Operator> {
  const sha256 = (text: string): string => hash('sha256', text, 'base64url');
  const ledger = await openLedger({
    ...{ store, runtime, sha256, tools: createToolSet([]), digestSecret: sha256 },
    ...{ index: createMemoryActionIndex(), crew: amongProcesses, duties: [], sweepMs: everyMs },
  });
  let isClosed = false;
  const resumeAll = async (): Promise<void> => {
    for (const { revision, tenant, tool } of ledger.pauses()) {
      const scope = {
        ...(tenant === undefined ? {} : { tenant }),
        ...(tool === undefined ? {} : { tool }),
      };
      const said = { by: 'operator', reason: 'an executor was killed', revisionSeen: revision };
      const ended = await ledger.resume({ ...scope, ...said });
      if (!('kind' in ended)) onResumed();
    }
  };
  const goOn = async (): Promise<void> => {
    while (!isClosed) {
      // The store may be away: then it is tried again.
      await resumeAll().catch(() => undefined);
      await pause(runtime, everyMs);
    }
  };
  const going = goOn();
  return {
    close: async () => {
      isClosed = true;
      await going;
      await ledger.close();
    },
  };
}
