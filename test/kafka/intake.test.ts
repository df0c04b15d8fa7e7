// The intake over a real broker: what any Kafka client publishes becomes actions, once each, though another
// intake joins meanwhile; when it came is said by the broker, and what can be no proposal is put aside.
import { hash, randomUUID } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { amongProcesses } from '@action-ledger/application';
import { actionOfStream } from '@action-ledger/domain';
import {
  actionTopics,
  deadLetterFactsOf,
  deadLetterTopicOf,
  type EventLog,
} from '@action-ledger/event-log';
import { createMemoryEventStore, type MemoryEventStore } from '@action-ledger/event-store';
import { createIntake } from '@action-ledger/intake';
import { decodeJsonProposal } from '@action-ledger/proposals';
import { createToolSet, defineTool } from '@action-ledger/tools';
import { Kafka, logLevel, type Message } from 'kafkajs';
import { z } from 'zod';
import { brokersGiven, newPrefix, openLog, runtime, skipped } from './world.ts';

const brokers = brokersGiven();
const proposals = 200;

const pay = defineTool({
  name: 'pay',
  input: z.object({ invoice: z.string() }),
  guarantee: 'manual',
  execute: () => ({}),
});

if (brokers === undefined) {
  it.skip(skipped('the intake over Kafka'), () => undefined);
} else {
  it('FW15 FW28 F101 records what is published, once, though another joins in mid-batch', async () => {
    const prefix = newPrefix();
    const store = createMemoryEventStore();
    const logs = [await openLog(brokers, prefix), await openLog(brokers, prefix)] as const;
    const [first, second] = logs.map((log, index) => intakeOver(store, log, `intake-${index}`));
    await first?.start();
    const publish = await openProducer(brokers, `${prefix}${actionTopics.proposals}`);
    const all = Array.from({ length: proposals }, (_, index) => messageOf(index));
    // Its sender says that it is very old: that does not count.
    await publish([{ ...messageOf(0), timestamp: '1' }, ...all.slice(1, proposals / 2)]);
    await publish([{ key: 'run-1', value: '{"proposalId":"p-' }]);
    await until(() => typesOfActions(store).length > 0);
    await second?.start();
    await publish(all.slice(proposals / 2));
    // A producer that had no answer sends them again.
    await publish(all.slice(0, 20));
    await until(async () => (await lagOf(logs[0])) === 0);
    expect(typesOfActions(store)).toEqual(Array(proposals).fill('ActionPlanned'));
    // Where it was lost before it was committed it is there twice.
    const reasons = [...new Set(await putAside(logs[1]))];
    expect(reasons).toEqual([expect.stringMatching(/^json.truncated: /)]);
    await Promise.all([first?.stop(), second?.stop()]);
    await publish();
    await Promise.all(logs.map((log) => log.close()));
  });
}

function messageOf(index: number): Message {
  const run = `run-${index % 10}`;
  const proposal = {
    ...{ proposalId: `p-${index}`, tenant: 'acme', tool: 'pay', run },
    arguments: { invoice: `i-${index}` },
  };
  return { key: run, value: JSON.stringify(proposal) };
}

function intakeOver(store: MemoryEventStore, log: EventLog, instance: string) {
  const sha256 = (text: string): string => hash('sha256', text, 'base64url');
  const digestSecret = (path: string, text: string): string => sha256(`${path} ${text}`);
  const tools = createToolSet([pay]);
  const own = { store, runtime, sha256, tools, digestSecret, crew: amongProcesses, instance };
  return createIntake({
    ...{ core: { own }, log, runtime, sha256, decode: decodeJsonProposal },
    // So that there is a batch in whose midst another joins.
    ...{ atOnceMax: 1, batchMax: 10 },
    onFault: () => undefined,
  });
}

/** @returns publishes; without messages it disconnects */
async function openProducer(addresses: readonly string[], topic: string) {
  const kafka = new Kafka({ brokers: [...addresses], logLevel: logLevel.NOTHING });
  const producer = kafka.producer();
  await producer.connect();
  return async (messages?: Message[]): Promise<void> => {
    if (messages === undefined) await producer.disconnect();
    else await producer.send({ topic, messages });
  };
}

async function lagOf(log: EventLog): Promise<number> {
  const lags = await log.lag('intake', [actionTopics.proposals]);
  return lags.reduce((sum, { lag }) => sum + lag, 0);
}

function typesOfActions(store: MemoryEventStore): readonly string[] {
  const events = store.events().filter(({ stream }) => actionOfStream(stream) !== undefined);
  return events.map(({ type }) => type);
}

async function putAside(log: EventLog): Promise<readonly (string | undefined)[]> {
  const reasons: (string | undefined)[] = [];
  const consumer = await log.consume({
    group: randomUUID(),
    topics: [deadLetterTopicOf(actionTopics.proposals)],
    from: 'start',
    handler: async (records) => {
      reasons.push(...records.map((record) => deadLetterFactsOf(record)?.reason));
    },
  });
  await until(() => reasons.length > 0);
  await consumer.close();
  return reasons;
}

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds()))
    await new Promise((resolve) =>
      runtime.timers.after(20, () => {
        resolve(undefined);
      }),
    );
}
