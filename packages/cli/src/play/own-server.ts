// A server that belongs to a play: `action-ledger start --sandbox` as a process of its own, killed with -9
// when it is told to be and started again at the same address.
import { type ChildProcess } from 'node:child_process';
import { CliError } from '../cli-error.ts';
import { settling } from './settling.ts';

/** Starts this program with these arguments; its standard output is a pipe. */
export type StartServer = (args: readonly string[]) => ChildProcess;

export interface OwnServerOptions {
  readonly start: StartServer;
  readonly path: string;
  readonly catalogues: readonly string[];
  /** The provider's address. */
  readonly provider: string;
}

export class OwnServer {
  readonly #options: OwnServerOptions;
  readonly #closed = settling<undefined>();
  /** Of the process that there is now. */
  #opened = settling<string>();
  #url: string | undefined;
  #kills = 0;
  #failure: Error | undefined;
  #isClosing = false;
  /** From a kill until the next process is begun. */
  #dying = settling<undefined>();
  #child: ChildProcess;

  constructor(options: OwnServerOptions) {
    this.#options = options;
    this.#closed.promise.catch(() => undefined);
    this.#child = this.#begin();
    // Before the folder of its file is removed.
    process.prependOnceListener('exit', this.#kill);
  }

  /** Where it answers, also after a kill. */
  get opened(): Promise<string> {
    return this.#opened.promise;
  }

  get kills(): number {
    return this.#kills;
  }

  /** It ended by itself: nobody will answer any more. */
  get failure(): Error | undefined {
    return this.#failure;
  }

  /** kill -9. A process that is just dying is not killed twice. */
  strike(): void {
    if (this.#url === undefined || this.#isClosing || this.#child.killed) return;
    this.#kills += 1;
    this.#dying = settling();
    this.#kill();
  }

  /** What is under way is finished; then the file is free. */
  async close(): Promise<void> {
    this.#isClosing = true;
    try {
      // One that was just killed is started once more, to finish what it has left.
      if (this.#child.killed) await this.#dying.promise;
      await this.#opened.promise;
      this.#child.kill('SIGTERM');
      await this.#closed.promise;
    } finally {
      process.off('exit', this.#kill);
      this.#kill();
    }
  }

  readonly #kill = (): void => {
    this.#child.kill('SIGKILL');
  };

  #begin(): ChildProcess {
    const { start, path, catalogues, provider } = this.#options;
    const port = this.#url === undefined ? '0' : new URL(this.#url).port;
    const sandbox = ['--sandbox', ...catalogues, '--provider', provider];
    const child = start(['start', ...sandbox, '--path', path, '--port', port]);
    const opened = settling<string>();
    opened.promise.catch(() => undefined);
    this.#opened = opened;
    let screen: string | undefined = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      if (screen === undefined) return;
      screen += text;
      const url = /^ *API +(http:\S+)\/v1$/m.exec(screen)?.[1];
      if (url === undefined || !screen.includes(lastLine)) return;
      screen = undefined;
      this.#url = url;
      opened.resolve(url);
    });
    child.once('close', (code, signal) => {
      this.#ended(child, signal ?? code);
    });
    child.once('error', (error) => {
      this.#fail(error);
    });
    return child;
  }

  #ended(child: ChildProcess, how: string | number | null): void {
    if (this.#failure !== undefined) return;
    if (child.killed && how === 'SIGKILL') {
      this.#child = this.#begin();
      this.#dying.resolve(undefined);
    } else if (this.#isClosing && how === 0) this.#closed.resolve(undefined);
    else this.#fail(unexpectedEnd(how));
  }

  #fail(error: Error): void {
    this.#failure = error;
    this.#opened.reject(error);
    this.#closed.reject(error);
  }
}

/** Of the first screen. */
const lastLine = 'Ctrl-C stops it.';

function unexpectedEnd(how: string | number | null): Error {
  return new CliError('play.server', `the server of the play ended by itself (${how ?? '?'})`, {
    fix: 'see what it said above; this is a bug unless something else ended it.',
  });
}
