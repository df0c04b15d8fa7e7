// Publishers whose sends fail, over a client that is made up: only the order of what it is asked matters.
import { describe, expect, it } from '@jest/globals';
import { actionTopics } from '@action-ledger/event-log';
import { createSystemRuntime } from '@action-ledger/runtime';
import { type ProducerBatch, type RecordMetadata } from 'kafkajs';
import { type Connect } from './connection.ts';
import { openNamedPublisher } from './named-publisher.ts';
import { namesWith } from './names.ts';
import { createPublisher, type PublisherParts } from './publisher.ts';

const topic = actionTopics.events;
const records = [{ topic, key: 'k', value: new Uint8Array(1) }];

/** A client that does with each send what stands next, and stores it where nothing does. */
function createClient(...endings: readonly (Error | 'nothing told')[]) {
  const left = [...endings];
  const asked: string[] = [];
  let opened = 0;
  const sendBatch = async ({ topicMessages = [] }: ProducerBatch): Promise<RecordMetadata[]> => {
    asked.push(`send ${opened}`);
    const ending = left.shift();
    if (ending instanceof Error) throw ending;
    if (ending === 'nothing told') return [];
    return topicMessages.flatMap(({ topic: topicName, messages }) =>
      messages.map(({ partition = 0 }) => ({ topicName, partition, errorCode: 0 })),
    );
  };
  const note = (what: string) => async (): Promise<void> => {
    asked.push(`${what} ${opened}`);
  };
  const transaction = async () => ({ sendBatch, abort: note('abort'), commit: note('commit') });
  const connect = (() => {
    opened += 1;
    const producer = { connect: note('open'), disconnect: async () => undefined };
    const cut = (): void => void asked.push('cut');
    return { kafka: { producer: () => ({ ...producer, sendBatch, transaction }) }, cut };
  }) as unknown as Connect;
  const parts: PublisherParts = {
    ...{ connect, layout: new Map([[topic, 4]]), names: namesWith('') },
    ...{ runtime: createSystemRuntime(), closeMs: 1_000 },
  };
  return { parts, asked };
}

const unsafe = { code: 'log.unavailable', retry: 'unsafe' };

describe('a publisher', () => {
  it.each([new Error('the line broke'), 'nothing told'] as const)(
    'replaces its producer after a send that failed (%s): the next records are not taken for repeats',
    async (ending) => {
      const { parts, asked } = createClient(ending);
      const publisher = createPublisher(parts);
      await expect(publisher.publish(records)).rejects.toMatchObject(unsafe);
      await publisher.publish(records);
      expect(asked).toEqual(['open 1', 'send 1', 'cut', 'open 2', 'send 2']);
    },
  );
});

describe('a publisher with a name', () => {
  it('gives it up after a send that failed: another may have taken it meanwhile', async () => {
    const { parts, asked } = createClient(new Error('the line broke'));
    const publisher = await openNamedPublisher('projector', parts);
    await expect(publisher.publish(records)).rejects.toMatchObject(unsafe);
    const fenced = { code: 'log.fenced', retry: 'never' };
    await expect(publisher.publish(records)).rejects.toMatchObject(fenced);
    expect(asked).toEqual(['open 1', 'abort 1', 'send 1', 'cut']);
  });

  it('is told so at once where the brokers say that another has it', async () => {
    const error = Object.assign(new Error('fenced'), { type: 'PRODUCER_FENCED' });
    const { parts } = createClient(new Error('retries exceeded', { cause: error }));
    const publisher = await openNamedPublisher('projector', parts);
    await expect(publisher.publish(records)).rejects.toMatchObject({ code: 'log.fenced' });
  });
});
