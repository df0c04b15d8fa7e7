// What is not known because the store is away is told as such: it may be there all the same.
import { refusal, type Refusal } from '@action-ledger/domain';
import { StoreFault } from '@action-ledger/event-store';
import { type Parts } from '../core/parts.ts';

export async function unlessStoreIsAway<Result>(
  parts: Pick<Parts, 'onFault' | 'isClosing'>,
  where: string,
  work: () => Promise<Result>,
): Promise<Result | Refusal> {
  try {
    return await work();
  } catch (fault) {
    if (!(fault instanceof StoreFault)) throw fault;
    if (parts.isClosing())
      return refusal('ledger.closing', 'The ledger is closed. Nothing was recorded by this call.');
    parts.onFault(where, fault);
    const message = `The store could not be used (${fault.message}). What is on record of this workflow stands; start it again with the same id.`;
    return refusal('ledger.store-unavailable', message);
  }
}
