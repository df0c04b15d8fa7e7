// What every command gets: where to write, and how to say how it ended.
import type { Command } from 'commander';
import type { ExitCode } from './cli-error.ts';
import { printableJson } from './format/printable.ts';
import { createStyle, type Style } from './format/style.ts';
import { type Io } from './io.ts';

export interface Cli {
  readonly io: Io;
  readonly style: Style;
  /** One value on standard output, for programs. */
  readonly json: (value: unknown) => void;
  /** The exit code, where it is not 0. The last one said counts. */
  readonly end: (code: ExitCode) => void;
}

/** Adds one command to the program. */
export type Register = (program: Command, cli: Cli) => void;

export function createCli(io: Io, end: (code: ExitCode) => void): Cli {
  return {
    io,
    style: createStyle(io.isColoured),
    json: (value) => {
      io.out(`${printableJson(value, 2)}\n`);
    },
    end,
  };
}
