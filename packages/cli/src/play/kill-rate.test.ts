// What the flags of a play mean together.
import { Command } from 'commander';
import { expect, it } from '@jest/globals';
import { withKills } from './register-play.ts';

function given(...args: readonly string[]): boolean {
  const command = new Command('play')
    .option('--kill-workers')
    .option('--kill-rate <percent>', '', '0.5%');
  command.parse([...args], { from: 'user' });
  return withKills(command, command.opts<{ killWorkers?: boolean }>()).killWorkers === true;
}

it('kills where a rate is given, and not by its default', () => {
  expect([given(), given('--kill-workers'), given('--kill-rate', '1%')]).toEqual([
    false,
    true,
    true,
  ]);
});
