import { randomUUID } from 'node:crypto';
import { credentials } from '@grpc/grpc-js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import grpc from '@eventstore/db-client/generated/streams_grpc_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import { BACKWARDS, END, EventStoreDBClient, jsonEvent, NO_STREAM } from '@eventstore/db-client';
import { describe, expect, it } from '@jest/globals';
import { createSystemRuntime } from '@action-ledger/runtime';
import { type EventStoreDbDouble, openEventStoreDbDouble } from './index.ts';

const runtime = createSystemRuntime();
const login = { username: 'ledger', password: 'ledger' };

describe('the double, to the client', () => {
  it(
    'takes an append whole or not at all: one that was given up on its way is none',
    withDouble(async (double) => {
      const client = new grpc.StreamsClient(
        `127.0.0.1:${double.port}`,
        credentials.createInsecure(),
      );
      const given = new Promise<unknown>((resolve) => {
        const call = client.append(resolve);
        call.write(new streams.AppendReq().setOptions(header('action-a')), () => {
          call.write(new streams.AppendReq().setProposedMessage(message()), () => {
            call.cancel();
          });
        });
      });
      expect(await given).toMatchObject({ code: 1 });
      await double.write('action-b', { id: randomUUID(), type: 'Sign' });
      const all = await collect(
        connect(double).readAll({ direction: BACKWARDS, fromPosition: END }),
      );
      expect(all).toEqual(['action-b 0']);
      client.close();
    }),
  );

  it(
    'refuses appends without credentials, as a call that no deadline would end',
    withDouble(async (double) => {
      const client = connect(double);
      const event = jsonEvent({ type: 'ActionPlanned', data: {} });
      await expect(client.appendToStream('action-a', event)).rejects.toThrow();
      await client.appendToStream('action-a', event, {
        credentials: login,
        expectedRevision: NO_STREAM,
      });
      expect(double.counts().appends).toBe(1);
      await client.dispose();
    }),
  );

  it(
    'reads a stream and the log in both directions, from any place',
    withDouble(async (double) => {
      const client = connect(double);
      const events = [1, 2, 3, 4].map(() => jsonEvent({ type: 'ActionPlanned', data: {} }));
      const { position } = await client.appendToStream('action-a', events.slice(0, 2), {
        credentials: login,
        expectedRevision: NO_STREAM,
      });
      await client.appendToStream('action-a', events.slice(2), {
        credentials: login,
        expectedRevision: 1n,
      });
      const from = { fromRevision: 2n };
      const backwards = { direction: BACKWARDS } as const;
      expect(await collect(client.readStream('action-a', from))).toEqual(named([2, 3]));
      expect(await collect(client.readStream('action-a', { ...from, ...backwards }))).toEqual(
        named([2, 1, 0]),
      );
      if (position === undefined) throw new Error('An append tells its place.');
      // Forwards the place is in it, backwards it is not.
      expect(await collect(client.readAll({ fromPosition: position }))).toEqual(named([1, 2, 3]));
      expect(await collect(client.readAll({ fromPosition: position, ...backwards }))).toEqual(
        named([0]),
      );
      await client.dispose();
    }),
  );
});

function withDouble(test: (double: EventStoreDbDouble) => Promise<void>): () => Promise<void> {
  return async () => {
    const double = await openEventStoreDbDouble({ runtime });
    await test(double).finally(() => double.close());
  };
}

function connect(double: EventStoreDbDouble): EventStoreDBClient {
  return EventStoreDBClient.connectionString(double.connectionString);
}

type Read =
  ReturnType<EventStoreDBClient['readAll']> | ReturnType<EventStoreDBClient['readStream']>;

async function collect(read: Read): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const { event } of read)
    if (event !== undefined) found.push(`${event.streamId} ${event.revision}`);
  return found;
}

function named(revisions: readonly number[]): readonly string[] {
  return revisions.map((revision) => `action-a ${revision}`);
}

function header(stream: string) {
  const identifier = new shared.StreamIdentifier().setStreamName(Buffer.from(stream));
  return new streams.AppendReq.Options()
    .setStreamIdentifier(identifier)
    .setNoStream(new shared.Empty());
}

function message() {
  const event = new streams.AppendReq.ProposedMessage().setId(
    new shared.UUID().setString(randomUUID()),
  );
  event.getMetadataMap().set('type', 'ActionPlanned').set('content-type', 'application/json');
  return event.setData(Buffer.from('{}'));
}
