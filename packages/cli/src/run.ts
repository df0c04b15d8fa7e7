// Parses one command line and runs it. Every way out is an exit code: 0 done, 1 found wrong or failed,
// 2 called wrongly.
import { Command, CommanderError } from 'commander';
import { type CliError, type ExitCode, tellError, usageError } from './cli-error.ts';
import { createCli } from './cli.ts';
import { commands } from './commands.ts';
import { idArguments } from './id-arguments.ts';
import { type Io } from './io.ts';

export async function run(args: readonly string[], io: Io): Promise<ExitCode> {
  let exitCode: ExitCode = 0;
  const cli = createCli(io, (code) => {
    exitCode = code;
  });
  const asJson = args.includes('--json');
  const program = createProgram(io, asJson);
  for (const register of commands) register(program, cli);
  program.commands.forEach(joinLines);
  if (args.length === 0) {
    program.outputHelp();
    return 2;
  }
  try {
    await program.parseAsync(idArguments(args), { from: 'user' });
    return exitCode;
  } catch (error) {
    if (!(error instanceof CommanderError)) return tellError(io, error, asJson);
    if (error.exitCode === 0) return 0;
    return asJson ? tellError(io, usageErrorOf(error), asJson) : 2;
  }
}

/** What commander has told people already, for programs. */
function usageErrorOf({ message }: CommanderError): CliError {
  const what = message === '(outputHelp)' ? 'a command is missing' : message;
  return usageError(
    inWords(what)
      .replace(/^error: /, '')
      .replaceAll('\n', ' '),
    fixFor(what),
  );
}

/** Whatever is missing is called so. */
function inWords(text: string): string {
  return text.replace(/required option '(.+)' not specified/, "missing required option '$1'");
}

function fixFor(text: string): string {
  return text.includes('unknown command')
    ? 'there is no such command: --help lists those that there are.'
    : '--help says what the command takes, with examples.';
}

/** @param asJson errors are told as JSON, by whoever runs the program */
function createProgram(io: Io, asJson: boolean): Command {
  return (
    new Command('action-ledger')
      .description(
        'One logical action of an AI agent, one durable identity, zero or one effect:\nlook into a ledger, prove what happened, and try it out.',
      )
      .version(io.version, '-V, --version', 'print the version')
      // Throws instead of ending the process; subcommands inherit it.
      .exitOverride()
      .helpOption('-h, --help', 'print this help')
      .helpCommand('help [command]', 'print the help of a command')
      .configureOutput({
        writeOut: io.out,
        writeErr: asJson ? () => undefined : io.err,
        outputError: (text, write) => {
          const told = inWords(text.trimEnd()).replace(/^error: /, 'action-ledger: ');
          write(`${told.replaceAll('\n', ' ')}\n  fix: ${fixFor(told)}\n`);
        },
        getOutHelpWidth: () => io.columns ?? 100,
        getErrHelpWidth: () => io.columns ?? 100,
      })
      .addHelpText('after', start)
  );
}

/** Descriptions are broken where the terminal ends, not where the source does. */
function joinLines(command: Command): void {
  command.description(command.description().replace(/(?<!\n)\n(?!\n)/g, ' '));
  command.commands.forEach(joinLines);
}

const start = `
Start here:
  action-ledger demo          what goes wrong without a ledger, and with one
  action-ledger actions list  what the ledger in ./action-ledger.db holds
  action-ledger verify        prove that nothing in it was changed

The file: --path FILE, else ACTION_LEDGER_PATH, else ./action-ledger.db.
Exit codes: 0 done, 1 found wrong or failed, 2 called wrongly.`;
