// The ledger of a play with kills: one worker process after the other on the same file. What a killed
// worker has not answered is delivered again, as the same calls, to the next one, which stands ready.
import { type ChildProcess } from 'node:child_process';
import { type Readable } from 'node:stream';
import { type DeclaredTool } from '@action-ledger/sandbox';
import { CliError } from '../cli-error.ts';
import { type Delivered, type Deliverer, type Delivery } from './delivery.ts';
import { nameOfPass, type PointPassed } from './kill-plan.ts';
import { settling } from './settling.ts';
import {
  type FromWorker,
  killLogFd,
  type PendingDelivery,
  type ToWorker,
} from './worker-messages.ts';

/** Starts a process that runs `runWorker`, with an IPC channel and a pipe at `killLogFd`. */
export type StartWorker = () => ChildProcess;

export interface WorkersOptions {
  readonly start: StartWorker;
  readonly path: string;
  /** The provider's. */
  readonly url: string;
  readonly tools: readonly DeclaredTool[];
  readonly seed: number;
  readonly killShare: number;
}

interface Waiting extends PendingDelivery {
  readonly spent: string[];
  readonly resolve: (told: Delivered) => void;
  readonly reject: (error: unknown) => void;
}

export class Workers implements Deliverer {
  /** The passes at which workers were killed, in order. */
  readonly kills: PointPassed[] = [];
  readonly #options: WorkersOptions;
  readonly #waiting = new Map<number, Waiting>();
  readonly #spent = new Map<string, readonly string[]>();
  readonly #closed = settling<undefined>();
  #ids = 0;
  #killed = 0;
  #failure: Error | undefined;
  #isClosing = false;
  #current: ChildProcess;
  #spare: ChildProcess;

  constructor(options: WorkersOptions) {
    this.#options = options;
    this.#closed.promise.catch(() => undefined);
    this.#current = this.#begin(options.start());
    this.#spare = options.start();
    // Before the folder of their file is removed.
    process.prependOnceListener('exit', this.#killAll);
  }

  /** Worker processes that were killed. */
  get killed(): number {
    return this.#killed;
  }

  deliver(delivery: Delivery): Promise<Delivered> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    const { promise, resolve, reject } = settling<Delivered>();
    this.#ids += 1;
    const pending = {
      id: this.#ids,
      delivery,
      spent: [...(this.#spent.get(delivery.tenant) ?? [])],
    };
    this.#waiting.set(pending.id, { ...pending, resolve, reject });
    tell(this.#current, { type: 'deliver', ...pending });
    return promise;
  }

  endRun(tenant: string): void {
    this.#spent.delete(tenant);
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    tell(this.#current, { type: 'close' });
    try {
      await this.#closed.promise;
    } finally {
      process.off('exit', this.#killAll);
      this.#killAll();
    }
  }

  readonly #killAll = (): void => {
    this.#current.kill('SIGKILL');
    this.#spare.kill('SIGKILL');
  };

  #begin(worker: ChildProcess): ChildProcess {
    const { path, url, tools, seed, killShare } = this.#options;
    const killsBefore = this.kills.length;
    worker.on('message', (message: FromWorker) => {
      this.#hear(message);
    });
    onLine(worker.stdio[killLogFd] as Readable, (line) => {
      this.#noteKill(JSON.parse(line) as PointPassed);
    });
    // Not `exit`: what it wrote before its end is to be read first.
    worker.once('close', (code, signal) => {
      if (this.#isClosing && code === 0) this.#closed.resolve(undefined);
      else if (this.kills.length > killsBefore) this.#goOn();
      else this.#fail(unexpectedEnd(signal ?? code));
    });
    worker.once('error', (error) => {
      this.#fail(error);
    });
    const pending = [...this.#waiting.values()].map(({ id, delivery, spent }) => ({
      id,
      delivery,
      spent,
    }));
    tell(worker, { type: 'open', path, url, tools, seed, killShare, pending });
    return worker;
  }

  #goOn(): void {
    if (this.#failure !== undefined) return;
    this.#killed += 1;
    this.#current = this.#begin(this.#spare);
    this.#spare = this.#options.start();
    if (this.#isClosing) tell(this.#current, { type: 'close' });
  }

  #hear(message: FromWorker): void {
    switch (message.type) {
      case 'told':
        this.#waiting.get(message.id)?.resolve(message.told);
        this.#waiting.delete(message.id);
        return;
      case 'failed':
        this.#fail(workerFailed(message.message));
    }
  }

  #noteKill(pass: PointPassed): void {
    this.kills.push(pass);
    const name = nameOfPass(pass);
    this.#spent.set(pass.run, [...(this.#spent.get(pass.run) ?? []), name]);
    for (const { delivery, spent } of this.#waiting.values())
      if (delivery.tenant === pass.run) spent.push(name);
  }

  #fail(error: Error): void {
    if (this.#failure !== undefined) return;
    this.#failure = error;
    this.#killAll();
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
    this.#closed.reject(error);
  }
}

/** A worker that is just being killed takes nothing more; the next one gets it. */
function tell(worker: ChildProcess, message: ToWorker): void {
  if (worker.connected) worker.send(message, () => undefined);
}

function onLine(stream: Readable, hear: (line: string) => void): void {
  let rest = '';
  stream.setEncoding('utf8');
  stream.on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    lines.forEach(hear);
  });
}

function unexpectedEnd(how: string | number | null): Error {
  return new CliError(
    'play.worker',
    `a worker of the play ended by itself (${how ?? 'no reason'})`,
    {
      fix: 'see what it said above; this is a bug unless something else ended it.',
    },
  );
}

function workerFailed(message: string): Error {
  return new CliError('play.worker', `a worker of the play failed: ${message}`, {
    fix: 'see what it said above; docs/errors.md has every code.',
  });
}
