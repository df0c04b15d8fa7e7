// A folder of archive files. A file is written beside, synced, named by the digest of what it holds, and
// the folder synced, with those around it: what has its name is whole and outlives a power failure.
// Writing the same again finds it there, and syncs it: a run that ended early may not have.
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { type ArchiveFolder } from '@action-ledger/application';
import { eventOfLine } from '@action-ledger/codec';
import { type RecordedEvent } from '@action-ledger/event-store';
import { CliError } from '../cli-error.ts';
import { printable } from '../format/printable.ts';

type Sync = (path: string) => Promise<void>;

const digestShown = 20;
const namePattern = /^archive-[\w-]+\.ndjson$/;
const linesAtOnce = 1_000;

/** @param sync makes what a file or folder holds durable */
export function openArchiveFolder(path: string, sync: Sync = syncPath): ArchiveFolder {
  return {
    write: async (lines, day) => {
      await mkdir(path, { recursive: true });
      const digest = digestOf(lines);
      const name = `archive-${day}-${digest}.ndjson`;
      const target = join(path, name);
      if (existsSync(target) && digestIn(await readFile(target, 'utf8')) === digest)
        await sync(target);
      else await writeWhole(target, lines, sync);
      await syncFolders(path, sync);
      return name;
    },
    read: async (file) => {
      // Only what `write` names: what a record says never leads out of the folder.
      if (!namePattern.test(file) || !existsSync(join(path, file))) return undefined;
      const text = await readFile(join(path, file), 'utf8');
      const named = /-([\w-]+)\.ndjson$/.exec(file)?.[1]?.slice(-digestShown);
      if (named !== digestIn(text))
        throw new SyntaxError('its contents are not what its name says');
      return eventsIn(text);
    },
  };
}

/** One that is there, to be read. @throws CliError `archive.missing` */
export function archiveFolderAt(path: string): ArchiveFolder {
  if (!existsSync(path))
    throw new CliError('archive.missing', `there is no folder ${printable(path)}`, {
      fix: 'name the folder that `archive` wrote to.',
    });
  return openArchiveFolder(path);
}

function eventsIn(text: string): readonly RecordedEvent[] {
  return text.split('\n').flatMap((line) => (line === '' ? [] : [eventOfLine(line)]));
}

/** Letters and digits, so that a name ends with it without doubt. */
function digestOf(lines: readonly string[]): string {
  const hash = createHash('sha256');
  for (const line of lines) hash.update(`${line}\n`);
  return hash.digest('hex').slice(0, digestShown);
}

function digestIn(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, digestShown);
}

async function writeWhole(target: string, lines: readonly string[], sync: Sync): Promise<void> {
  const draft = `${target}.part`;
  try {
    const file = await open(draft, 'w');
    try {
      for (let from = 0; from < lines.length; from += linesAtOnce) {
        const some = lines.slice(from, from + linesAtOnce);
        await file.write(some.map((line) => `${line}\n`).join(''));
      }
    } finally {
      await file.close();
    }
    await sync(draft);
    await rename(draft, target);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

/** Those around it too: any of them may be new, made by a run that ended before it could sync them. */
async function syncFolders(path: string, sync: Sync): Promise<void> {
  // Such a system syncs no folders.
  if (process.platform === 'win32') return;
  let folder = resolve(path);
  await sync(folder);
  while (dirname(folder) !== folder) {
    folder = dirname(folder);
    await sync(folder).catch((error: unknown) => {
      if (!isNotOurs(error)) throw error;
    });
  }
}

/** A folder that cannot be opened, or is never synced, is none in which a folder was just made. */
function isNotOurs(error: unknown): boolean {
  const { code } = error as { readonly code?: unknown };
  return ['EACCES', 'EPERM', 'EROFS', 'EINVAL'].includes(String(code));
}

async function syncPath(path: string): Promise<void> {
  const isFolder = (await stat(path)).isDirectory();
  const handle = await open(path, isFolder ? 'r' : 'r+');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
