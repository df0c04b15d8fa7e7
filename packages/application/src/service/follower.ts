// Tells a core of what others append: every process reads the whole log in a group of its own. So callers
// that wait here learn at once of what was done elsewhere, and what is kept in memory is soon right.
import {
  actionTopics,
  type EventLog,
  eventPlaceOf,
  type LogRecord,
} from '@action-ledger/event-log';
import { type Runtime } from '@action-ledger/runtime';
import { type Core } from '../core/core.ts';
import { type StreamPlace } from '../core/follow-streams.ts';
import { type ConsumerOptions, createConsumer } from './consumer.ts';
import { type Service } from './service.ts';

export interface FollowerOptions extends Pick<
  ConsumerOptions,
  'lookEveryMs' | 'stuckAfterMs' | 'stopWithinMs' | 'onFault'
> {
  readonly core: Pick<Core, 'hear' | 'catchUp'>;
  readonly log: EventLog;
  /** Of this process, among all that follow the log. The same after a restart. */
  readonly instance: string;
  readonly runtime: Runtime;
}

export function createFollower(options: FollowerOptions): Service {
  const { core, instance, ...loop } = options;
  const consumer = createConsumer({
    ...loop,
    group: `follower.${instance}`,
    topics: [actionTopics.events],
    from: 'now',
    handle: (records) => core.hear(placesOf(records)),
  });
  return {
    ...consumer,
    start: async () => {
      await consumer.start();
      // What was appended before it was told of anything.
      await core.catchUp();
    },
  };
}

/** Of the events; records of anything else are passed over. */
export function placesOf(records: readonly LogRecord[]): readonly StreamPlace[] {
  return records.flatMap((record) => eventPlaceOf(record) ?? []);
}
