// Questions about topics and offsets. One client serves all of them; it is replaced as soon as one of
// them fails, since a client that has lost its brokers may not find them again. A question is asked again
// for a while: partitions that are new, or have just changed their leader, are not known at once.
import { type Admin } from 'kafkajs';
import { LogFault, logClosed, pauseAfter, pauseFor } from '@action-ledger/event-log';
import { type Runtime } from '@action-ledger/runtime';
import { type Connect, type Connection } from './connection.ts';
import { unavailable } from './faults.ts';

export interface Administration {
  /** @throws LogFault `log.unavailable`, safe; what the question throws as LogFault */
  readonly ask: <Answer>(what: string, question: Question<Answer>) => Promise<Answer>;
  /** The next question is asked over other connections: those of before are heard no more. */
  readonly renew: () => void;
  readonly close: () => Promise<void>;
}

type Question<Answer> = (admin: Admin) => Promise<Answer>;

export interface AdministrationParts {
  readonly connect: Connect;
  readonly runtime: Pick<Runtime, 'clock' | 'timers'>;
  /** No question is begun again after this. */
  readonly askMs: number;
}

interface Open {
  readonly connection: Connection;
  readonly admin: Promise<Admin>;
}

const pauses = { pauseMinMs: 30, pauseMaxMs: 500 };

export function createAdministration(parts: AdministrationParts): Administration {
  const { connect, runtime, askMs } = parts;
  const closing = new AbortController();
  let current: Open | undefined;
  const open = (): Open => {
    const connection = connect();
    const admin = connection.kafka.admin();
    return { connection, admin: admin.connect().then(() => admin) };
  };
  const drop = (failed: Open): void => {
    if (current === failed) current = undefined;
    failed.connection.cut();
    void failed.admin.then((admin) => admin.disconnect()).catch(() => undefined);
  };
  const askOnce = async <Answer>(question: Question<Answer>): Promise<Answer> => {
    const used = (current ??= open());
    try {
      return await question(await used.admin);
    } catch (error) {
      if (!(error instanceof LogFault)) drop(used);
      throw error;
    }
  };
  return {
    ask: async (what, question) => {
      const giveUpAt = runtime.clock.monoMs() + askMs;
      for (let failures = 1; ; failures += 1) {
        if (closing.signal.aborted) throw logClosed();
        try {
          return await askOnce(question);
        } catch (error) {
          const isLast = error instanceof LogFault || runtime.clock.monoMs() >= giveUpAt;
          if (isLast) throw unavailable(what, error, 'safe');
          await pauseFor(pauseAfter(failures, pauses), runtime, closing.signal);
        }
      }
    },
    renew: () => {
      if (current !== undefined) drop(current);
    },
    close: async () => {
      closing.abort();
      if (current !== undefined) drop(current);
    },
  };
}
