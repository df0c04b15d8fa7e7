// A trace or a catalogue that cannot be used. The message names the place and what to do.
export class TraceFault extends Error {
  readonly code = 'trace.unreadable';
  readonly file: string;
  /** Counted from 1. */
  readonly line: number | undefined;

  constructor(file: string, line: number | undefined, problem: string, cause?: unknown) {
    super(`${file}${line === undefined ? '' : `:${line}`}: ${problem}`, { cause });
    this.name = 'TraceFault';
    this.file = file;
    this.line = line;
  }
}
