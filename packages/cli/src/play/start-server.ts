// Starts the server of a play: this very program once more, as `action-ledger start`.
import { type ChildProcess, spawn } from 'node:child_process';
import { CliError } from '../cli-error.ts';

export function startServer(args: readonly string[]): ChildProcess {
  const [node, program] = process.argv;
  if (node === undefined || program === undefined) {
    throw new CliError('play.server', 'a server of its own needs the program as a file', {
      fix: 'start it as `action-ledger play …`.',
    });
  }
  return spawn(process.execPath, [...process.execArgv, program, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}
