// The thread proves the same as this one would; where it cannot, it says nothing, and ends.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { proveStore } from '@action-ledger/application';
import { openSqliteEventStore } from '@action-ledger/event-store-sqlite';
import { createSystemRuntime } from '@action-ledger/runtime';
import { sha256 } from '../sha256.ts';
import { startProofThread } from './proof-thread.ts';

const runtime = createSystemRuntime();
let folder = '';
let path = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'proof-thread-'));
  path = join(folder, 'ledger.db');
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

describe('startProofThread', () => {
  it('gives the proof that is made here, up to the position asked for', async () => {
    const store = await openSqliteEventStore({ path, runtime });
    const event = { id: 'e1', type: 'Noted', data: '{}', metadata: '{"at":1}' };
    for (const stream of ['a', 'b']) await store.append(stream, 'no stream', [event]);
    const thread = startProofThread({ path, through: 1 });
    const proof = await thread?.proof;
    expect(proof).toEqual(await proveStore(store, { sha256, through: 1 }));
    expect(proof).toMatchObject({ events: 1, soundThrough: new Map([['a', 0]]) });
    await thread?.end();
    await store.close();
  });

  it('gives none where the file cannot be opened, or where it is ended first', async () => {
    const missing = startProofThread({ path, through: undefined });
    expect(await missing?.proof).toBeUndefined();
    await missing?.end();
    const ended = startProofThread({ path, through: undefined });
    await ended?.end();
    expect(await ended?.proof).toBeUndefined();
  });
});
