// Starts a worker of a play: this very program once more, as its hidden command.
import { type ChildProcess, spawn } from 'node:child_process';
import { CliError } from '../cli-error.ts';

export function startWorker(): ChildProcess {
  const [node, program] = process.argv;
  if (node === undefined || program === undefined) {
    throw new CliError('play.worker', 'a play with kills needs the program as a file of its own', {
      fix: 'start it as `action-ledger play …`.',
    });
  }
  return spawn(process.execPath, [...process.execArgv, program, 'play-worker'], {
    // The last two: messages, and `killLogFd`.
    stdio: ['ignore', 'ignore', 'inherit', 'ipc', 'pipe'],
  });
}
