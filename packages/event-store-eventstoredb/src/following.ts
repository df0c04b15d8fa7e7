// A subscription that goes on: the client's own ends with its connection and never comes back. The only
// position that counts is that of the last event which was handled; where the server tells of another
// one, it may run ahead of what was.
import {
  type RecordedEvent,
  StoreFault,
  type Subscriber,
  type Subscription,
} from '@action-ledger/event-store';
import { type Runtime } from '@action-ledger/runtime';
import { mayBeNoPlace, readFault } from './faults.ts';
import { batchMax, Listening, type ListeningDeps, type Over } from './listening.ts';
import { type Reading } from './reading.ts';

export interface FollowingDeps extends ListeningDeps {
  readonly runtime: Pick<Runtime, 'timers' | 'randomness'>;
  readonly reading: Pick<Reading, 'head' | 'own' | 'page'>;
}

const backoffMsMin = 50;
const backoffMsMax = 5_000;

export class Following implements Subscription {
  readonly #deps: FollowingDeps;
  readonly #subscriber: Subscriber;
  readonly #ended: () => void;
  #position: number;
  /** Where the log ended when it was subscribed, once that is known. */
  #caughtUpAt: number | undefined;
  #isCaughtUp = false;
  #isOpen = true;
  /** Ends what it waits for. */
  #stop: () => void = () => undefined;

  /** @param after exclusive */
  constructor(deps: FollowingDeps, after: number, subscriber: Subscriber, ended: () => void) {
    this.#deps = deps;
    this.#position = after;
    this.#subscriber = subscriber;
    this.#ended = ended;
    void this.#run();
  }

  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#ended();
    this.#stop();
  }

  end(fault: unknown): void {
    if (!this.#isOpen) return;
    this.close();
    try {
      this.#subscriber.onDropped?.(fault);
    } catch {
      // The subscriber is gone and so is the one who could be told.
    }
  }

  async #run(): Promise<void> {
    // The subscriber gets its subscription before its first event.
    await Promise.resolve();
    let failures = 0;
    while (this.#isOpen) {
      const over = await this.#listen();
      if (over.kind === 'closed') return;
      if (over.kind === 'handler failed' || isForGood(over.error)) {
        this.end(over.error);
        return;
      }
      failures = over.heard ? 0 : failures + 1;
      await this.#pause(failures);
      if (mayBeNoPlace(over.error)) await this.#step();
    }
  }

  /** One subscription of the client, from the last position that was handled to its end. */
  async #listen(): Promise<Over> {
    try {
      this.#caughtUpAt ??= (await this.#deps.reading.head())?.position ?? 0;
    } catch (error) {
      return { kind: 'lost', error, heard: false };
    }
    try {
      this.#tellCaughtUp();
    } catch (error) {
      return { kind: 'handler failed', error };
    }
    if (!this.#isOpen) return { kind: 'closed' };
    const listening = new Listening(this.#deps, this.#position, (events) => this.#take(events));
    this.#stop = () => {
      listening.close();
    };
    return listening.over;
  }

  /** From a place where no event lies the server sends nothing: a page brings it to one that is. */
  async #step(): Promise<void> {
    if (!this.#isStillOpen()) return;
    try {
      const events = await this.#deps.reading.page(this.#position, batchMax);
      if (events.length > 0 && this.#isStillOpen()) await this.#take(events);
    } catch (error) {
      if (!(error instanceof StoreFault) || error.retry === 'never') this.end(error);
    }
  }

  /** It may be closed while something is waited for, which the compiler cannot see. */
  #isStillOpen(): boolean {
    return this.#isOpen;
  }

  async #take(events: readonly RecordedEvent[]): Promise<void> {
    await this.#subscriber.onEvents(events);
    this.#position = events.at(-1)?.position ?? this.#position;
    this.#tellCaughtUp();
  }

  #tellCaughtUp(): void {
    if (this.#isCaughtUp || this.#position < (this.#caughtUpAt ?? Infinity)) return;
    this.#isCaughtUp = true;
    if (this.#isOpen) this.#subscriber.onCaughtUp?.();
  }

  #pause(failures: number): Promise<void> {
    const { timers, randomness } = this.#deps.runtime;
    const most = Math.min(backoffMsMax, backoffMsMin * 2 ** Math.min(failures, 16));
    return new Promise((resolve) => {
      const timer = timers.after(most / 2 + (most / 2) * randomness.next(), resolve, {
        keepsAlive: true,
      });
      this.#stop = () => {
        timer.cancel();
        resolve();
      };
    });
  }
}

/** The store broke, or refuses: asking again would change nothing. */
function isForGood(error: unknown): boolean {
  return readFault('The subscription', error).retry === 'never';
}
