// One service of a play in a process of its own: killed with -9 when it is told to be, and started again as
// it was.
import { type ChildProcess } from 'node:child_process';
import { CliError } from '../../cli-error.ts';
import { settling } from '../settling.ts';

export type Env = Readonly<Record<string, string>>;

/** Starts this program with these arguments and variables; the two talk by messages. */
export type StartMember = (args: readonly string[], env: Env) => ChildProcess;

export interface MemberOptions {
  readonly start: StartMember;
  readonly service: string;
  readonly env: Env;
}

export interface Started {
  /** Where it answers, by what is there. */
  readonly urls: Readonly<Record<string, string>>;
}

export class Member {
  readonly service: string;
  readonly #options: MemberOptions;
  readonly #closed = settling<undefined>();
  #started = settling<Started>();
  #urls: Started['urls'] = {};
  #kills = 0;
  #failure: Error | undefined;
  #isClosing = false;
  /** From a kill until the next process is begun. */
  #dying = settling<undefined>();
  #child: ChildProcess;

  constructor(options: MemberOptions) {
    this.#options = options;
    this.service = options.service;
    this.#closed.promise.catch(() => undefined);
    this.#child = this.#begin();
    process.prependOnceListener('exit', this.#kill);
  }

  /** Of the process that there is now. */
  get started(): Promise<Started> {
    return this.#started.promise;
  }

  /** Of the process that there was last. */
  get urls(): Started['urls'] {
    return this.#urls;
  }

  get kills(): number {
    return this.#kills;
  }

  /** It ended by itself, and does not come back. */
  get failure(): Error | undefined {
    return this.#failure;
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** kill -9. A process that is just dying is not killed twice. */
  strike(): void {
    if (this.#isClosing || this.#child.killed) return;
    this.#kills += 1;
    this.#dying = settling();
    this.#kill();
  }

  /** What is under way is finished. */
  async close(): Promise<void> {
    this.#isClosing = true;
    try {
      // One that was just killed is started once more, to finish what it has left.
      if (this.#child.killed) await this.#dying.promise;
      await this.#started.promise;
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
    const { start, service, env } = this.#options;
    const { api } = this.#urls;
    // At the same address as before.
    const port = api === undefined ? {} : { ACTION_LEDGER_PORT: new URL(api).port };
    const child = start(['serve', service], { ...env, ...port });
    const started = settling<Started>();
    started.promise.catch(() => undefined);
    this.#started = started;
    child.on('message', (message) => {
      const told = message as { readonly kind?: string } & Started;
      if (told.kind !== 'started') return;
      this.#urls = told.urls;
      started.resolve(told);
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
    else this.#fail(unexpectedEnd(this.service, how));
  }

  #fail(error: Error): void {
    this.#failure = error;
    this.#started.reject(error);
    this.#closed.reject(error);
  }
}

function unexpectedEnd(service: string, how: string | number | null): Error {
  return new CliError('play.server', `the ${service} of the play ended by itself (${how ?? '?'})`, {
    fix: 'see what it said above; this is a bug unless something else ended it.',
  });
}
