// Forces rebalances: joins the executors' group again and again, takes partitions, does nothing and leaves.
import { actionTopics, type EventLog } from '@action-ledger/event-log';
import { type Runtime } from '@action-ledger/runtime';
import { pause } from './pause.ts';

export interface Stranger {
  readonly stop: () => Promise<void>;
}

const everyMs = 10_000;
const staysMs = 1_500;

/** Two rebalances each time. */
export function startStranger(
  log: EventLog,
  runtime: Runtime,
  count: (what: string) => void,
): Stranger {
  let isStopped = false;
  const visit = async (): Promise<void> => {
    // Closing waits for what is in a handler's hands: it lets go of it first.
    const leaving = new AbortController();
    const consumer = await log.consume({
      group: 'executor',
      topics: [actionTopics.events],
      from: 'now',
      handler: (_records, { signal }) => untilAborted(AbortSignal.any([signal, leaving.signal])),
    });
    await pause(runtime, staysMs);
    leaving.abort();
    await consumer.close();
    count('a stranger joined and left a group');
  };
  const goOn = async (): Promise<void> => {
    while (!isStopped) {
      await pause(runtime, everyMs - staysMs);
      await visit().catch(() => undefined);
    }
  };
  const going = goOn();
  return {
    stop: async () => {
      isStopped = true;
      await going;
    },
  };
}

function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const leave = (): void => {
      reject(new Error('It leaves.'));
    };
    if (signal.aborted) leave();
    else signal.addEventListener('abort', leave);
  });
}
