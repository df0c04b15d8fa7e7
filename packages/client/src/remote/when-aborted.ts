// What the first of several signals ends. One signal made of them all would be kept by Node for as long as
// anybody listens to it, and everything with it that waits for an answer which never comes.

export function isAborted(signals: readonly AbortSignal[]): boolean {
  return signals.some(({ aborted }) => aborted);
}

/**
 * @param end not called for those that are aborted already
 * @returns to be called when there is nothing to end any more
 */
export function whenAborted(signals: readonly AbortSignal[], end: () => void): () => void {
  for (const signal of signals) signal.addEventListener('abort', end, { once: true });
  return () => {
    for (const signal of signals) signal.removeEventListener('abort', end);
  };
}
