// Everything that differs from run to run: time, timers, randomness, ids. Passed in everywhere, so
// that a test or a simulation decides it. Only this package touches the real ones.

/** Milliseconds. `wallMs` since the Unix epoch, may jump; `monoMs` from any start, never goes back. */
export interface Clock {
  wallMs(): number;
  monoMs(): number;
}

export interface Timer {
  cancel(): void;
}

export interface Timers {
  /**
   * Runs once after at least `delayMs` of monotonic time. Does not keep the process alive unless
   * asked to: a caller that waits does, a sweep does not.
   */
  after(delayMs: number, run: () => void, options?: { readonly keepsAlive?: boolean }): Timer;
}

export interface Randomness {
  /** In [0, 1). */
  readonly next: () => number;
}

export interface Ids {
  /** 128 random bits as 22 base64url characters. */
  readonly next: () => string;
}

export interface Runtime {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly randomness: Randomness;
  readonly ids: Ids;
}
