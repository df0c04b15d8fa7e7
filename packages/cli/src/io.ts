// What the command line touches of the outside: where it writes, how wide that is, its environment.
// Passed in, so that a test sees every character.
import { createSystemRuntime, type Runtime } from '@action-ledger/runtime';

export interface Io {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** Resolves when whoever reads has taken what was written; else much of it waits in memory. */
  readonly drained?: () => Promise<void>;
  /** A person looks at it. */
  readonly isTerminal: boolean;
  readonly isColoured: boolean;
  /** Of the terminal; undefined where lines may be as long as they are. */
  readonly columns: number | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly runtime: Runtime;
  readonly version: string;
}

/** Narrower than this, tables would be unreadable; a terminal may wrap them then. */
const columnsMin = 60;

export function processIo(version: string): Io {
  const { stdout, stderr, env } = process;
  const isTerminal = stdout.isTTY;
  return {
    out: (text) => void stdout.write(text),
    err: (text) => void stderr.write(text),
    drained: () =>
      stdout.writableNeedDrain
        ? new Promise((resolve) => stdout.once('drain', resolve))
        : Promise.resolve(),
    isTerminal,
    // Knows NO_COLOR, FORCE_COLOR and what the terminal can do.
    isColoured: isTerminal && stdout.hasColors(),
    columns: isTerminal ? Math.max(columnsMin, stdout.columns) : undefined,
    env,
    runtime: createSystemRuntime(),
    version,
  };
}
