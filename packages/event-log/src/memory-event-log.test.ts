import { createSystemRuntime } from '@action-ledger/runtime';
import {
  eventLogContract,
  eventLogPublishingContract,
  type OpenedEventLog,
} from '@action-ledger/testkit';
import { actionTopics, createMemoryEventLog, headersOfEvent, type LocalConsumer } from './index.ts';

async function open(): Promise<OpenedEventLog> {
  const runtime = createSystemRuntime();
  const log = createMemoryEventLog({ runtime });
  let publisher = await log.openPublisher();
  const revisions = new Map<string, number>();
  let position = 0;
  return {
    log,
    feed: async (streams) => {
      for (let first = 0; first < streams.length; first += 1000) {
        await publisher.publish(
          streams.slice(first, first + 1000).map((stream) => {
            const revision = revisions.get(stream) ?? 0;
            revisions.set(stream, revision + 1);
            position += 1;
            const place = { eventId: `e${position}`, type: 'T', stream, revision, position };
            const value = new TextEncoder().encode(`{"position":${position}}`);
            return {
              topic: actionTopics.events,
              key: stream,
              value,
              headers: headersOfEvent(place),
            };
          }),
        );
      }
    },
    kill: async (consumer) => {
      (consumer as LocalConsumer).kill();
    },
    leaveGap: async () => {
      for (let partition = 0; partition < 4; partition += 1) {
        log.leaveGap({ topic: actionTopics.events, partition }, 10);
      }
    },
    reopen: async () => {
      await log.close();
      const reopened = createMemoryEventLog({ runtime, contents: log.contents() });
      publisher = await reopened.openPublisher();
      return reopened;
    },
  };
}

eventLogContract('memory', open);
eventLogPublishingContract('memory', open);
