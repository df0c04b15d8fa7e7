// Which file is meant: --path, else ACTION_LEDGER_PATH, else ./action-ledger.db.
import { Option, type Command } from 'commander';
import { usageError } from '../cli-error.ts';
import { printable } from '../format/printable.ts';
import { type Io } from '../io.ts';

const defaultPath = './action-ledger.db';

export interface PathOption {
  readonly path?: string;
}

export function addPathOption(command: Command): Command {
  return command.addOption(
    new Option(
      '--path <file>',
      `the ledger's file (default: $ACTION_LEDGER_PATH, else ${defaultPath})`,
    ),
  );
}

export function addJsonOption(command: Command): Command {
  return command.option('--json', 'print JSON, for programs');
}

/** @throws CliError `cli.usage` where --path is empty, as an unset variable of a shell would be */
export function ledgerPath(io: Io, { path }: PathOption): string {
  if (path === '') throw usageError('--path is empty', 'name the file, or leave --path out.');
  const fromEnv = io.env['ACTION_LEDGER_PATH'];
  return path ?? (fromEnv === undefined || fromEnv === '' ? defaultPath : fromEnv);
}

/** Who speaks, where the machine's own name of its user says it; '' where it does not. */
export function userName({ env }: Io): string {
  const { USER: user = '', LOGNAME: login = '' } = env;
  return (user.trim() === '' ? login : user).trim();
}

/** What a command needs to name who speaks: nothing where the machine does it. */
export function bySuffix(io: Io): string {
  return userName(io) === '' ? ' --by NAME' : '';
}

/** What a command needs to name this ledger; nothing where it is the one that is meant without. */
export function pathSuffix(io: Io, path: string): string {
  return path === ledgerPath(io, {}) ? '' : ` --path ${printable(path)}`;
}
