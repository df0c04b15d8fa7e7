// The event log of the embedded size: it follows an event store in the same process and keeps no
// second copy of an event. `action.events` is the store as seen by partition, an offset is a position
// of the store, `action.state` is folded when it is read. What is its own, offsets and dead letters,
// lies in a small file: losing it brings records again and loses none.
import { eventAsJson, keyOfStream } from '@action-ledger/codec';
import {
  actionTopics,
  type ConsumeOptions,
  createGroups,
  deadLetterTopicOf,
  type EventLog,
  type LocalConsumer,
  LogFault,
  logClosed,
  type LogSource,
  type TopicPartition,
  unknownTopic,
} from '@action-ledger/event-log';
import { type EventStore } from '@action-ledger/event-store';
import { type Runtime } from '@action-ledger/runtime';
import { createDeadLetters } from './dead-letters.ts';
import { createEventTail } from './event-tail.ts';
import { createEventView } from './event-view.ts';
import { openLogFile } from './log-file.ts';
import { createOffsets } from './offsets.ts';
import { type Encode } from './record-of-event.ts';
import { createStateView, type StateOf } from './state-view.ts';
import { type TopicView } from './topic-view.ts';

export interface EmbeddedEventLogOptions {
  /** Stays its owner's to close, after the log. */
  readonly store: EventStore;
  /** Of the file of offsets and dead letters; `:memory:` keeps them as long as the log is open. */
  readonly path: string;
  readonly runtime: Runtime;
  /** Of `action.events` and `action.state`. Default 8. With another number than before, some records come again. */
  readonly partitions?: number;
  /** The value of a record of `action.events`. By default a JSON object with `data` and `metadata`. */
  readonly encode?: Encode;
  /** Folds a stream to its value in `action.state`. Without it there is no such topic. */
  readonly stateOf?: StateOf;
  /** Told of what is tried again by itself: a subscription that ended, offsets that were not written. */
  readonly onFault?: (where: string, fault: unknown) => void;
}

export interface EmbeddedEventLog extends EventLog {
  consume(options: ConsumeOptions): Promise<LocalConsumer>;
}

const partitionsUsual = 8;

/** @throws LogFault `log.held`, `log.unavailable`; StoreFault where the store cannot be read */
export async function openEmbeddedEventLog(
  options: EmbeddedEventLogOptions,
): Promise<EmbeddedEventLog> {
  const { store, runtime, partitions = partitionsUsual } = options;
  const tellFault = (where: string, fault: unknown): void => {
    try {
      options.onFault?.(where, fault);
    } catch {
      // Nobody is left to be told.
    }
  };
  const file = await openLogFile({ path: options.path, store, partitions, tellFault });
  const tail = createEventTail({
    store,
    after: file.head,
    last: file.last,
    partitionsCount: partitions,
    runtime,
    tellFault,
    onAdded: (partition) => {
      groups.added({ topic: actionTopics.events, partition });
      groups.added({ topic: actionTopics.state, partition });
    },
  });
  const offsets = createOffsets({ file, runtime, tellFault, seen: tail.seen });
  const letters = createDeadLetters(file, (topic) => {
    groups.added({ topic, partition: 0 });
  });
  const source = sourceOf(options, partitions, tail, letters);
  const groups = createGroups({ source, offsets, runtime });
  let isClosed = false;
  let closing: Promise<void> | undefined;

  return {
    openPublisher: async () => {
      if (isClosed) throw logClosed();
      throw new LogFault(
        'log.derived-topic',
        'never',
        'The topics of an embedded log are views of its event store. Append to the store; nothing is published.',
      );
    },
    consume: groups.consume,
    lag: groups.lag,
    newest: groups.newest,
    reset: groups.reset,
    close: () => {
      isClosed = true;
      closing ??= groups.close().finally(() => {
        tail.close();
        offsets.close();
        file.close();
      });
      return closing;
    },
  };
}

function sourceOf(
  { store, encode = eventAsJson, stateOf }: EmbeddedEventLogOptions,
  partitions: number,
  tail: ReturnType<typeof createEventTail>,
  letters: ReturnType<typeof createDeadLetters>,
): LogSource {
  const events = createEventView({ store, tail, encode });
  const views = new Map<string, { readonly view: TopicView; readonly partitions: number }>();
  views.set(actionTopics.events, { view: events, partitions });
  if (stateOf !== undefined) {
    const view = createStateView({ store, events, stateOf, keyOf: keyOfStream });
    views.set(actionTopics.state, { view, partitions });
  }
  for (const topic of [...views.keys()]) {
    views.set(deadLetterTopicOf(topic), { view: letters, partitions: 1 });
  }
  const viewOf = ({ topic }: TopicPartition): TopicView => {
    const found = views.get(topic);
    if (found === undefined) throw unknownTopic(topic);
    return found.view;
  };
  return {
    partitions: (topic) => views.get(topic)?.partitions,
    read: (request) => viewOf(request).read(request),
    end: (place) => viewOf(place).end(place),
    waiting: (place, from) => viewOf(place).waiting(place, from),
    publishDeadLetter: (record) => letters.add(record),
  };
}
