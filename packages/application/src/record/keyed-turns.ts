// One at a time under each key, in the order in which they came; others go on beside. A turn that fails
// holds up nobody, and a key that nobody waits for takes no room.
export type KeyedTurns = <Result>(key: string, work: () => Promise<Result>) => Promise<Result>;

export function createKeyedTurns(): KeyedTurns {
  const last = new Map<string, Promise<unknown>>();
  return (key, work) => {
    const result = (last.get(key) ?? Promise.resolve()).then(work);
    const over = result
      .catch(() => undefined)
      .finally(() => {
        if (last.get(key) === over) last.delete(key);
      });
    last.set(key, over);
    return result;
  };
}
