// What an event store throws when the world broke. A conflict is not a fault: it is a value.
import { type JsonValue } from '@action-ledger/domain';

/** Every code stands in docs/errors.md. */
export const storeFaultCodes = [
  'store.busy',
  'store.closed',
  'store.corrupt',
  'store.disk-full',
  'store.format',
  'store.held',
  'store.invalid-append',
  'store.io',
  'store.not-found',
  'store.read-only',
  'store.too-large',
  'store.unavailable',
] as const;

export type StoreFaultCode = (typeof storeFaultCodes)[number];

/** Facts for programs: the stream and positions that are damaged, the process that holds a file. */
export type StoreFaultDetail = Readonly<Record<string, JsonValue>>;

export class StoreFault extends Error {
  readonly code: StoreFaultCode;
  /** `unsafe`: it may have happened; retry identically, then read. */
  readonly retry: 'safe' | 'unsafe' | 'never';
  readonly detail: StoreFaultDetail;

  constructor(
    code: StoreFaultCode,
    retry: 'safe' | 'unsafe' | 'never',
    message: string,
    options?: { readonly cause?: unknown; readonly detail?: StoreFaultDetail },
  ) {
    super(message, options);
    this.name = 'StoreFault';
    this.code = code;
    this.retry = retry;
    this.detail = options?.detail ?? {};
  }
}
