// What an error of the client means for the caller of the port. Whatever may have happened all the same
// is unsafe; only what the server has refused in so many words is not.
import { ErrorType } from '@eventstore/db-client';
import { StoreFault } from '@action-ledger/event-store';

/** What follows from an error of an append. */
export type AppendFailure =
  /** It may be stored, now or later. */
  | 'ambiguous'
  | 'wrong expected version'
  /** Another node is the leader; the client goes there with the next call. */
  | 'not leader'
  | 'refused';

export function appendFailureOf(error: unknown): AppendFailure {
  const type = typeOf(error);
  if (type === ErrorType.WRONG_EXPECTED_VERSION) return 'wrong expected version';
  if (type === ErrorType.NOT_LEADER) return 'not leader';
  const isRefused = refusals.has(type ?? '') || codeOf(error) === invalidArgument;
  return isRefused ? 'refused' : 'ambiguous';
}

const refusals: ReadonlySet<string> = new Set([
  ErrorType.STREAM_DELETED,
  ErrorType.ACCESS_DENIED,
  ErrorType.MAXIMUM_APPEND_SIZE_EXCEEDED,
  ErrorType.INVALID_ARGUMENT,
  ErrorType.MISSING_REQUIRED_METADATA_PROPERTY,
]);

/** @param what a clause: "The append to action-1" */
export function refusedFault(what: string, error: unknown): StoreFault {
  const type = typeOf(error);
  if (type === ErrorType.MAXIMUM_APPEND_SIZE_EXCEEDED)
    return fault('store.too-large', 'never', `${what} is larger than the server takes`, error);
  if (type === ErrorType.ACCESS_DENIED)
    return fault('store.read-only', 'never', `${what} is denied to this user`, error);
  if (type === ErrorType.STREAM_DELETED)
    return fault('store.corrupt', 'never', `${what} meets a stream that was deleted`, error);
  return fault('store.invalid-append', 'never', `${what} was refused`, error);
}

export function ambiguousFault(what: string, error: unknown): StoreFault {
  return fault('store.unavailable', 'unsafe', `${what} was not answered`, error);
}

/** Reading changes nothing: trying again is safe, unless the server has refused it. */
export function readFault(what: string, error: unknown): StoreFault {
  if (error instanceof StoreFault) return error;
  const type = typeOf(error);
  if (type === ErrorType.ACCESS_DENIED)
    return fault('store.not-found', 'never', `${what} is denied to this user`, error);
  if (type === ErrorType.STREAM_DELETED)
    return fault('store.corrupt', 'never', `${what} meets a stream that was deleted`, error);
  return fault('store.unavailable', 'safe', `${what} was not answered`, error);
}

export function closedFault(): StoreFault {
  return new StoreFault('store.closed', 'never', 'The event store is closed.');
}

export function isStreamNotFound(error: unknown): boolean {
  return typeOf(error) === ErrorType.STREAM_NOT_FOUND;
}

/**
 * A server reads from the places of its records only. Whoever asks for what follows the place before an
 * event means that event.
 */
export function mayBeNoPlace(error: unknown): boolean {
  return typeOf(error) === ErrorType.UNKNOWN || codeOf(error) === invalidArgument;
}

/** INVALID_ARGUMENT of gRPC. */
const invalidArgument = 3;

function fault(
  code: StoreFault['code'],
  retry: StoreFault['retry'],
  message: string,
  cause: unknown,
): StoreFault {
  const why = cause instanceof Error && cause.message !== '' ? `: ${cause.message}` : '.';
  return new StoreFault(code, retry, message + why, { cause });
}

function typeOf(error: unknown): string | undefined {
  const type = error instanceof Error && 'type' in error ? error.type : undefined;
  return typeof type === 'string' ? type : undefined;
}

function codeOf(error: unknown): number | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'number' ? code : undefined;
}
