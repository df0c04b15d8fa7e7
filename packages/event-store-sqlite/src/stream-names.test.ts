import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { createSystemRuntime } from '@action-ledger/runtime';
import { openSqliteEventStore } from './sqlite-event-store.ts';

const folder = mkdtempSync(join(tmpdir(), 'action-ledger-names-'));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const runtime = createSystemRuntime();
const path = join(folder, 'ledger.db');

describe('streamNames', () => {
  it('names what begins so, whether or not the index has it', async () => {
    const store = await openSqliteEventStore({ path, runtime, pendingStreamsMax: 2 });
    for (const stream of ['b-1', 'a-1', 'a-2', 'aa', 'a-3']) {
      const event = { id: stream, type: 'T', data: '{}', metadata: '{"at":1}' };
      await store.append(stream, 'no stream', [event]);
    }
    const beside = await openSqliteEventStore({ path, runtime, readOnly: true });
    for (const each of [store, beside]) {
      expect(await each.streamNames('a-', 10)).toEqual(['a-1', 'a-2', 'a-3']);
      expect(await each.streamNames('a-', 2)).toEqual(['a-1', 'a-2']);
      expect(await each.streamNames('c', 10)).toEqual([]);
    }
    await beside.close();
    await store.close();
    await expect(store.streamNames('a-', 10)).rejects.toMatchObject({ code: 'store.closed' });
  });
});
