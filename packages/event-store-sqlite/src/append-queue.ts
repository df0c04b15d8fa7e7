// Appends of concurrent callers wait here for the next turn of the event loop and are then written
// as one group, with one sync for all of them. The queue is bounded in appends and in characters.
// While another connection holds the write lock, the group waits by a timer; nothing is blocked.
import {
  type AppendResult,
  type ExpectedRevision,
  type NewEvent,
  StoreFault,
} from '@action-ledger/event-store';
import { type Runtime } from '@action-ledger/runtime';

export interface QueuedAppend {
  readonly stream: string;
  readonly expected: ExpectedRevision;
  readonly events: readonly NewEvent[];
  /** The events as they are stored. */
  readonly text: string;
  readonly queuedAtMs: number;
  readonly resolve: (result: AppendResult) => void;
  readonly reject: (fault: unknown) => void;
}

export interface AppendQueueParts {
  readonly runtime: Runtime;
  /** Settles every append of the group; false where the lock is held and nothing was done. */
  readonly write: (group: readonly QueuedAppend[]) => boolean;
  /** How long an append waits for the lock before it is refused. */
  readonly busyWaitMs: number;
}

const queuedAppendsMax = 16_384;
const queuedCharactersMax = 64 * 1024 * 1024;
const groupAppendsMax = 512;
const groupCharactersMax = 8 * 1024 * 1024;
const busyRetryMs = 5;
const busyRetryMsMax = 50;

export class AppendQueue {
  readonly #parts: AppendQueueParts;
  #queue: QueuedAppend[] = [];
  #characters = 0;
  #isScheduled = false;
  #retryMs = busyRetryMs;

  constructor(parts: AppendQueueParts) {
    this.#parts = parts;
  }

  /** @throws StoreFault `store.busy` where the queue is full. */
  add(append: QueuedAppend): void {
    const isFull =
      this.#queue.length >= queuedAppendsMax ||
      this.#characters + append.text.length > queuedCharactersMax;
    if (isFull) throw queueFull(this.#queue.length);
    this.#queue.push(append);
    this.#characters += append.text.length;
    this.#schedule();
  }

  /** Writes what can be written now; the rest is refused, having not been stored. */
  close(): void {
    while (this.#queue.length > 0) if (!this.#writeGroup()) break;
    this.#refuse(this.#queue.length, closedBefore());
  }

  #schedule(): void {
    if (this.#isScheduled || this.#queue.length === 0) return;
    this.#isScheduled = true;
    // Not a microtask: callers that answer each other within one turn belong to one group.
    setImmediate(() => {
      this.#flush();
    });
  }

  #flush(): void {
    this.#isScheduled = false;
    if (this.#queue.length === 0) return;
    if (this.#writeGroup()) {
      this.#retryMs = busyRetryMs;
      this.#schedule();
    } else {
      this.#waitForLock();
    }
  }

  #writeGroup(): boolean {
    const group = firstGroup(this.#queue);
    if (!this.#parts.write(group)) return false;
    this.#drop(group.length);
    return true;
  }

  #waitForLock(): void {
    const { runtime, busyWaitMs } = this.#parts;
    const queuedBefore = runtime.clock.monoMs() - busyWaitMs;
    const inTime = this.#queue.findIndex((append) => append.queuedAtMs > queuedBefore);
    this.#refuse(inTime < 0 ? this.#queue.length : inTime, heldTooLong(busyWaitMs));
    if (this.#queue.length === 0) return;
    this.#isScheduled = true;
    const flush = (): void => {
      this.#flush();
    };
    // Somebody waits for what is queued.
    runtime.timers.after(this.#retryMs, flush, { keepsAlive: true });
    this.#retryMs = Math.min(this.#retryMs * 2, busyRetryMsMax);
  }

  /** The first `count` appends. */
  #refuse(count: number, fault: StoreFault): void {
    for (const append of this.#drop(count)) append.reject(fault);
  }

  #drop(count: number): readonly QueuedAppend[] {
    const dropped = this.#queue.slice(0, count);
    this.#queue = count === this.#queue.length ? [] : this.#queue.slice(count);
    for (const { text } of dropped) this.#characters -= text.length;
    return dropped;
  }
}

function firstGroup(queue: readonly QueuedAppend[]): readonly QueuedAppend[] {
  let characters = 0;
  let count = 0;
  for (const { text } of queue) {
    characters += text.length;
    if (count === groupAppendsMax || (count > 0 && characters > groupCharactersMax)) break;
    count += 1;
  }
  return count === queue.length ? queue : queue.slice(0, count);
}

function queueFull(waiting: number): StoreFault {
  return new StoreFault(
    'store.busy',
    'safe',
    `${waiting} appends wait to be written, and no more are taken. Try again later.`,
  );
}

function heldTooLong(busyWaitMs: number): StoreFault {
  return new StoreFault(
    'store.busy',
    'safe',
    `Another connection has held the write lock of the event store for ${busyWaitMs} ms. Nothing was stored; end what holds it, then try again.`,
  );
}

function closedBefore(): StoreFault {
  return new StoreFault(
    'store.closed',
    'never',
    'The event store was closed before this append could be written. Nothing was stored.',
  );
}
