// The client of the server, as the calls of the adapter need it: with credentials on every append, a
// limit of our own around every call.
import { EventStoreDBClient } from '@eventstore/db-client';
import { type Runtime } from '@action-ledger/runtime';

export interface Credentials {
  readonly username: string;
  readonly password: string;
}

export interface Connection {
  /** Nobody waits longer for an answer. */
  readonly deadlineMs: number;
  /** Of a call that writes, as the client and the server are told: see `tearMs`. */
  readonly callMs: number;
  readonly credentials: Credentials;
  client(): EventStoreDBClient;
  /** Rejects after the deadline, whatever the client does. */
  within<Result>(call: Promise<Result>): Promise<Result>;
  close(): Promise<void>;
}

/** Without credentials the client makes another call, that knows no deadline. A server without access rules takes any. */
const anyCredentials: Credentials = { username: 'ledger', password: 'ledger' };

/**
 * A call that the client gives up ends like one that is complete: where its deadline meets an append that
 * is still being written, a server can take the events that have arrived for all of them. So whoever waits
 * gives up first, and the call lives on for as long as nothing takes to be written.
 */
const tearMs = 60_000;

export function connect(
  connectionString: string,
  deadlineMs: number,
  { timers }: Pick<Runtime, 'timers'>,
): Connection {
  const client = EventStoreDBClient.connectionString(connectionString);
  return {
    deadlineMs,
    callMs: deadlineMs + tearMs,
    credentials: credentialsIn(connectionString) ?? anyCredentials,
    client: () => client,
    within: (call) =>
      new Promise((resolve, reject) => {
        const limit = timers.after(
          deadlineMs,
          () => {
            reject(new Error(`No answer within ${deadlineMs} ms.`));
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
