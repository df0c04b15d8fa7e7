// What a process says of itself: one JSON object a line on standard output, for whatever collects logs.
import { type DestinationStream, pino } from 'pino';
import { type Settings } from './settings.ts';

export interface ProcessLogger {
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
  error(facts: object, message: string): void;
}

/** @param to default: standard output */
export function createProcessLogger(
  service: string,
  { logLevel }: Pick<Settings, 'logLevel'>,
  to?: DestinationStream,
): ProcessLogger {
  return pino(
    {
      level: logLevel,
      base: { service },
      messageKey: 'message',
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (level) => ({ level }) },
      serializers: { fault: faultFacts },
    },
    // Written at once: the last lines of a process that dies are those that are wanted.
    to ?? pino.destination({ dest: 1, sync: true }),
  );
}

function faultFacts(fault: unknown): object {
  if (!(fault instanceof Error)) return { message: String(fault) };
  const { name, message, cause } = fault;
  const { code } = fault as { readonly code?: unknown };
  return {
    name,
    ...(typeof code === 'string' ? { code } : {}),
    message,
    ...(cause instanceof Error ? { cause: cause.message } : {}),
  };
}
