// What stops a command, told so that the reader knows what to do: what is wrong, and the fix.
// Exit codes: 0 done, 1 found wrong or failed, 2 called wrongly.
import type { SetupFault } from '@action-ledger/process';
import { StoreFault, type StoreFaultCode } from '@action-ledger/event-store';
import { printable, printableJson } from './format/printable.ts';
import { type Io } from './io.ts';

export type ExitCode = 0 | 1 | 2;

export class CliError extends Error {
  readonly code: string;
  readonly fix: string;
  readonly exitCode: ExitCode;

  constructor(
    code: string,
    message: string,
    options: { readonly fix: string; readonly exitCode?: ExitCode; readonly cause?: unknown },
  ) {
    super(message, { cause: options.cause });
    this.name = 'CliError';
    this.code = code;
    this.fix = options.fix;
    this.exitCode = options.exitCode ?? 1;
  }
}

export function usageError(message: string, fix: string): CliError {
  return new CliError('cli.usage', message, { fix, exitCode: 2 });
}

export function tellError(io: Io, error: unknown, asJson: boolean): ExitCode {
  const told = asCliError(error);
  const { code, message, fix, exitCode } = told;
  if (asJson) {
    io.err(`${printableJson({ error: { code, message, fix } })}\n`);
    return exitCode;
  }
  io.err(`action-ledger: ${lines(message)}\n`);
  io.err(`  fix: ${lines(fix)}\n`);
  if (code === 'cli.bug' && error instanceof Error && error.stack !== undefined)
    io.err(`${error.stack}\n`);
  return exitCode;
}

function lines(text: string): string {
  return text.split('\n').map(printable).join('\n  ');
}

function asCliError(error: unknown): CliError {
  if (error instanceof CliError) return error;
  if (isSetupFault(error)) {
    const { code, message, fix } = error;
    return new CliError(code, message, { fix, cause: error });
  }
  if (error instanceof StoreFault) {
    const { says, fix } = saysAndFix(error);
    return new CliError(error.code, says, { fix, cause: error });
  }
  const message = error instanceof Error ? error.message : String(error);
  return new CliError('cli.bug', `unexpected: ${message}`, {
    fix: 'this is a bug of the action ledger; please report it with the lines below.',
    cause: error,
  });
}

/** By its name: what throws it is loaded only where it is needed. */
function isSetupFault(error: unknown): error is SetupFault {
  return error instanceof Error && error.name === 'SetupFault';
}

/** What a fault says is wrong, and what it says to do: its message has the one before the other. */
export function saysAndFix({ code, message }: StoreFault): {
  readonly says: string;
  readonly fix: string;
} {
  const known = fixes[code];
  if (known !== undefined) return { says: message, fix: known };
  const [, says, fix] = /^(.+?\.) ([A-Z].*)$/s.exec(message) ?? [];
  return says === undefined || fix === undefined
    ? { says: message, fix: 'docs/errors.md says what to do about it.' }
    : { says, fix };
}

/** Where the fault's own message does not say it in the words of the command line. */
const fixes: { readonly [Code in StoreFaultCode]?: string } = {
  'store.not-found':
    'name the file with --path FILE or ACTION_LEDGER_PATH; it is made by `createLedger({ path })`.',
};
