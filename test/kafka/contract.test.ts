// The whole contract of the event log port over a real Kafka broker. `npm run test:kafka` starts one and
// says here where it is.
import { it } from '@jest/globals';
import { eventLogContract, eventLogPublishingContract } from '@action-ledger/testkit';
import { brokersGiven, openOverBroker, skipped } from './world.ts';

const brokers = brokersGiven();

if (brokers === undefined) {
  it.skip(skipped('the contract of the event log over Kafka'), () => undefined);
} else {
  const open = () => openOverBroker(brokers);
  eventLogContract('kafka', open);
  eventLogPublishingContract('kafka', open);
}
