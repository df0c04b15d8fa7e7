// The port to the event store: one stream per action, appended with an expected revision, and all
// streams in one order of positions. The append rules are those of EventStoreDB, on every adapter:
// an append is atomic; a repeated append with the same ids at the same expected revision succeeds
// and writes nothing; anything else at a wrong revision is a conflict, which is a value.

/** Data and metadata are canonical JSON texts (RFC 8785), stored and returned byte for byte. */
export interface NewEvent {
  /** Minted once per decision (22 base64url characters or a UUID); reused only to retry that append. */
  readonly id: string;
  readonly type: string;
  readonly data: string;
  readonly metadata: string;
}

export interface RecordedEvent extends NewEvent {
  readonly stream: string;
  /** 0 for the first event of a stream, without gaps. */
  readonly revision: number;
  /**
   * The place among the events of all streams: 1 for the first, rising. In one store there are no gaps
   * but where events were given up.
   */
  readonly position: number;
}

export type ExpectedRevision = 'no stream' | number;

export type AppendResult =
  | {
      readonly kind: 'appended';
      /** Revision and position of the last event of the append. */
      readonly revision: number;
      readonly position: number;
      /** The events had been stored by an earlier try of the same append; nothing was written now. */
      readonly repeated: boolean;
    }
  | {
      readonly kind: 'conflict';
      /** The last revision of the stream, or undefined where it has none. Never decide by it: read. */
      readonly actual: number | undefined;
    };

export interface ReadAllOptions {
  /** Exclusive; 0 reads from the start. */
  readonly after: number;
  readonly max: number;
}

export interface Subscriber {
  /** In the order of positions. The next batch comes once this one is handled. */
  readonly onEvents: (events: readonly RecordedEvent[]) => void | Promise<void>;
  /** Called once, when the subscriber has seen everything that was stored when it subscribed. */
  readonly onCaughtUp?: () => void;
  /** The subscription has ended by itself (the handler threw, the store broke); it never resumes. */
  readonly onDropped?: (fault: unknown) => void;
}

export interface Subscription {
  close(): void;
}

/** `recovering`: the file is older than what it was known to hold; see DESIGN.md section 6. */
export type StoreCondition =
  | { readonly kind: 'ready' }
  | {
      readonly kind: 'recovering';
      readonly reason: string;
      /** The highest position that it was known to hold; 0 where that is not known. */
      readonly mark: number;
      /** The highest position that it held when this was noticed; what follows was recorded since. */
      readonly head: number;
      /** It is a backup, taken then (wall-clock ms): what was recorded before is in it. */
      readonly takenAt?: number;
      /** Positions, first and last, that were found lost while it was open. */
      readonly lost?: readonly (readonly [first: number, last: number])[];
      /** Something recorded then is lost, wall-clock ms: what it holds of a later time came after that. */
      readonly lostAt?: number;
      /**
       * A person has confirmed it since. What was read of it before may be of the lost time: whoever has it
       * open opens it anew.
       */
      readonly isConfirmed?: true;
    };

/** What a store keeps to find streams by, and what its events say, do not agree. */
export interface IndexFault {
  readonly stream: string;
  /** Of the stored append. */
  readonly position: number;
  /** What is wrong with it, to follow "position n …". */
  readonly what: string;
}

export interface IndexCheck {
  readonly streams: number;
  /** Appends stored. */
  readonly rows: number;
  /** Of these the index reaches so many; fewer or more means that some stream is damaged. */
  readonly reached: number;
  /** At most 100. */
  readonly faults: readonly IndexFault[];
}

/** A range of positions: the first is not in it, the last is. */
export interface PositionsAfter {
  readonly after: number;
  readonly through: number;
}

/** Of a stream, the events with a lower revision go. */
export interface StreamCut {
  readonly stream: string;
  readonly before: number;
}

/** Events that were given up, one after the other in one stream: their place is all that is left. */
export interface GivenUp {
  readonly stream: string;
  /** Of the first one. */
  readonly revision: number;
  /** Of the first one. */
  readonly position: number;
  readonly count: number;
}

export interface EventStore {
  /**
   * Durable when it resolves. 1 to 64 events, each at most 512 KiB.
   * @throws StoreFault with `retry: 'unsafe'` where it is not known whether the events were stored
   *   (retry identically, then read), `'safe'` where they were not, `'never'` where trying again
   *   cannot help (too large, malformed, closed, read-only).
   */
  append(
    stream: string,
    expected: ExpectedRevision,
    events: readonly NewEvent[],
  ): Promise<AppendResult>;
  /**
   * Events with revision >= `from` (default 0) in order; an empty list where there are none. A stream
   * that was cut begins with the first event that is left.
   */
  readStream(stream: string, from?: number): Promise<readonly RecordedEvent[]>;
  readAll(options: ReadAllOptions): Promise<readonly RecordedEvent[]>;
  /**
   * Gives events up for good: nothing reads them any more, and no append is compared with them, so
   * that repeating one of theirs is a conflict. The stream goes on from its last event, which stays:
   * revisions and positions are what they were, and `no stream` is a conflict. Cutting again, or
   * less, changes nothing; a subscriber that follows may still be given them. Each stream is cut
   * wholly or not at all, and durably when it resolves.
   * @throws StoreFault `store.invalid-append` where nothing of the stream would stay, as `append` otherwise
   */
  truncate(cuts: readonly StreamCut[]): Promise<void>;
  /**
   * Events given up at these positions, in order. Absent where positions have gaps of their own: there
   * a gap says nothing of a loss.
   */
  givenUp?(range: PositionsAfter): Promise<readonly GivenUp[]>;
  /** Starts after `after` (exclusive), goes on with what is appended later. */
  subscribe(after: number, subscriber: Subscriber): Subscription;
  /** The highest position stored, 0 when empty. */
  head(): Promise<number>;
  condition(): StoreCondition;
  /**
   * Compares what it keeps to find streams by with the events in a range of positions, by default
   * all of them: `after` exclusive, `through` inclusive. Absent where nothing of the kind is kept.
   */
  checkIndex?(range?: { readonly after?: number; readonly through?: number }): Promise<IndexCheck>;
  /**
   * Streams that what it keeps to find them by was found to have lost, at most 100: nothing is
   * appended to them. Absent where nothing of the kind is kept.
   */
  lostStreams?(): Promise<readonly IndexFault[]>;
  /**
   * Names of streams that begin so, in their order, at most `max`: without reading what they hold.
   * Absent where the store cannot list them.
   */
  streamNames?(start: string, max: number): Promise<readonly string[]>;
  /**
   * What was stored at these positions is gone, or cannot be found under its name: `recovering` from
   * now on, also after a restart, until an operator confirms it. Positions after the head were lost
   * with the end of the store, and will be given again. Where it is absent the caller remembers by
   * itself.
   * @returns false where one has confirmed these positions, or a time after `recordedAt`, before: then
   *   nothing changes
   */
  noteLoss?(loss: Loss): Promise<boolean>;
  /** Whatever was lost has been settled: `ready` from now on. Absent where it cannot be said. */
  confirmRecovered?(): Promise<void>;
  close(): Promise<void>;
}

export interface Loss {
  readonly first: number;
  readonly last: number;
  /** One sentence. */
  readonly reason: string;
  /** When the newest of it that is known was recorded, wall-clock ms. */
  readonly recordedAt?: number;
}

/** Bounds that every adapter keeps. */
export const eventBytesMax = 512 * 1024;
export const eventsPerAppendMax = 64;
