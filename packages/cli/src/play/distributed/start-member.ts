// Starts one service of a play: this very program once more, as `action-ledger serve`.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { getCallSites } from 'node:util';
import { CliError } from '../../cli-error.ts';
import { type Env } from './member.ts';

export function startMember(args: readonly string[], env: Env): ChildProcess {
  const [node, program] = process.argv;
  if (node === undefined || program === undefined) {
    throw new CliError('play.server', 'services of its own need the program as a file', {
      fix: 'start it as `action-ledger play …`.',
    });
  }
  return spawn(process.execPath, [...process.execArgv, program, ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
}

/** The module of a play's tools, beside this file, whether it runs from its source or from dist. */
export function sandboxToolsFile(): string {
  const here = getCallSites(1)[0]?.scriptName ?? '';
  const path = here.startsWith('file:') ? fileURLToPath(here) : here;
  const file = path.replace(/start-member\.(ts|js)$/, 'sandbox-tools-main.$1');
  if (file !== path && existsSync(file)) return file;
  throw new CliError('play.server', 'the tools of the play are not beside the program', {
    fix: 'start it from the repository, or from its build.',
  });
}
