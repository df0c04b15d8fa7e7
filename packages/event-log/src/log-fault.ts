// What an event log throws when the world broke, and what a handler throws about a record that no
// try can help.

/** Every code stands in docs/errors.md. */
export const logFaultCodes = [
  'log.closed',
  'log.derived-topic',
  'log.fenced',
  'log.group-in-use',
  'log.held',
  'log.invalid',
  'log.too-large',
  'log.topic-differs',
  'log.unavailable',
  'log.unknown-topic',
] as const;

export type LogFaultCode = (typeof logFaultCodes)[number];

export class LogFault extends Error {
  readonly code: LogFaultCode;
  /** `unsafe`: it may have happened; do it again identically. */
  readonly retry: 'safe' | 'unsafe' | 'never';

  constructor(
    code: LogFaultCode,
    retry: 'safe' | 'unsafe' | 'never',
    message: string,
    options?: { readonly cause?: unknown },
  ) {
    super(message, options);
    this.name = 'LogFault';
    this.code = code;
    this.retry = retry;
  }
}

/** Thrown by a handler: the record is malformed or means nothing. The message is the reason kept. */
export class PoisonRecord extends Error {
  constructor(reason: string, options?: { readonly cause?: unknown }) {
    super(reason, options);
    this.name = 'PoisonRecord';
  }
}

/** The error says by `retry` that the world broke, and not that the record is bad. */
export function isOutage(error: unknown): boolean {
  const { retry } = (error ?? {}) as { readonly retry?: unknown };
  return retry === 'safe' || retry === 'unsafe';
}

export function logClosed(): LogFault {
  return new LogFault('log.closed', 'never', 'The event log is closed.');
}
