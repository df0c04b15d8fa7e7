// A file that lost a part of itself: what is known is told, with what to do, and nothing is written on.
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type NewEvent, StoreFault } from '@action-ledger/event-store';
import { createSystemRuntime } from '@action-ledger/runtime';
import { openSqliteEventStore } from './index.ts';

const runtime = createSystemRuntime();
let folder = '';
let whole = '';
let bytes: Buffer;
const head = 120;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'damage-'));
  whole = join(folder, 'whole.db');
  const store = await openSqliteEventStore({ path: whole, runtime });
  for (let n = 0; n < head / 2; n += 1)
    await store.append(`action-${n}`, 'no stream', [someEvent(), someEvent()]);
  await store.close();
  bytes = readFileSync(whole);
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** Opened, read, checked and closed: what it said, or the fault. */
async function use(path: string, readOnly: boolean): Promise<unknown> {
  let store: Awaited<ReturnType<typeof openSqliteEventStore>> | undefined;
  try {
    store = await openSqliteEventStore({ path, runtime, readOnly });
    const known = await store.head();
    expect(known).toBeGreaterThanOrEqual(0);
    expect(known).toBeLessThanOrEqual(head);
    await store.readAll({ after: 0, max: 1000 });
    await store.checkIndex();
    return store.condition();
  } catch (error) {
    return error;
  } finally {
    await store?.close();
  }
}

async function expectTold(path: string): Promise<void> {
  for (const readOnly of [true, false]) {
    const told = await use(path, readOnly);
    if (!(told instanceof StoreFault)) {
      expect(told).not.toBeInstanceOf(Error);
      continue;
    }
    expect(['store.corrupt', 'store.format']).toContain(told.code);
    expect(told.message).toMatch(
      /[.,:] .+\b(backup|[Nn]ame another file|newer version|for writing)/,
    );
  }
}

function spoiled(name: string, content: Buffer): string {
  const path = join(folder, `${name}.db`);
  for (const beside of ['-wal', '-shm', '.mark']) rmSync(`${path}${beside}`, { force: true });
  writeFileSync(path, content);
  copyFileSync(`${whole}.mark`, `${path}.mark`);
  return path;
}

describe('a file cut short', () => {
  it('within its last page says up to where it can be read, and is not written on', async () => {
    let told = 0;
    for (let cut = 200; cut < 4096; cut += 300) {
      const path = spoiled('cut', bytes.subarray(0, bytes.length - cut));
      const fault = await use(path, false);
      if (!(fault instanceof StoreFault) || !('known' in fault.detail)) continue;
      told += 1;
      expect(fault).toMatchObject({ code: 'store.corrupt', retry: 'never' });
      expect(fault.message).toMatch(
        /up to position \d+, of 120 that it was known to hold\..*backup/,
      );
      expect(await use(path, true)).toMatchObject({ kind: 'recovering', mark: 120 });
    }
    expect(told).toBeGreaterThan(0);
  });

  it('anywhere is told as damage, and says what to do', async () => {
    for (let n = 0; n < 40; n += 1)
      await expectTold(spoiled('short', bytes.subarray(0, Math.floor((bytes.length * n) / 40))));
  });
});

describe('bytes changed anywhere', () => {
  it.each([1, 2, 3])('are told as damage, or concern a stream (seed %i)', async (seed) => {
    const next = seeded(seed);
    for (let n = 0; n < 40; n += 1) {
      const content = Buffer.from(bytes);
      const at = next() % (n % 2 === 0 ? content.length : 512);
      content.fill(next() % 256, at, at + 1 + (next() % 40));
      await expectTold(spoiled('changed', content));
    }
  });
});

describe('a folder in the place of a file', () => {
  it.each(['.mark', '.owner'])('%s is told, with what to do', async (beside) => {
    const path = spoiled(`folder${beside}`, bytes);
    rmSync(`${path}${beside}`, { force: true });
    mkdirSync(`${path}${beside}`);
    expect(await use(path, false)).toMatchObject({
      code: 'store.io',
      retry: 'never',
      message: expect.stringContaining('Move that folder away'),
    });
  });
});

function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff;
    return state >> 8;
  };
}

function someEvent(): NewEvent {
  const id = runtime.ids.next();
  return { id, type: 'ActionPlanned', data: `{"n":"${id}"}`, metadata: '{"schema":1}' };
}
