// What an event store throws when the world broke. A conflict is not a fault: it is a value.
export type StoreFaultCode =
  | 'store.busy'
  | 'store.closed'
  | 'store.corrupt'
  | 'store.disk-full'
  | 'store.format'
  | 'store.held'
  | 'store.invalid-append'
  | 'store.io'
  | 'store.not-found'
  | 'store.read-only'
  | 'store.too-large'
  | 'store.unavailable';

export class StoreFault extends Error {
  readonly code: StoreFaultCode;
  /** `unsafe`: it may have happened; retry identically, then read. */
  readonly retry: 'safe' | 'unsafe' | 'never';

  constructor(
    code: StoreFaultCode,
    retry: 'safe' | 'unsafe' | 'never',
    message: string,
    options?: { readonly cause?: unknown },
  ) {
    super(message, options);
    this.name = 'StoreFault';
    this.code = code;
    this.retry = retry;
  }
}
