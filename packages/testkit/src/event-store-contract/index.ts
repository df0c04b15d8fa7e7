// The contract of the event store port: every adapter passes all of it, in one call.
import { describe } from '@jest/globals';
import { appendRulesContract } from './append-rules.contract.ts';
import { concurrencyContract } from './concurrency.contract.ts';
import { type OpenEventStore, withStoreFrom } from './contract-harness.ts';
import { closingContract, limitsContract, reopeningContract } from './limits.contract.ts';
import { byteForByteContract, readAllContract, readStreamContract } from './reading.contract.ts';
import { subscribeContract } from './subscribe.contract.ts';
import { truncateContract } from './truncate.contract.ts';

/** @param open gives a new, empty store for every test. */
export function eventStoreContract(name: string, open: OpenEventStore): void {
  const withStore = withStoreFrom(open);
  describe(`event store contract: ${name}`, () => {
    appendRulesContract(withStore);
    concurrencyContract(withStore);
    readStreamContract(withStore);
    byteForByteContract(withStore);
    readAllContract(withStore);
    subscribeContract(withStore);
    truncateContract(withStore);
    limitsContract(withStore);
    closingContract(withStore);
    reopeningContract(withStore);
  });
}

export {
  createFaultScript,
  createFaultyEventStore,
  type AppendCall,
  type AppendFault,
  type Delivery,
  type DeliveryCall,
  type FaultPlan,
  type FaultScript,
  type ReadCall,
} from './faulty-event-store.ts';
export { type OpenedEventStore, type OpenEventStore } from './contract-harness.ts';
