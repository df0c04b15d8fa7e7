// Who holds the file for writing.
import { existsSync } from 'node:fs';
import { type FileOwner, readOwner } from '@action-ledger/event-store-sqlite';
import { isAlive } from '../ledger-file/is-alive.ts';
import { type Finding, ok, warn } from './finding.ts';

export function checkOwner(path: string): Finding {
  const owner = readOwner(path);
  return judgeOwner(
    owner,
    owner !== undefined && isAlive(owner.pid),
    existsSync(owner?.socket ?? ''),
  );
}

export function judgeOwner(
  owner: FileOwner | undefined,
  isRunning: boolean,
  isListening: boolean,
): Finding {
  if (owner === undefined) return ok('holder', 'no process holds it for writing');
  const { pid, startedAt, socket } = owner;
  if (!isRunning) {
    return warn(
      'holder',
      `process ${pid} held it since ${startedAt} and ended without closing it`,
      'nothing to mend: the next ledger that opens the file takes it over and recovers what was unfinished.',
    );
  }
  const door = isListening ? `, listens at ${socket}` : '';
  return ok('holder', `process ${pid} since ${startedAt}${door}`);
}
