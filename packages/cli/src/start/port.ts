// The port of an API, as an option says it.
import { InvalidArgumentError } from 'commander';

export const portUsual = 7373;

/** @throws InvalidArgumentError */
export function port(text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value > 65_535)
    throw new InvalidArgumentError('it is a number from 0 to 65535.');
  return value;
}
