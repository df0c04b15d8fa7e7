// Appends that ended without an answer: any of them may be stored, so that the next success of the same
// one is no proof that nobody has followed. The oldest are forgotten: by then nobody tries them again.

export interface Doubts {
  add(key: string): void;
  has(key: string): boolean;
  forget(key: string): void;
}

const doubtsMax = 10_000;

export function createDoubts(max = doubtsMax): Doubts {
  const keys = new Set<string>();
  return {
    add: (key) => {
      keys.add(key);
      for (const oldest of keys) {
        if (keys.size <= max) break;
        keys.delete(oldest);
      }
    },
    has: (key) => keys.has(key),
    forget: (key) => {
      keys.delete(key);
    },
  };
}
