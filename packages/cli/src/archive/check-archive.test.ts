// Markers and files that somebody has edited: each is told, and the next one is looked at.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { type RecordedEvent } from '@action-ledger/event-store';
import { checkArchive } from './check-archive.ts';
import { withArchive } from './with-archive.ts';

let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'action-ledger-check-archive-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function markerOf(data: string): RecordedEvent {
  const place = { id: 'e-1', stream: 'action-a', revision: 5, position: 1 };
  return { ...place, type: 'ActionArchived', data, metadata: '{"at":1}' };
}

const marker = { through: 4, previousHash: 'h', state: { status: 'succeeded' } };
const named = (file: unknown): string => JSON.stringify({ ...marker, file });

it.each([
  ['of null', 'null', 'cannot be read'],
  ['of nothing', '', 'cannot be read'],
  ['without a file', named(null), 'cannot be read'],
  [
    'without a state',
    '{"file":"archive-1.ndjson","through":4,"previousHash":""}',
    'cannot be read',
  ],
  ['that leads out of the folder', named('..'), 'there is no file'],
  ['of no name', named(''), 'there is no file'],
  ['of a file that cannot be read', named('archive-1.ndjson'), 'EISDIR'],
])('a marker %s is told, and ends nothing', async (_, data, told) => {
  mkdirSync(join(folder, 'archive-1.ndjson'));
  const event = markerOf(data);
  const store = {
    head: async () => 1,
    readAll: async () => [event],
    readStream: async (_stream: string) => [event],
  };
  expect(await checkArchive(store, folder)).toMatchObject([
    { stream: 'action-a', invariant: 'archive-holds', detail: expect.stringContaining(told) },
  ]);
  const read = withArchive(store, { archive: folder }).readStream('action-a');
  if (told === 'cannot be read') expect(await read).toEqual([event]);
  else await expect(read).rejects.toMatchObject({ code: expect.stringMatching(/^archive\./) });
});
