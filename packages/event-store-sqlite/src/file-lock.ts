// One writer per file. The lock is a second, empty SQLite database held in an exclusive transaction:
// the operating system lets it go with the process, however that ends. Who holds it stands in a
// readable file of its own, because reading the locked file itself would loosen the lock.
import {
  existsSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StoreFault } from '@action-ledger/event-store';
import { type Runtime } from '@action-ledger/runtime';
import { removeSocket } from './owner-socket.ts';
import { isBusy, readOnlyFault, storeFaultOf } from './sqlite-faults.ts';

export interface FileOwner {
  readonly pid: number;
  /** ISO 8601. */
  readonly startedAt: string;
  /** Where the owner can be asked, if it listens. */
  readonly socket: string;
}

export interface FileLock {
  readonly owner: FileOwner;
  release(): void;
}

/** Two openers that start together can both fail to lock: they try again this often. */
const triesMax = 5;
const retryMs = 20;
/** Paths of Unix sockets have at most 107 bytes on Linux and 103 on macOS. */
const socketPathBytesMax = 103;
const folderPrefix = 'action-ledger-';
const socketName = 'owner.sock';

/** @throws StoreFault `store.held`, naming the process that holds the file. */
export async function takeFileLock(path: string, runtime: Runtime): Promise<FileLock> {
  const file = realPath(path);
  const lock = openLock(file, path);
  for (let tries = 1; !tryLock(lock, path); tries += 1) {
    const owner = readOwner(path);
    if ((owner !== undefined && isAlive(owner.pid)) || tries === triesMax) {
      lock.close();
      throw held(path, owner);
    }
    await new Promise<void>((resolve) => {
      runtime.timers.after(retryMs * (1 + runtime.randomness.next()), resolve);
    });
  }
  try {
    const before = readOwner(path);
    if (before !== undefined) removeSocketOf(file, before);
    const owner = describeOwner(file, runtime);
    writeOwner(file, owner);
    return {
      owner,
      release: () => {
        release(file, owner, lock);
      },
    };
  } catch (error) {
    lock.close();
    throw storeFaultOf(error, path);
  }
}

/** Who holds the file for writing, or held it last if it was killed; undefined after a close. */
export function readOwner(path: string): FileOwner | undefined {
  try {
    const { pid, startedAt, socket } = JSON.parse(
      readFileSync(ownerPath(realPath(path)), 'utf8'),
    ) as Record<string, unknown>;
    return typeof pid === 'number' && typeof startedAt === 'string' && typeof socket === 'string'
      ? { pid, startedAt, socket }
      : undefined;
  } catch {
    return undefined;
  }
}

/** A living process has it for writing. */
export function isHeld(path: string): boolean {
  const owner = readOwner(path);
  return owner !== undefined && isAlive(owner.pid);
}

function openLock(file: string, path: string): DatabaseSync {
  try {
    return new DatabaseSync(`${file}.lock`, { timeout: 0 });
  } catch (error) {
    throw lockFault(error, path);
  }
}

function tryLock(lock: DatabaseSync, path: string): boolean {
  try {
    lock.exec('begin exclusive');
    return true;
  } catch (error) {
    if (isBusy(error)) return false;
    lock.close();
    throw lockFault(error, path);
  }
}

/** Where the file is there and only the lock cannot be made, the folder is read-only. */
function lockFault(error: unknown, path: string): StoreFault {
  const fault = storeFaultOf(error, path);
  return fault.code === 'store.not-found' && existsSync(path) ? readOnlyFault(path, error) : fault;
}

function release(file: string, owner: FileOwner, lock: DatabaseSync): void {
  removeSocketOf(file, owner);
  rmSync(ownerPath(file), { force: true });
  lock.close();
}

function held(path: string, owner: FileOwner | undefined): StoreFault {
  const who =
    owner === undefined
      ? 'another process'
      : `process ${owner.pid}${owner.pid === process.pid ? ' (this one)' : ''}, which has had it since ${owner.startedAt}${existsSync(owner.socket) ? ` and listens at ${owner.socket}` : ''}`;
  return new StoreFault(
    'store.held',
    'safe',
    `${path} is held for writing by ${who}. One process writes a file: let that one do it, or stop it. Reading goes on beside it: \`action-ledger\` does.`,
    {
      detail:
        owner === undefined
          ? {}
          : { pid: owner.pid, startedAt: owner.startedAt, socket: owner.socket },
    },
  );
}

function describeOwner(file: string, runtime: Runtime): FileOwner {
  const beside = `${file}.sock`;
  const socket =
    Buffer.byteLength(beside) <= socketPathBytesMax
      ? beside
      : join(mkdtempSync(join(tmpdir(), folderPrefix)), socketName);
  removeSocket(socket);
  const startedAt = new Date(runtime.clock.wallMs()).toISOString();
  return { pid: process.pid, startedAt, socket };
}

function writeOwner(file: string, owner: FileOwner): void {
  const draft = `${ownerPath(file)}.new`;
  writeFileSync(draft, `${JSON.stringify(owner)}\n`);
  renameSync(draft, ownerPath(file));
}

/** Only what an owner of this file would have made: the text of the file is not trusted further. */
function removeSocketOf(file: string, { socket }: FileOwner): void {
  if (socket === `${file}.sock`) {
    removeSocket(socket);
    return;
  }
  const folder = dirname(socket);
  if (dirname(folder) !== tmpdir() || !basename(folder).startsWith(folderPrefix)) return;
  if (basename(socket) !== socketName) return;
  removeSocket(socket);
  try {
    // Not recursive: whatever else lies there was not made here.
    rmdirSync(folder);
  } catch {
    // It is not empty, or gone already.
  }
}

function ownerPath(file: string): string {
  return `${file}.owner`;
}

/** One file has one lock, by whatever path it is opened. */
export function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    try {
      return join(realpathSync(dirname(path)), basename(path));
    } catch {
      return path;
    }
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
