// The topics of a ledger on the brokers: created with stated partitions and rules of what is kept, and
// checked where they are there. With another number of partitions the records of a key would be looked
// for where they are not; a topic of states that forgets by age would lose actions.
import kafkajs, { type Admin, type ITopicConfig, type ITopicMetadata } from 'kafkajs';
import { actionTopics, deadLetterTopicOf, LogFault } from '@action-ledger/event-log';
import { type Administration } from './admin.ts';
import { type Names } from './names.ts';
import { type TopicSettings } from './options.ts';

/** The partitions of each topic. */
export type Layout = ReadonlyMap<string, number>;

interface Stated {
  readonly topic: string;
  readonly partitions: number;
  readonly config: Readonly<Record<string, string>>;
}

const day = 86_400_000;
const partitionsUsual = 12;

/** A record with the facts of a dead letter is larger than it was. */
const deadLetterBytesMax = 2 * 1024 * 1024;

export function statedTopics(settings: TopicSettings = {}): readonly Stated[] {
  const { partitions = partitionsUsual, eventsMs = -1 } = settings;
  const { proposalsMs = 7 * day, deadLettersMs = 90 * day } = settings;
  const deadLetters = {
    ...keptFor(deadLettersMs),
    'message.timestamp.type': 'LogAppendTime',
    'max.message.bytes': String(deadLetterBytesMax),
  };
  return [
    {
      topic: actionTopics.proposals,
      partitions,
      config: {
        ...keptFor(proposalsMs),
        // When it arrived decides whether it is news: the clock of whoever sent it does not.
        'message.timestamp.type': 'LogAppendTime',
        // Others publish here, by codecs that not every reader has: the brokers store another.
        'compression.type': 'gzip',
      },
    },
    { topic: actionTopics.events, partitions, config: keptFor(eventsMs) },
    { topic: actionTopics.state, partitions, config: { 'cleanup.policy': 'compact' } },
    ...Object.values(actionTopics).map((topic) => ({
      topic: deadLetterTopicOf(topic),
      partitions: 1,
      config: deadLetters,
    })),
  ];
}

function keptFor(ms: number): Readonly<Record<string, string>> {
  return { 'cleanup.policy': 'delete', 'retention.ms': String(ms) };
}

export interface LayoutParts {
  readonly administration: Administration;
  readonly names: Names;
}

/** @throws LogFault `log.topic-differs`, never; `log.unavailable` */
export async function ensureTopics(
  parts: LayoutParts,
  settings: TopicSettings | undefined,
): Promise<Layout> {
  const { administration, names } = parts;
  const stated = statedTopics(settings);
  const copies = settings?.copies ?? -1;
  let isNew = false;
  await administration.ask('The topics could not be created', async (admin) => {
    isNew = (await createMissing(admin, names, stated, copies)) || isNew;
    // A leader that was named may not serve the partition yet: consumers would join again and again.
    if (isNew)
      await Promise.all(stated.map(({ topic }) => admin.fetchTopicOffsets(names.topic(topic))));
    // Of a topic that was just created this fails until it is known everywhere, and is asked again.
    const topics = stated.map(({ topic }) => names.topic(topic));
    await check(admin, names, stated, (await admin.fetchTopicMetadata({ topics })).topics);
  });
  return new Map(stated.map(({ topic, partitions }) => [topic, partitions]));
}

async function createMissing(
  admin: Admin,
  names: Names,
  stated: readonly Stated[],
  copies: number,
): Promise<boolean> {
  const there = new Set(await admin.listTopics());
  const missing = stated.filter(({ topic }) => !there.has(names.topic(topic)));
  const topics = missing.map(({ topic, partitions, config }): ITopicConfig => ({
    topic: names.topic(topic),
    numPartitions: partitions,
    replicationFactor: copies,
    configEntries: Object.entries(config).map(([name, value]) => ({ name, value })),
  }));
  // Answers false where another process has created them meanwhile.
  if (topics.length > 0) await admin.createTopics({ topics, waitForLeaders: false });
  return topics.length > 0;
}

async function check(
  admin: Admin,
  names: Names,
  stated: readonly Stated[],
  found: readonly ITopicMetadata[],
): Promise<void> {
  const { resources } = await admin.describeConfigs({
    includeSynonyms: false,
    resources: found.map(({ name }) => ({
      type: kafkajs.ConfigResourceTypes.TOPIC,
      name,
      configNames: ['cleanup.policy', 'message.timestamp.type'],
    })),
  });
  for (const { topic, partitions, config } of stated) {
    const name = names.topic(topic);
    const count = found.find((each) => each.name === name)?.partitions.length ?? 0;
    if (count !== partitions) throw differs(name, 'partitions', count, partitions);
    const entries = resources.find((each) => each.resourceName === name)?.configEntries ?? [];
    for (const { configName, configValue } of entries) {
      const wanted = config[configName];
      if (wanted !== undefined && configValue !== wanted) {
        throw differs(name, configName, configValue, wanted);
      }
    }
  }
}

function differs(
  topic: string,
  what: string,
  found: string | number,
  wanted: string | number,
): LogFault {
  const message = `The topic ${topic} has ${what} ${found}, and ${wanted} is stated. State what it has, or let the brokers change the topic.`;
  return new LogFault('log.topic-differs', 'never', message);
}
