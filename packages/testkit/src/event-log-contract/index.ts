// The contract of the event log port: every adapter passes all of it, in one call. Adapters whose
// topics are published to by others pass the contract of publishing as well; the embedded log, whose
// topics are views of its store, has nothing that could be published.
import { describe } from '@jest/globals';
import { closingContract } from './closing.contract.ts';
import { committingContract } from './committing.contract.ts';
import { deliveringContract } from './delivering.contract.ts';
import { failingContract } from './failing.contract.ts';
import { groupsContract } from './groups.contract.ts';
import { type OpenEventLog, withLogFrom } from './log-harness.ts';
import { publishingContract } from './publishing.contract.ts';

/** @param open gives a new log for every test, with nothing in its topics. */
export function eventLogContract(name: string, open: OpenEventLog): void {
  const withLog = withLogFrom(open);
  describe(`event log contract: ${name}`, () => {
    deliveringContract(withLog);
    committingContract(withLog);
    groupsContract(withLog);
    failingContract(withLog);
    closingContract(withLog);
  });
}

/** @param open as for `eventLogContract` */
export function eventLogPublishingContract(name: string, open: OpenEventLog): void {
  describe(`event log contract of publishing: ${name}`, () => {
    publishingContract(withLogFrom(open));
  });
}

export { type OpenedEventLog, type OpenEventLog } from './log-harness.ts';
