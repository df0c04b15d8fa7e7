// Runs work from a source, a bounded number of pieces at once. The first failure ends it: nothing
// new is taken, what runs is waited for, and the failure is thrown.
export async function inParallel<Item>(
  source: AsyncIterable<Item>,
  atOnce: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const items = source[Symbol.asyncIterator]();
  const failed: { readonly error: unknown }[] = [];
  let taking: Promise<unknown> = Promise.resolve();
  /** One after the other, because a generator is asked for one item at a time. */
  const take = (): Promise<IteratorResult<Item>> => {
    const next = taking.then(() => items.next());
    taking = next.catch(() => undefined);
    return next;
  };
  const lane = async (): Promise<void> => {
    while (failed.length === 0) {
      try {
        const next = await take();
        if (next.done === true) return;
        await work(next.value);
      } catch (error) {
        failed.push({ error });
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  await items.return?.();
  if (failed[0] !== undefined) throw failed[0].error;
}
