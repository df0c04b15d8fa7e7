// What runs a tool measures time by what it is given: the runtime's own, or those of a test.

/** Ms of monotonic time; `keepsAlive`: the process does not end before. */
export interface Timers {
  after(
    delayMs: number,
    run: () => void,
    options?: { readonly keepsAlive?: boolean },
  ): { cancel(): void };
}
