// What the client throws, as faults of the log. A send that failed may have been stored all the same, so
// it is never said to be safe.
import { LogFault } from '@action-ledger/event-log';

/** The protocol's name of an error, wherever in its causes the client has put it. */
export function errorTypeOf(error: unknown): string | undefined {
  let looked = error;
  for (let depth = 0; depth < causesMax && looked instanceof Error; depth += 1) {
    const { type } = looked as { readonly type?: unknown };
    if (typeof type === 'string') return type;
    looked = looked.cause;
  }
  return undefined;
}

const causesMax = 5;

const fencedTypes: ReadonlySet<string | undefined> = new Set([
  'INVALID_PRODUCER_EPOCH',
  'PRODUCER_FENCED',
  'INVALID_PRODUCER_ID_MAPPING',
  'TRANSACTION_COORDINATOR_FENCED',
]);

export function isFenced(error: unknown): boolean {
  return fencedTypes.has(errorTypeOf(error));
}

const lostTypes: ReadonlySet<string | undefined> = new Set([
  'REBALANCE_IN_PROGRESS',
  'ILLEGAL_GENERATION',
  'UNKNOWN_MEMBER_ID',
]);

/** A commit was refused because the partitions are given out anew, or were. */
export function isLost(error: unknown): boolean {
  return lostTypes.has(errorTypeOf(error));
}

export function unavailable(what: string, error: unknown, retry: 'safe' | 'unsafe'): LogFault {
  if (error instanceof LogFault) return error;
  const why = error instanceof Error ? error.message : String(error);
  return new LogFault('log.unavailable', retry, `${what}: ${why}`, { cause: error });
}
