// The client of the server, as the calls of the adapter need it: with credentials on every append, a
// limit of our own around every call, and another client once one could not find its cluster.
import { EventStoreDBClient } from '@eventstore/db-client';
import { type Runtime } from '@action-ledger/runtime';
import { isOfDiscovery } from './faults.ts';

export interface Credentials {
  readonly username: string;
  readonly password: string;
}

export interface Connection {
  /** Of each call; the server is told. */
  readonly deadlineMs: number;
  readonly credentials: Credentials;
  client(): EventStoreDBClient;
  /** Made from this error a later call must not suffer. */
  failed(client: EventStoreDBClient, error: unknown): void;
  /** Rejects after the deadline and a little more, whatever the client does. */
  within<Result>(call: Promise<Result>): Promise<Result>;
  close(): Promise<void>;
}

/** Without credentials the client makes another call, that knows no deadline. A server without access rules takes any. */
const anyCredentials: Credentials = { username: 'ledger', password: 'ledger' };

/** The client's own deadline comes first, and says more. */
const graceMs = 1_000;

export function connect(
  connectionString: string,
  deadlineMs: number,
  { timers }: Pick<Runtime, 'timers'>,
): Connection {
  const create = (): EventStoreDBClient => EventStoreDBClient.connectionString(connectionString);
  let client = create();
  return {
    deadlineMs,
    credentials: credentialsIn(connectionString) ?? anyCredentials,
    client: () => client,
    failed: (of, error) => {
      if (of !== client || !isOfDiscovery(error)) return;
      void of.dispose();
      client = create();
    },
    within: (call) =>
      new Promise((resolve, reject) => {
        const limit = timers.after(
          deadlineMs + graceMs,
          () => {
            reject(new Error(`No answer within ${deadlineMs + graceMs} ms.`));
          },
          { keepsAlive: true },
        );
        void call.then(resolve, reject).finally(() => {
          limit.cancel();
        });
      }),
    close: () => client.dispose(),
  };
}

function credentialsIn(connectionString: string): Credentials | undefined {
  const found = /^[\w+]+:\/\/([^@:/?#]*):([^@/?#]*)@/.exec(connectionString);
  const [, username, password] = found ?? [];
  if (username === undefined || password === undefined) return undefined;
  return { username: decodeURIComponent(username), password: decodeURIComponent(password) };
}
