// The event log over Kafka brokers. Its topics are created with stated partitions; publishing waits for
// all copies that are in step; consumers share the partitions of their topics with the others of their
// group, in whatever process. Brokers acknowledge before they have written to disk: the topics can be
// built again from the streams.
import {
  checkConsumeOptions,
  checkGroup,
  type ConsumeOptions,
  type EventLog,
  logClosed,
  type Publisher,
  unknownTopic,
} from '@action-ledger/event-log';
import { type Runtime } from '@action-ledger/runtime';
import { createAdministration } from './admin.ts';
import { connectBy } from './connection.ts';
import { type KafkaConsumer, openConsumer } from './consumer.ts';
import { ensureTopics, type Layout } from './layout.ts';
import { namesWith } from './names.ts';
import { openNamedPublisher } from './named-publisher.ts';
import { newestRecords } from './newest.ts';
import { type KafkaEventLogOptions, timingUsual } from './options.ts';
import { lagOf, moveGroup, type PlacesParts, standings } from './places.ts';
import { createPublisher, type KafkaPublisher, type PublisherParts } from './publisher.ts';

export interface KafkaEventLog extends EventLog {
  consume(options: ConsumeOptions): Promise<KafkaConsumer>;
}

/** @throws LogFault `log.unavailable`, safe; `log.topic-differs` */
export async function openKafkaEventLog(options: KafkaEventLogOptions): Promise<KafkaEventLog> {
  const { runtime } = options;
  const timing = { ...timingUsual, ...options.timing };
  const names = namesWith(options.prefix ?? '');
  const connect = connectBy(options, timing);
  const administration = createAdministration({ connect, runtime, askMs: timing.requestMs });
  const layout = await ensureTopics({ administration, names }, options.topics).catch(
    async (error: unknown) => {
      await administration.close();
      throw error;
    },
  );
  const places = { administration, connect, layout, names, timing, runtime };
  const publishing = { connect, layout, names, runtime, closeMs: timing.closeMs };
  return logOver(places, publishing, runtime.ids);
}

function logOver(
  places: PlacesParts,
  publishing: PublisherParts,
  ids: Runtime['ids'],
): KafkaEventLog {
  const { layout, administration } = places;
  const { runtime } = publishing;
  const opened = new Set<{ readonly close: () => Promise<void> }>();
  const deadLetters = createPublisher(publishing);
  let isClosed = false;
  let closing: Promise<void> | undefined;
  const checkOpen = (): void => {
    if (isClosed) throw logClosed();
  };
  /** Closed with the log, however late it was opened. */
  const keep = async <Opened extends { readonly close: () => Promise<void> }>(
    one: Opened,
  ): Promise<Opened> => {
    const close = async (): Promise<void> => {
      await one.close();
      opened.delete(kept);
    };
    const kept = { ...one, close };
    opened.add(kept);
    if (!isClosed) return kept;
    await close();
    throw logClosed();
  };
  const open = async (name: string | undefined): Promise<KafkaPublisher> =>
    name === undefined ? createPublisher(publishing) : openNamedPublisher(name, publishing);

  return {
    openPublisher: async ({ name } = {}): Promise<Publisher> => {
      checkOpen();
      return keep(await open(name));
    },
    consume: async (options) => {
      checkOpen();
      checkConsumeOptions(options);
      checkTopics(layout, options.topics);
      const publishDeadLetter = deadLetters.publishOne;
      return keep(await openConsumer({ ...places, runtime, options, publishDeadLetter }));
    },
    ...questions(places, ids, checkOpen),
    close: () => {
      isClosed = true;
      closing ??= Promise.all([...opened].map((one) => one.close())).then(async () => {
        await deadLetters.close();
        await administration.close();
      });
      return closing;
    },
  };
}

function questions(
  places: PlacesParts,
  ids: Runtime['ids'],
  checkOpen: () => void,
): Pick<EventLog, 'lag' | 'newest' | 'reset'> {
  const { layout } = places;
  return {
    lag: async (group, topics) => {
      checkOpen();
      checkGroup(group);
      checkTopics(layout, topics);
      return (await standings(places, group, topics)).map(lagOf);
    },
    newest: async (topics) => {
      checkOpen();
      checkTopics(layout, topics);
      return newestRecords(places, `newest.${ids.next()}`, topics);
    },
    reset: async (request) => {
      checkOpen();
      checkGroup(request.group);
      checkTopics(layout, request.topics);
      await moveGroup(places, request);
    },
  };
}

function checkTopics(layout: Layout, topics: readonly string[]): void {
  for (const topic of topics) if (!layout.has(topic)) throw unknownTopic(topic);
}
