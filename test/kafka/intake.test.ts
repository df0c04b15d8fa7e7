// The round of a platform over a real broker: what any Kafka client publishes becomes actions, once each, though
// another intake joins meanwhile, is carried out, and is told of on `action.events` under the proposal's id.
// When it came is said by the broker, and what can be no proposal is put aside.
import { hash, randomUUID } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { amongProcesses, type OwnCore } from '@action-ledger/application';
import { actionOfStream } from '@action-ledger/domain';
import {
  actionTopics,
  deadLetterFactsOf,
  deadLetterTopicOf,
  type EventLog,
  eventPlaceOf,
  type LogRecord,
} from '@action-ledger/event-log';
import { createMemoryEventStore, type MemoryEventStore } from '@action-ledger/event-store';
import { createExecutor } from '@action-ledger/executor';
import { createIntake } from '@action-ledger/intake';
import { createProjector } from '@action-ledger/projector';
import { decodeJsonProposal } from '@action-ledger/proposals';
import { createToolSet, defineTool } from '@action-ledger/tools';
import { Kafka, logLevel, type Message } from 'kafkajs';
import { z } from 'zod';
import { brokersGiven, newPrefix, openLog, runtime, skipped } from './world.ts';

const brokers = brokersGiven();
const proposals = 200;

const paid: string[] = [];
const pay = defineTool({
  name: 'pay',
  input: z.object({ invoice: z.string() }),
  guarantee: 'manual',
  execute: ({ arguments: { invoice }, beforeSend }) => {
    beforeSend();
    paid.push(invoice);
  },
});
const sha256 = (text: string): string => hash('sha256', text, 'base64url');

if (brokers === undefined) {
  it.skip(skipped('the intake over Kafka'), () => undefined);
} else {
  it('FW15 FW28 F101 records what is published, once, though another joins in mid-batch', async () => {
    const prefix = newPrefix();
    const store = createMemoryEventStore();
    const logs = [await openLog(brokers, prefix), await openLog(brokers, prefix)] as const;
    const [first, second] = logs.map((log, index) => intakeOver(store, log, `intake-${index}`));
    const own = ownOf(store, 'executor');
    const others = [
      createExecutor({ core: { own }, log: logs[0], runtime }),
      createProjector({ ...own, log: logs[0], clock: { nowMs: () => runtime.clock.wallMs() } }),
    ];
    for (const each of [...others, first]) await each?.start();
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
    const settled = await settledProposals(logs[1]);
    expect([...settled].sort()).toEqual(all.map((_, index) => `p-${index}`).sort());
    await until(async () => (await lagOf(logs[0])) === 0);
    expect([...paid].sort()).toEqual(all.map((_, index) => `i-${index}`).sort());
    expect(typesOfActions(store).sort()).toEqual(
      ['ActionClaimed', 'ActionDispatched', 'ActionPlanned', 'ActionSucceeded'].flatMap((type) =>
        all.map(() => type),
      ),
    );
    // Where it was lost before it was committed it is there twice.
    const reasons = [...new Set(await putAside(logs[1]))];
    expect(reasons).toEqual([expect.stringMatching(/^json.truncated: /)]);
    for (const each of [first, second, ...others]) await each?.stop();
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

function ownOf(store: MemoryEventStore, instance: string) {
  const digestSecret = (path: string, text: string): string => sha256(`${path} ${text}`);
  const tools = createToolSet([pay]);
  return {
    ...{ store, runtime, sha256, tools, digestSecret, crew: amongProcesses, instance },
  } satisfies OwnCore;
}

function intakeOver(store: MemoryEventStore, log: EventLog, instance: string) {
  const own = ownOf(store, instance);
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

/** As a platform follows them: the id of the proposal is in the first event of its action. */
async function settledProposals(log: EventLog): Promise<ReadonlySet<string>> {
  const proposalOf = new Map<string, string>();
  const settled = new Set<string>();
  const consumer = await log.consume({
    group: randomUUID(),
    topics: [actionTopics.events],
    from: 'start',
    handler: async (records) => {
      for (const record of records) {
        const place = eventPlaceOf(record);
        if (place?.type === 'ActionPlanned')
          proposalOf.set(place.stream, planned(record).data.call.call);
        const proposal = proposalOf.get(place?.stream ?? '');
        if (place?.type === 'ActionSucceeded' && proposal !== undefined) settled.add(proposal);
      }
    },
  });
  await until(() => settled.size === proposals);
  await consumer.close();
  return settled;
}

function planned({ value }: LogRecord) {
  return JSON.parse(Buffer.from(value ?? []).toString()) as {
    readonly data: { readonly call: { readonly call: string } };
  };
}

function typesOfActions(store: MemoryEventStore): string[] {
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
