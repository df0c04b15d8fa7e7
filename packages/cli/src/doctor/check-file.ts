// The file itself: there, readable, writable, room to grow, and how long its disk takes to sync.
import {
  accessSync,
  closeSync,
  constants,
  fsyncSync,
  openSync,
  rmSync,
  statfsSync,
  statSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { type Clock } from '@action-ledger/runtime';
import { bytes } from '../format/count.ts';
import { duration } from '../format/time.ts';
import { fail, type Finding, ok, warn } from './finding.ts';

/** @returns undefined as the size where there is no file to look into */
export function checkFile(path: string): {
  readonly findings: readonly Finding[];
  readonly isReadable: boolean;
} {
  const found = statSync(path, { throwIfNoEntry: false });
  const fix =
    'name the ledger with --path FILE or ACTION_LEDGER_PATH; `createLedger({ path })` makes one.';
  if (found === undefined)
    return { findings: [fail('file', `${path} is not there`, fix)], isReadable: false };
  if (!found.isFile())
    return { findings: [fail('file', `${path} is not a file`, fix)], isReadable: false };
  if (!isAllowed(path, constants.R_OK)) {
    const grant = 'grant read access to it, or run this as the user of the ledger.';
    return { findings: [fail('file', `${path} cannot be read`, grant)], isReadable: false };
  }
  return {
    findings: [ok('file', `${path}, ${bytes(found.size)}`), checkWritable(path)],
    isReadable: true,
  };
}

function checkWritable(path: string): Finding {
  const folder = dirname(resolve(path));
  const grant = 'grant write access to the file and its folder: a ledger writes both.';
  if (!isAllowed(path, constants.W_OK))
    return warn('write access', `${path} is read-only here`, grant);
  if (!isAllowed(folder, constants.W_OK))
    return warn('write access', `the folder ${folder} is read-only here`, grant);
  return ok('write access', 'the file and its folder can be written');
}

function isAllowed(path: string, mode: number): boolean {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
}

const roomWarnBytes = 1024 ** 3;
const roomFailBytes = 64 * 1024 ** 2;

export function checkRoom(path: string): Finding {
  const { bavail, bsize } = statfsSync(dirname(resolve(path)));
  return judgeRoom(bavail * bsize);
}

export function judgeRoom(free: number): Finding {
  const says = `${bytes(free)} free on its disk`;
  const fix = 'make room: on a full disk nothing new is recorded, so nothing new is sent.';
  if (free < roomFailBytes) return fail('disk space', says, fix);
  return free < roomWarnBytes ? warn('disk space', says, fix) : ok('disk space', says);
}

const syncs = 5;
const slowSyncMs = 20;

/** In a file of its own, beside the ledger's, that is removed again. */
export function checkSync(path: string, clock: Clock): Finding {
  const folder = dirname(resolve(path));
  const probe = join(folder, `.${basename(path)}.doctor-${process.pid}`);
  try {
    return judgeSync(measureSyncs(probe, clock));
  } catch (error) {
    const says = `could not be measured: ${error instanceof Error ? error.message : String(error)}`;
    return warn('sync time', says, 'run this as the user of the ledger.');
  } finally {
    rmSync(probe, { force: true });
  }
}

export function judgeSync(medianMs: number): Finding {
  const says = `${duration(Math.round(medianMs * 100) / 100)} (median of ${syncs}): each action waits for two`;
  return medianMs > slowSyncMs
    ? warn(
        'sync time',
        says,
        'put the file on a local disk; network and slow disks make every action wait.',
      )
    : ok('sync time', says);
}

function measureSyncs(probe: string, clock: Clock): number {
  const file = openSync(probe, 'wx', 0o600);
  try {
    const times = Array.from({ length: syncs }, () => {
      writeSync(file, 'x'.repeat(4096));
      const startedMs = clock.monoMs();
      fsyncSync(file);
      return clock.monoMs() - startedMs;
    });
    return times.sort((a, b) => a - b)[Math.floor(syncs / 2)] ?? 0;
  } finally {
    closeSync(file);
  }
}
