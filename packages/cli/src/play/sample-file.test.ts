import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { openSqliteEventStore } from '@action-ledger/event-store-sqlite';
import { createSystemRuntime } from '@action-ledger/runtime';
import { takeSampleFile } from './sample-file.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'action-ledger-sample-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

it('removes what the last play has left, and can be taken again after its release', () => {
  for (let play = 0; play < 2; play += 1) {
    const sample = takeSampleFile(folder);
    expect(existsSync(sample.path)).toBe(false);
    for (const ending of ['', '-wal', '.mark', '.views', '.views-wal'])
      writeFileSync(`${sample.path}${ending}`, 'x');
    sample.release();
  }
  const { path, release } = takeSampleFile(folder);
  for (const ending of ['', '-wal', '.mark', '.views', '.views-wal'])
    expect(existsSync(`${path}${ending}`)).toBe(false);
  release();
});

it('is refused while another play has it, before that has opened the ledger and after', async () => {
  const first = takeSampleFile(folder);
  writeFileSync(`${first.path}.mark`, 'x');
  const refused = expect.objectContaining({ code: 'play.sample-held', exitCode: 1 });
  expect(() => takeSampleFile(folder)).toThrow(refused);
  expect(existsSync(`${first.path}.mark`)).toBe(true);
  rmSync(`${first.path}.mark`);
  const store = await openSqliteEventStore({ path: first.path, runtime: createSystemRuntime() });
  expect(() => takeSampleFile(folder)).toThrow(`process ${process.pid} is still using`);
  await store.close();
  first.release();
});

it('is refused while another program writes it', async () => {
  const { path, release } = takeSampleFile(folder);
  release();
  const store = await openSqliteEventStore({ path, runtime: createSystemRuntime() });
  expect(() => takeSampleFile(folder)).toThrow(`process ${process.pid} is still using`);
  expect(existsSync(path)).toBe(true);
  await store.close();
  takeSampleFile(folder).release();
});
