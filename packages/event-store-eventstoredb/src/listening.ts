// One subscription of the client, from a position to its end. What arrives is handed over in batches, one
// at a time; silence ends it as an error does. It is over only when nothing of it is being handled.
import { START, streamNameFilter } from '@eventstore/db-client';
import { type RecordedEvent } from '@action-ledger/event-store';
import { type Runtime, type Timer } from '@action-ledger/runtime';
import { type Connection } from './connection.ts';
import { type Reading } from './reading.ts';
import { placeOf, type ReadEvent } from './wire.ts';

export interface ListeningDeps {
  readonly connection: Connection;
  readonly runtime: Pick<Runtime, 'timers'>;
  readonly reading: Pick<Reading, 'own'>;
  readonly prefix: string;
  /** Without a word for so long, it is taken for lost. */
  readonly watchdogMs: number;
}

/** Why one subscription is over. */
export type Over =
  | {
      readonly kind: 'lost';
      readonly error: unknown;
      /** The server had answered before. */
      readonly heard: boolean;
    }
  | { readonly kind: 'handler failed'; readonly error: unknown }
  | { readonly kind: 'closed' };

export type Handle = (events: readonly RecordedEvent[]) => Promise<void>;

/** Events handed over at once. */
export const batchMax = 256;
/** Windows of 32 events that the server has looked at, between two signs of life. */
const checkpointInterval = 8;

export class Listening {
  readonly over: Promise<Over>;
  readonly #deps: ListeningDeps;
  readonly #handle: Handle;
  readonly #client: ReturnType<Connection['client']>;
  readonly #subscription: ReturnType<ReturnType<Connection['client']>['subscribeToAll']>;
  readonly #waiting: RecordedEvent[] = [];
  #resolve: (over: Over) => void = () => undefined;
  #over: Over | undefined;
  #watchdog: Timer | undefined;
  #isHandling = false;
  #heard = false;

  /** @param after exclusive; 0 begins at the start */
  constructor(deps: ListeningDeps, after: number, handle: Handle) {
    this.#deps = deps;
    this.#handle = handle;
    this.over = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    this.#client = deps.connection.client();
    this.#subscription = this.#client.subscribeToAll({
      fromPosition: after === 0 ? START : placeOf(after),
      filter: streamNameFilter({
        prefixes: [deps.prefix],
        checkpointInterval,
        checkpointReached: async () => {
          this.#hear();
        },
      }),
    });
    this.#listen();
    this.#watch();
  }

  /** What is being handled goes on; nothing more of it is waited for. */
  close(): void {
    this.#finish({ kind: 'closed' });
  }

  #listen(): void {
    this.#subscription
      .on('data', ({ event }: { readonly event?: ReadEvent }) => {
        this.#hear();
        this.#take(event);
      })
      .on('confirmation', () => {
        this.#hear();
      })
      .on('error', (error: unknown) => {
        this.#lose(error);
      })
      .on('end', () => {
        this.#lose(new Error('The server ended the subscription.'));
      });
  }

  #take(event: ReadEvent | undefined): void {
    try {
      const own = this.#deps.reading.own(event);
      if (own !== undefined) this.#waiting.push(own);
    } catch (error) {
      this.#lose(error);
      return;
    }
    if (this.#waiting.length >= batchMax) this.#subscription.pause();
    if (this.#isHandling || this.#over !== undefined) return;
    void this.#handOver();
  }

  async #handOver(): Promise<void> {
    this.#isHandling = true;
    this.#watchdog?.cancel();
    try {
      while (this.#waiting.length > 0 && this.#over === undefined) {
        await this.#handle(this.#waiting.splice(0, batchMax));
        if (this.#waiting.length < batchMax) this.#subscription.resume();
      }
    } catch (error) {
      this.#finish({ kind: 'handler failed', error });
    }
    this.#isHandling = false;
    const over = this.#over;
    if (over === undefined) this.#watch();
    else this.#resolve(over);
  }

  #hear(): void {
    this.#heard = true;
    this.#watch();
  }

  #watch(): void {
    this.#watchdog?.cancel();
    if (this.#over !== undefined || this.#isHandling) return;
    this.#watchdog = this.#deps.runtime.timers.after(this.#deps.watchdogMs, () => {
      this.#lose(new Error('The server fell silent.'));
    });
  }

  #lose(error: unknown): void {
    this.#finish({ kind: 'lost', error, heard: this.#heard });
  }

  #finish(over: Over): void {
    if (this.#over !== undefined) return;
    this.#over = over;
    this.#watchdog?.cancel();
    this.#subscription.unsubscribe().catch(() => undefined);
    if (!this.#isHandling || over.kind === 'closed') this.#resolve(over);
  }
}
