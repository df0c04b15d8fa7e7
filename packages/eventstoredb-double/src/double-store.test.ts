import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type Proposed } from './double-log.ts';
import { type DoubleStore, openDoubleStore } from './double-store.ts';

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'double-'));
  path = join(folder, 'log');
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

describe('the file of the double', () => {
  it('gives everything back that was acknowledged, and the place after it', async () => {
    const store = await open();
    await store.append('action-a', 'no stream', [event('a'), event('b')]);
    await store.append('action-b', 'no stream', [event('c')]);
    const records = [...store.records()];
    await store.close();
    const again = await open();
    expect(again.records()).toEqual(records);
    expect(await again.append('action-a', 'no stream', [event('a')])).toMatchObject({
      kind: 'repeated',
      position: records[0]?.position,
    });
    const next = await again.append('action-b', 0, [event('d')]);
    const [record] = next.kind === 'written' ? next.records : [];
    expect(record?.position).toBeGreaterThan(records[2]?.position ?? Infinity);
    await again.close();
  });

  it('is cut where the last append was not written whole, wherever it was torn', async () => {
    const store = await open();
    await store.append('action-a', 'no stream', [event('a')]);
    const whole = readFileSync(path).length;
    await store.append('action-b', 'no stream', [event('b'), event('c')]);
    await store.close();
    const bytes = readFileSync(path);
    for (let length = whole; length < bytes.length; length += 7) {
      writeFileSync(path, bytes);
      truncateSync(path, length);
      const torn = await open();
      expect(torn.cutBytes).toBe(length - whole);
      expect(torn.records().map(({ stream }) => stream)).toEqual(['action-a']);
      expect(await torn.append('action-b', 'no stream', [event('d')])).toMatchObject({
        kind: 'written',
      });
      await torn.close();
      const after = await open();
      expect(after.records()).toHaveLength(2);
      await after.close();
    }
  });

  it('shows nothing that is not synced yet', async () => {
    const store = await open();
    const appended = store.append('action-a', 'no stream', [event('a')]);
    await Promise.resolve();
    await Promise.resolve();
    expect([store.records().length, store.readableCount()]).toEqual([1, 0]);
    expect(store.readStream('action-a').kind).toBe('not found');
    await appended;
    expect(store.readableCount()).toBe(1);
    await store.close();
  });
});

describe('a stream of the double', () => {
  it('hides what was truncated in itself and not in the log, and still compares with it', async () => {
    const store = await openDoubleStore(undefined, () => 0);
    await store.append('action-a', 'no stream', [event('a'), event('b')]);
    const truncation = { ...event('m'), type: '$metadata', data: Buffer.from('{"$tb":1}') };
    await store.append('$$action-a', 'any', [truncation]);
    expect(store.readStream('action-a').records.map(({ revision }) => revision)).toEqual([1]);
    expect(store.records().filter(({ stream }) => stream === 'action-a')).toHaveLength(2);
    expect(await store.append('action-a', 'no stream', [event('a')])).toEqual({
      kind: 'repeated',
      last: 0,
      position: undefined,
    });
  });

  it('F113 forgets an id for `any` that was used in another stream since', async () => {
    const store = await openDoubleStore(undefined, () => 0);
    await store.append('action-a', 'any', [event('a')]);
    expect(await store.append('action-a', 'any', [event('a')])).toMatchObject({ kind: 'repeated' });
    await store.append('action-b', 'any', [event('a')]);
    expect(await store.append('action-a', 'any', [event('a')])).toMatchObject({ kind: 'written' });
  });

  it('F108 can lose what was acknowledged', async () => {
    const store = await openDoubleStore(undefined, () => 0);
    await store.append('action-a', 'no stream', [event('a'), event('b')]);
    store.loseLast(1);
    expect(await store.append('action-a', 0, [event('c')])).toMatchObject({ kind: 'written' });
  });
});

function open(): Promise<DoubleStore> {
  return openDoubleStore(path, () => 1_750_000_000_000);
}

function event(id: string): Proposed {
  const [data, metadata] = [Buffer.from('{}'), Buffer.from('')];
  return { id, type: 'ActionPlanned', contentType: 'application/json', data, metadata };
}
