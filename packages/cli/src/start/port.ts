// The port of an API, as an option says it.
import { InvalidArgumentError, Option } from 'commander';

const portUsual = 7373;

export function portOption(description: string): Option {
  return new Option('--port <number>', description)
    .argParser(port)
    .env('ACTION_LEDGER_PORT')
    .default(portUsual);
}

const metricsPortUsual = 9373;

export function metricsPortOption(): Option {
  return new Option('--metrics-port <number>', 'on which port; 0: any that is free')
    .argParser(port)
    .default(metricsPortUsual);
}

/** @throws InvalidArgumentError */
export function port(text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value > 65_535)
    throw new InvalidArgumentError('it is a number from 0 to 65535.');
  return value;
}
