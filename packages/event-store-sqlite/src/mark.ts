// The mark: the highest position known to be synced, in a small file beside the store. It is
// overwritten in place after each commit, without a sync of its own, so it may lag behind what is
// stored and is never ahead of it. A store that ends below its mark has gone back in time: it was
// restored from a backup or truncated, and old keys would look new.
import {
  closeSync,
  constants,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';

export interface Mark {
  /** What the file said when it was opened; undefined where it was missing or unreadable. */
  readonly found: number | undefined;
  /** Never lowers the mark. A failure is not told: a mark that lags is a weaker guard, no harm. */
  raise(position: number): void;
  /** Sets the mark, also to a lower position, and syncs it. */
  reset(position: number): void;
  close(): void;
}

export function markPath(path: string): string {
  return `${path}.mark`;
}

export function readMark(path: string): number | undefined {
  try {
    const text = readFileSync(markPath(path), 'utf8');
    return /^\d{20}\n$/.test(text) ? Number(text) : undefined;
  } catch {
    return undefined;
  }
}

/** @param head where a missing file is created: what the store holds. */
export function openMark(path: string, head: number): Mark {
  const found = readMark(path);
  const descriptor = openSync(markPath(path), constants.O_RDWR | constants.O_CREAT, 0o644);
  let marked = found ?? 0;

  const write = (position: number): void => {
    writeSync(descriptor, `${String(position).padStart(20, '0')}\n`, 0);
    marked = position;
  };
  const reset = (position: number): void => {
    ftruncateSync(descriptor);
    write(position);
    fsyncSync(descriptor);
    syncFolder(path);
  };
  if (found === undefined) reset(head);

  return {
    found,
    raise: (position) => {
      if (position <= marked) return;
      try {
        write(position);
      } catch {
        // The next commit tries again.
      }
    },
    reset,
    close: () => {
      try {
        fsyncSync(descriptor);
      } finally {
        closeSync(descriptor);
      }
    },
  };
}

/** So that the file's name outlives a power failure, where the system can sync a folder. */
export function syncFolder(path: string): void {
  let folder: number | undefined;
  try {
    folder = openSync(dirname(path), 'r');
    fsyncSync(folder);
  } catch {
    // Windows cannot: there the name is kept by the file system's own journal.
  } finally {
    if (folder !== undefined) closeSync(folder);
  }
}
