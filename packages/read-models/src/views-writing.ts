// When the views file is written, and by whom: some time after the first note, everything that has
// gathered, in this thread while that is little and in a thread of its own once it is much. One
// write at a time; a failed one is tried again, and nothing noted is let go before it is written.
import { type EventStore } from '@action-ledger/event-store';
import { nextTurn, type ViewsFollower } from './follow-store.ts';
import { type NumberedSideEntry, type SideEntry, storedSideEntriesMax } from './side-entry.ts';

export interface Timers {
  after(delayMs: number, run: () => void): { cancel(): void };
}

export interface Notes {
  /** Noted since the last seal. */
  size(): number;
  seal(): void;
  dropSealed(): void;
}

export interface ViewsWritingParts {
  /** What was noted and may not be in the file yet. */
  readonly notes: readonly Notes[];
  readonly store: Pick<EventStore, 'head'>;
  readonly timers: Timers;
  /** Follows in this thread. */
  readonly here: ViewsFollower;
  readonly startFollower: () => ViewsFollower | undefined;
  readonly onFault: (where: string, fault: unknown) => void;
  /** The number of the next side entry. */
  readonly nextSide: number;
}

const writeAfterMs = 250;
/** Of repeats there can be far more than the file keeps: most are dropped before they are written. */
const writeSidesAfterMs = 2_000;
const tryAgainAfterMs = 5_000;
/** More actions between two writes than this are left to a thread: writing them here takes 2 ms. */
const notesHereMax = 50;

export class ViewsWriting {
  readonly #parts: ViewsWritingParts;
  #timer: { cancel(): void } | undefined;
  #writing: Promise<void> | undefined;
  #thread: ViewsFollower | undefined;
  #mayStartThread = true;
  #isClosing = false;
  #nextSide: number;
  #sides: NumberedSideEntry[] = [];
  #sideTimer: { cancel(): void } | undefined;
  #areSidesDue = false;

  constructor(parts: ViewsWritingParts) {
    this.#parts = parts;
    this.#nextSide = parts.nextSide;
  }

  /** Something was noted. */
  expect(): void {
    if (this.#writing === undefined) this.#writeAfter(writeAfterMs);
  }

  addSides(entries: readonly SideEntry[]): void {
    for (const entry of entries) {
      this.#sides.push({ number: this.#nextSide, entry });
      this.#nextSide += 1;
    }
    if (this.#sides.length > 2 * storedSideEntriesMax) {
      this.#sides = this.#sides.slice(-storedSideEntriesMax);
    }
    if (this.#isClosing) return;
    this.#sideTimer ??= this.#parts.timers.after(writeSidesAfterMs, () => {
      this.#sideTimer = undefined;
      this.#areSidesDue = true;
      this.expect();
    });
  }

  /** Not known to be written yet, oldest first. */
  waitingSides(): readonly NumberedSideEntry[] {
    return this.#sides;
  }

  async flush(): Promise<void> {
    await this.#writing;
    this.#areSidesDue = true;
    await this.#start();
  }

  async close(): Promise<void> {
    // Side entries are told with the next turn of the event loop: the last ones are on their way.
    await nextTurn();
    this.#isClosing = true;
    this.#sideTimer?.cancel();
    await this.flush();
    await this.#stopThread();
  }

  #writeAfter(delayMs: number): void {
    if (this.#isClosing || this.#timer !== undefined) return;
    this.#timer = this.#parts.timers.after(delayMs, () => void this.#start());
  }

  #start(): Promise<void> {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#writing ??= this.#write().finally(() => {
      this.#writing = undefined;
    });
    return this.#writing;
  }

  async #write(): Promise<void> {
    const { onFault } = this.#parts;
    const sides = this.#areSidesDue ? [...this.#sides] : [];
    try {
      await this.#writeOnce(sides);
      const last = sides.at(-1)?.number ?? 0;
      this.#sides = this.#sides.filter(({ number }) => number > last);
      this.#areSidesDue = false;
      if (this.#noted() > 0) this.#writeAfter(writeAfterMs);
    } catch (fault) {
      onFault('writing the views', fault);
      await this.#stopThread();
      this.#writeAfter(tryAgainAfterMs);
    }
  }

  async #writeOnce(sides: readonly NumberedSideEntry[]): Promise<void> {
    const { notes, store } = this.#parts;
    const by = this.#follower();
    for (const each of notes) each.seal();
    // What is sealed was appended before, so that it lies at or before this position.
    const through = await store.head();
    const reached = await by.advance(sides);
    if (reached < through) throw new Error(`The views reach ${reached}, the store ${through}.`);
    for (const each of notes) each.dropSealed();
  }

  #follower(): ViewsFollower {
    const { startFollower, here } = this.#parts;
    if (this.#mayStartThread && !this.#isClosing && this.#noted() > notesHereMax) {
      this.#mayStartThread = false;
      this.#thread = startFollower();
    }
    return this.#thread ?? here;
  }

  #noted(): number {
    return this.#parts.notes.reduce((sum, notes) => sum + notes.size(), 0);
  }

  async #stopThread(): Promise<void> {
    const stopping = this.#thread;
    this.#thread = undefined;
    try {
      await stopping?.close();
    } catch (fault) {
      this.#parts.onFault('closing the views', fault);
    }
  }
}
