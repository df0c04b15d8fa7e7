// The line between one process and the event log: records come late and sometimes twice, and when the
// process dies its consumers are missed only after their session has ended.
import { actionOfStream } from '@action-ledger/domain';
import {
  type EventLog,
  eventPlaceOf,
  type LogRecord,
  type MemoryEventLog,
} from '@action-ledger/event-log';
import { type Ether } from './ether.ts';

/** As long a broker waits for a member that says nothing. */
export const sessionMs = 10_000;

export interface LogLine extends EventLog {
  /** Its consumers are taken for dead. */
  readonly expire: () => void;
}

export function logLine(ether: Ether, log: MemoryEventLog): LogLine {
  const { life, chaos, dice, pause } = ether;
  const kills: (() => void)[] = [];
  return {
    openPublisher: (options) => log.openPublisher(options),
    consume: async (options) => {
      await life.pass();
      const consumer = await log.consume({
        ...options,
        handler: async (records, delivery) => {
          const { topic, partition } = delivery;
          const place = `${options.group} ${topic} ${partition} ${records[0]?.offset ?? 0}`;
          await life.pass();
          await pause(dice.between(0, 15, 'delivery', place));
          await life.pass();
          await options.handler(records, delivery);
          if (!isFollower(options.group))
            for (const what of unseen(ether, records)) ether.breach(`${life.name}: ${what}`);
          if (chaos.strikes('log: delivered again', 0.01, life.name, place))
            await options.handler(records, delivery);
          await life.pass();
        },
      });
      kills.push(() => {
        consumer.kill();
      });
      return consumer;
    },
    lag: (group, topics) => log.lag(group, topics),
    newest: (topics) => log.newest(topics),
    reset: (request) => log.reset(request),
    close: async () => undefined,
    expire: () => {
      for (const kill of kills) kill();
    },
  };
}

/** What a process has in its memory is lost with it in any case: it reads what it was told of when it gets to it. */
function isFollower(group: string): boolean {
  return group.startsWith('follower.');
}

/** What it says it is done with, and has never looked at: lost if it died now. */
function unseen({ known, isRecovering }: Ether, records: readonly LogRecord[]): readonly string[] {
  if (isRecovering()) return [];
  return records.flatMap((record) => {
    const place = eventPlaceOf(record);
    if (place === undefined || actionOfStream(place.stream) === undefined) return [];
    const { stream, revision } = place;
    if (known.revisionOf(stream) >= revision) return [];
    return [`done with revision ${revision} of ${stream}, which it has not read`];
  });
}
