// What a power failure may not take: an archive file's name, and those of the folders in which it lies.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { openArchiveFolder } from './archive-folder.ts';

let root = '';
let synced: string[] = [];

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'action-ledger-archive-folder-'));
  synced = [];
});

afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

describe('a file of archived events', () => {
  it('is synced with every folder that leads to it, also where an earlier run has written it', async () => {
    const path = join(root, 'archives', '2026');
    const write = (): Promise<string> =>
      openArchiveFolder(path, async (each) => {
        synced.push(each);
      }).write(['{}'], '2026-01-01');
    const target = join(path, await write());
    const folders = [path, join(root, 'archives'), root];
    expect(synced).toEqual(expect.arrayContaining([`${target}.part`, ...folders]));
    synced = [];
    await write();
    expect(synced).toEqual(expect.arrayContaining([target, ...folders]));
  });
});
