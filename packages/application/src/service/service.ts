// What every service of the ledger is to the program that runs it.

export interface ServiceHealth {
  /**
   * `starting`: what it depends on is away, it tries again. `stuck`: something waits, and for too long
   * nothing of it was done: restart it, or look at what its handler waits for.
   */
  readonly condition: 'stopped' | 'starting' | 'live' | 'paused' | 'stuck';
  /** Milliseconds since the last progress where something waits, at the place that waits longest; else 0. */
  readonly stalledMs: number;
  /** What waits, as far as known; never less than it was when it was last looked at. */
  readonly lag: number | undefined;
  readonly handled: number;
  /** Records that came once more, and had been handled here before; undefined where that is not known. */
  readonly redelivered?: number;
  readonly deadLetters: number;
}

export interface Service {
  /** Resolves when it works, or was stopped before it did. @throws where it never can: wrong options, no such topic */
  start(): Promise<void>;
  /** Begins nothing more, waits for what runs, within a bound. May be started again. */
  stop(): Promise<void>;
  readonly health: () => ServiceHealth;
}
