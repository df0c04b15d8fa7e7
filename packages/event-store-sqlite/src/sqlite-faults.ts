// Every error of SQLite and of the file system as a StoreFault: one table from result codes to a
// code, what may be done about it, and words that say what to do. No driver error leaves the adapter.
import { StoreFault, type StoreFaultCode } from '@action-ledger/event-store';

type Retry = StoreFault['retry'];

interface Meaning {
  readonly code: StoreFaultCode;
  readonly retry: Retry;
  readonly advice: string;
}

const busy: Meaning = {
  code: 'store.busy',
  retry: 'safe',
  advice: 'is locked by another connection. End what holds it, then try again.',
};
const corrupt: Meaning = {
  code: 'store.corrupt',
  retry: 'never',
  advice:
    'is damaged. Copy it away with all files beside it; action-ledger verify says what can still be read. Then put back the newest backup, as docs/running.md says.',
};
const diskFull: Meaning = {
  code: 'store.disk-full',
  retry: 'safe',
  advice: 'cannot grow: the disk is full or the size limit is reached. Make room, then try again.',
};
const io: Meaning = {
  code: 'store.io',
  retry: 'safe',
  advice: 'could not be read or written. Look at the disk and the system log, then try again.',
};
const readOnly: Meaning = {
  code: 'store.read-only',
  retry: 'never',
  advice:
    'cannot be written: it or its folder is read-only. Grant write access, or open it read-only.',
};
const cannotOpen: Meaning = {
  code: 'store.not-found',
  retry: 'never',
  advice: 'cannot be opened: the folder is missing or access is denied. Check the path.',
};
const notADatabase: Meaning = {
  code: 'store.corrupt',
  retry: 'never',
  advice:
    'is not a SQLite database: another file, or its header is damaged. Name another file, or put back the newest backup, as docs/running.md says.',
};
const isFolder: Meaning = {
  code: 'store.io',
  retry: 'never',
  advice:
    'cannot be opened: a folder lies in the place of one of the files beside it. Move that folder away, then try again.',
};
const unavailable: Meaning = {
  code: 'store.unavailable',
  retry: 'safe',
  advice: 'could not be used just now. Try again.',
};

/** Extended result codes (https://sqlite.org/rescode.html) that mean more than their primary code. */
const extended: Readonly<Record<number, Meaning>> = {
  522: corrupt, // SQLITE_IOERR_SHORT_READ: the file ends too early
  4874: diskFull, // SQLITE_IOERR_SHMSIZE: no room for the index of the write-ahead log
  1032: readOnly, // SQLITE_READONLY_DBMOVED
};

const primary: Readonly<Record<number, Meaning>> = {
  1: corrupt, // SQLITE_ERROR: a table or column is missing
  3: readOnly, // SQLITE_PERM
  5: busy,
  6: busy, // SQLITE_LOCKED
  7: unavailable, // SQLITE_NOMEM
  8: readOnly,
  10: io,
  11: corrupt,
  13: diskFull,
  14: cannotOpen,
  15: busy, // SQLITE_PROTOCOL: a race for the lock of the write-ahead log
  19: corrupt, // SQLITE_CONSTRAINT: a position is taken
  26: notADatabase,
};

const system: Readonly<Record<string, Meaning>> = {
  EACCES: readOnly,
  EDQUOT: diskFull,
  EIO: io,
  EISDIR: isFolder,
  ENOENT: cannotOpen,
  ENOSPC: diskFull,
  ENOTDIR: cannotOpen,
  EPERM: readOnly,
  EROFS: readOnly,
};

/** @param retry where more is known than the code says */
export function storeFaultOf(error: unknown, path: string, retry?: Retry): StoreFault {
  if (error instanceof StoreFault) return error;
  return faultOf(meaningOf(error), error, path, retry);
}

export function readOnlyFault(path: string, error: unknown): StoreFault {
  return faultOf(readOnly, error, path);
}

function faultOf(meaning: Meaning, error: unknown, path: string, retry?: Retry): StoreFault {
  const { code, retry: usual, advice } = meaning;
  const said = error instanceof Error ? error.message : String(error);
  const message = `The event store ${path} ${advice} (${said})`;
  return new StoreFault(code, retry ?? usual, message, { cause: error });
}

/** @param known the last position that can be read */
export function garbledEndFault(path: string, known: number, mark: number | undefined): StoreFault {
  const held = mark === undefined ? '' : `, of ${mark} that it was known to hold`;
  const message = `The event store ${path} ${corrupt.advice.replace('is damaged.', `is damaged at its end: it can be read up to position ${known}${held}.`)}`;
  return new StoreFault(corrupt.code, corrupt.retry, message, { detail: { known } });
}

export function closedFault(): StoreFault {
  return new StoreFault('store.closed', 'never', 'The event store is closed.');
}

export function openedReadOnlyFault(path: string): StoreFault {
  return new StoreFault(
    'store.read-only',
    'never',
    `${path} was opened read-only. Ask the process that holds it for writing, or open it for writing.`,
  );
}

/** Another connection holds a lock: nothing was done, and waiting helps. */
export function isBusy(error: unknown): boolean {
  return error instanceof StoreFault ? error.code === 'store.busy' : meaningOf(error) === busy;
}

/** The write did not fit: of what was to be committed, no readable commit can be in the file. */
export function isDiskFull(error: unknown): boolean {
  return meaningOf(error) === diskFull;
}

export function isWriteProtected(error: unknown): boolean {
  const meaning = meaningOf(error);
  return meaning === readOnly || meaning === cannotOpen;
}

function meaningOf(error: unknown): Meaning {
  const { errcode, code } = (error ?? {}) as {
    readonly errcode?: unknown;
    readonly code?: unknown;
  };
  if (typeof errcode === 'number') {
    return extended[errcode] ?? primary[errcode & 0xff] ?? unavailable;
  }
  // node:sqlite: an integer beyond 2^53, which the adapter never writes.
  if (code === 'ERR_OUT_OF_RANGE') return corrupt;
  return typeof code === 'string' ? (system[code] ?? unavailable) : unavailable;
}
