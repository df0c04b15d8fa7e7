// Work on things that do not wait for one another, so many at once. One that breaks holds up no other; once the
// store or the log is away nothing more is begun.
import { isOutage } from '@action-ledger/event-log';

const atOnceUsual = 16;

/**
 * Resolves when all of it is done.
 * @throws what broke, and an outage first: after all that was begun has ended
 */
export async function sideBySide<Item>(
  items: Iterable<Item>,
  work: (item: Item) => Promise<unknown>,
  atOnceMax = atOnceUsual,
): Promise<void> {
  const waiting = items[Symbol.iterator]();
  const faults: unknown[] = [];
  const lane = async (): Promise<void> => {
    while (!faults.some(isOutage)) {
      const next = waiting.next();
      if (next.done === true) return;
      try {
        await work(next.value);
      } catch (fault) {
        faults.push(fault);
      }
    }
  };
  await Promise.all(Array.from({ length: atOnceMax }, lane));
  if (faults.length > 0) throw faults.find(isOutage) ?? faults[0];
}
