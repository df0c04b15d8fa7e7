// The views of a ledger that runs move on while it is verified: that breaks nothing. What the views have
// seen and the events do not show does.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type BrokenRecord, type ProvenStates, verifyLedger } from '@action-ledger/application';
import { createLedger, defineTool } from '@action-ledger/client';
import { openSqliteEventStore, type SqliteEventStore } from '@action-ledger/event-store-sqlite';
import { createSystemRuntime } from '@action-ledger/runtime';
import { z } from 'zod';
import { sha256 } from '../sha256.ts';
import { compareWithViews } from './compare-with-views.ts';

const pay = defineTool({
  name: 'pay',
  input: z.object({ invoice: z.string() }),
  guarantee: 'manual',
  execute: () => ({ paid: true }),
});

let folder = '';
let path = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'compare-with-views-'));
  path = join(folder, 'ledger.db');
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

async function payAll(...invoices: readonly string[]): Promise<void> {
  const ledger = await createLedger({ path, tools: { pay } });
  for (const invoice of invoices) await ledger.tools.pay.call({ invoice }, { run: 'r' });
  await ledger.close();
}

async function inStore<Found>(look: (store: SqliteEventStore) => Promise<Found>): Promise<Found> {
  const runtime = createSystemRuntime();
  const store = await openSqliteEventStore({ path, runtime, readOnly: true });
  try {
    return await look(store);
  } finally {
    await store.close();
  }
}

/** As a verification finds them now, of all events or of those up to a position. */
function statesNow(through?: number): Promise<ProvenStates> {
  return inStore(async (store) => {
    let found: ProvenStates | undefined;
    const head = async (): Promise<number> => through ?? store.head();
    const part = {
      condition: () => store.condition(),
      readAll: (range: Parameters<typeof store.readAll>[0]) => store.readAll(range),
      head,
    } as unknown as SqliteEventStore;
    await verifyLedger(part, {
      sha256,
      ...(through === undefined ? {} : { nowMs: 0 }),
      compare: async function* (states) {
        found = states;
      },
    });
    if (found === undefined) throw new Error('nothing was compared');
    return found;
  });
}

async function broken(states: ProvenStates): Promise<readonly BrokenRecord[]> {
  return inStore(async (store) => {
    const found: BrokenRecord[] = [];
    for await (const each of compareWithViews(store, path, states)) found.push(each);
    return found;
  });
}

describe('compareWithViews', () => {
  it('finds nothing where the views have gone on: with new actions, and with known ones', async () => {
    await payAll('a', 'b');
    const all = await statesNow();
    // Of the last action only its plan, its claim and its dispatch.
    const part = await statesNow(all.through - 1);
    expect(await broken(all)).toEqual([]);
    expect(await broken(part)).toEqual([]);
    await payAll('c');
    expect(await broken(all)).toEqual([]);
  });

  it('names an action whose events lead elsewhere', async () => {
    await payAll('a');
    const { stateOf, through } = await statesNow();
    const behind: ProvenStates['stateOf'] = (actionId) => {
      const state = stateOf(actionId);
      return state && { ...state, revision: state.revision - 1 };
    };
    expect(await broken({ stateOf: behind, through })).toMatchObject([
      {
        invariant: 'projection-equals-fold',
        detail: expect.stringContaining('revision 3 is missing'),
      },
    ]);
  });
});
