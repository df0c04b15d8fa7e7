// Promises where none are expected: known for what they are, and never rejected with nobody listening,
// which would end the process.

/** @throws what a getter of `then` throws */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return (
    ((typeof value === 'object' && value !== null) || typeof value === 'function') &&
    typeof (value as { readonly then?: unknown }).then === 'function'
  );
}

/** What becomes of it concerns nobody. @throws what a getter of `then` throws */
export function silence(value: unknown): void {
  if (!isThenable(value)) return;
  Promise.resolve(value).catch(() => undefined);
}
