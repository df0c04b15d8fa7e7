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

export interface PoisonOptions {
  readonly cause?: unknown;
  /** The dead letter is without the value: it holds what must be kept nowhere else. Default false. */
  readonly withoutValue?: boolean;
}

/** Thrown by a handler: the record is malformed or means nothing. The message is the reason kept. */
export class PoisonRecord extends Error {
  readonly withoutValue: boolean;

  constructor(reason: string, { withoutValue = false, ...options }: PoisonOptions = {}) {
    super(reason, options);
    this.name = 'PoisonRecord';
    this.withoutValue = withoutValue;
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
