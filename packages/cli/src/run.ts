// Parses one command line and runs it. Every way out is an exit code: 0 done, 1 found wrong or failed,
// 2 called wrongly.
import { Command, CommanderError } from 'commander';
import { type ExitCode, tellError } from './cli-error.ts';
import { createCli } from './cli.ts';
import { commands } from './commands.ts';
import { idArguments } from './id-arguments.ts';
import { type Io } from './io.ts';

export async function run(args: readonly string[], io: Io): Promise<ExitCode> {
  let exitCode: ExitCode = 0;
  const cli = createCli(io, (code) => {
    exitCode = code;
  });
  const program = createProgram(io);
  for (const register of commands) register(program, cli);
  if (args.length === 0) {
    program.outputHelp();
    return 2;
  }
  try {
    await program.parseAsync(idArguments(args), { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    return tellError(io, error, args.includes('--json'));
  }
}

function createProgram(io: Io): Command {
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
      .showHelpAfterError('  fix: --help says what the command takes, with examples.')
      .configureOutput({
        writeOut: io.out,
        writeErr: io.err,
        outputError: (text, write) => {
          write(text.replace(/^error: /, 'action-ledger: '));
        },
        getOutHelpWidth: () => io.columns ?? 100,
        getErrHelpWidth: () => io.columns ?? 100,
      })
      .addHelpText('after', start)
  );
}

const start = `
Start here:
  action-ledger demo              see what goes wrong without a ledger, and what it does about it
  action-ledger actions list      what the ledger in ./action-ledger.db holds
  action-ledger verify            prove that nothing in it was changed

The file: --path FILE, else ACTION_LEDGER_PATH, else ./action-ledger.db.
Exit codes: 0 done, 1 found wrong or failed, 2 called wrongly.`;
