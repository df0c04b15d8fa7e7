// The whole contract of the event log port over a real Kafka broker. `npm run test:kafka` starts one and
// says here where it is.
import { describe, it } from '@jest/globals';
import { eventLogContract, eventLogPublishingContract } from '@action-ledger/testkit';
import { brokersGiven, openOverBroker } from './world.ts';

const brokers = brokersGiven();

if (brokers === undefined) {
  describe('event log contract: kafka', () => {
    it.skip('set KAFKA_BROKERS, or run npm run test:kafka, which starts a broker', () => undefined);
  });
} else {
  const open = () => openOverBroker(brokers);
  eventLogContract('kafka', open);
  eventLogPublishingContract('kafka', open);
}
