// What the adapter itself keeps on the server: events in streams beside those of the ledger, of which one
// that is written twice counts once.
import { ANY, jsonEvent, type JSONType } from '@eventstore/db-client';
import { type Connection } from './connection.ts';
import { ambiguousFault } from './faults.ts';

const triesMax = 3;

export interface EventBeside {
  readonly stream: string;
  readonly type: string;
  readonly data: JSONType;
}

/**
 * @param onId the id that it will have, before it is sent
 * @throws StoreFault `store.unavailable`, unsafe
 */
export async function appendBeside(
  connection: Connection,
  what: string,
  { stream, type, data }: EventBeside,
  onId?: (id: string) => void,
): Promise<void> {
  const event = jsonEvent({ type, data });
  onId?.(event.id);
  await tried(connection, what, (client, options) =>
    client.appendToStream(stream, event, { ...options, expectedRevision: ANY }),
  );
}

type Client = ReturnType<Connection['client']>;

/** A call of which doing it twice does no harm. @throws StoreFault `store.unavailable`, unsafe */
export async function tried(
  connection: Connection,
  what: string,
  call: (
    client: Client,
    options: { readonly credentials: Connection['credentials']; readonly deadline: number },
  ) => Promise<unknown>,
): Promise<void> {
  const { credentials, callMs: deadline } = connection;
  let failure: unknown;
  for (let tries = 0; tries < triesMax; tries += 1) {
    const client = connection.client();
    try {
      await connection.within(call(client, { credentials, deadline }));
      return;
    } catch (error) {
      failure = error;
    }
  }
  throw ambiguousFault(what, failure);
}
