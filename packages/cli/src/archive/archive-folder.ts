// A folder of archive files. A file is written beside, synced, named by the digest of what it holds, and
// the folder synced: what has its name is whole, and writing the same again finds it there.
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type ArchiveFolder } from '@action-ledger/application';
import { eventOfLine } from '@action-ledger/codec';
import { type RecordedEvent } from '@action-ledger/event-store';

const digestShown = 20;
const linesAtOnce = 1_000;

export function openArchiveFolder(path: string): ArchiveFolder {
  return {
    write: async (lines, day) => {
      await mkdir(path, { recursive: true });
      const digest = digestOf(lines);
      const name = `archive-${day}-${digest}.ndjson`;
      const target = join(path, name);
      if (existsSync(target) && digestIn(await readFile(target, 'utf8')) === digest) return name;
      const draft = `${target}.part`;
      try {
        await writeDurably(draft, lines);
        await rename(draft, target);
      } catch (error) {
        await rm(draft, { force: true });
        throw error;
      }
      await syncFolder(path);
      return name;
    },
    read: async (file) => {
      // A name alone: what a record says never leads out of the folder.
      if (basename(file) !== file || !existsSync(join(path, file))) return undefined;
      const text = await readFile(join(path, file), 'utf8');
      const named = /-([\w-]+)\.ndjson$/.exec(file)?.[1]?.slice(-digestShown);
      if (named !== digestIn(text))
        throw new SyntaxError('its contents are not what its name says');
      return eventsIn(text);
    },
  };
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

async function writeDurably(path: string, lines: readonly string[]): Promise<void> {
  const file = await open(path, 'w');
  try {
    for (let from = 0; from < lines.length; from += linesAtOnce)
      await file.write(
        lines
          .slice(from, from + linesAtOnce)
          .map((line) => `${line}\n`)
          .join(''),
      );
    await file.sync();
  } finally {
    await file.close();
  }
}

/** So that the name outlives a power failure, where the system can sync a folder. */
async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
