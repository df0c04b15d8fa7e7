// The ledger's file of the shipped sample: made anew by each play of it, and never taken away from one
// that is still under way, in whatever process. The lock is an empty SQLite database held in an exclusive
// transaction, which ends with the process, however that ends.
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { readOwner } from '@action-ledger/event-store-sqlite';
import { CliError } from '../cli-error.ts';

export interface SampleFile {
  readonly path: string;
  readonly release: () => void;
}

/** What lies beside a ledger's file bears its name. Its lock stays: it is empty, and somebody may wait for it. */
const endings = ['', '.owner', '.sock', '.mark', '.views', '.digest-key'];
const sqliteEndings = ['', '-wal', '-shm', '-journal'];

/** @throws CliError `play.sample-held` where a process still uses it */
export function takeSampleFile(folder: string): SampleFile {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, 'sample.db');
  const play = lock(`${path}.play`);
  if (play === undefined) throw held(path);
  const writer = lock(`${path}.lock`);
  if (writer === undefined) {
    play.close();
    throw held(path);
  }
  for (const ending of endings) {
    for (const more of sqliteEndings) rmSync(`${path}${ending}${more}`, { force: true });
  }
  writer.close();
  return {
    path,
    release: () => {
      play.close();
    },
  };
}

function lock(file: string): DatabaseSync | undefined {
  const found = new DatabaseSync(file, { timeout: 0 });
  try {
    found.exec('begin exclusive');
    return found;
  } catch (error) {
    found.close();
    if ((error as { readonly errcode?: unknown }).errcode === sqliteBusy) return undefined;
    throw error;
  }
}

const sqliteBusy = 5;

function held(path: string): CliError {
  const owner = readOwner(path);
  const who = owner === undefined ? 'another process' : `process ${owner.pid}`;
  return new CliError('play.sample-held', `${who} is still using ${path}`, {
    fix: 'wait until it has ended, or play the sample in another folder; nothing was changed.',
  });
}
