// The index that is filled from the streams says what the streams say, whatever else lies between the events of one.
import { describe, expect, it } from '@jest/globals';
import { createLedger, defineTool, succeeded } from '@action-ledger/client';
import {
  createMemoryEventStore,
  type EventStore,
  type RecordedEvent,
} from '@action-ledger/event-store';
import { createSystemRuntime } from '@action-ledger/runtime';
import { createToolSet } from '@action-ledger/tools';
import { z } from 'zod';
import { createMemoryActionIndex } from './action-index.ts';
import { rebuildIndex } from './rebuild-index.ts';

const pay = defineTool({
  name: 'pay',
  input: z.object({ invoice: z.string() }),
  guarantee: 'idempotent',
  keyWindow: '24h',
  execute: ({ arguments: { invoice }, beforeSend }) => {
    beforeSend();
    return succeeded({ paid: invoice }, { externalId: `charge-${invoice}` });
  },
});
const tools = createToolSet([pay]);

/** The events of one action that succeeded. */
async function paid(): Promise<readonly RecordedEvent[]> {
  const store = createMemoryEventStore();
  const all = { ...store, close: async () => undefined };
  const ledger = await createLedger({ store: all, runtime: createSystemRuntime(), tools: { pay } });
  await ledger.tools.pay.call({ invoice: 'i-1' }, { run: 'r', call: 'c' });
  await ledger.close();
  const events = await store.readAll({ after: 0, max: 100 });
  return events.filter(({ stream }) => stream.startsWith('action-'));
}

function storeOf(events: readonly RecordedEvent[]) {
  const placed = events.map((event, index) => ({ ...event, position: index + 1 }));
  const reads: string[] = [];
  const store: EventStore = {
    ...createMemoryEventStore(),
    readAll: async ({ after, max }) => placed.slice(after, after + max),
    readStream: async (stream) => {
      reads.push(stream);
      return placed.filter((event) => event.stream === stream);
    },
  };
  return { store, reads };
}

async function indexed(events: readonly RecordedEvent[]) {
  const { store, reads } = storeOf(events);
  const index = createMemoryActionIndex();
  await rebuildIndex(store, tools, index);
  return { index, reads };
}

describe('an index that is filled from the streams', () => {
  it('knows what an action became, and by which names', async () => {
    const { index, reads } = await indexed(await paid());
    expect(reads).toEqual([]);
    const [row] = index.list({ limit: 10 });
    expect(row).toMatchObject({ status: 'succeeded', externalId: 'charge-i-1' });
    expect(index.openActions()).toEqual([]);
    expect(index.ownerOfExternalId('default', 'pay', 'charge-i-1')).toBe(row?.action);
    const name = {
      as: 'external id',
      tenant: 'default',
      tool: 'pay',
      value: 'charge-i-1',
    } as const;
    expect(index.knownAs(name)).toEqual([row?.action]);
  });

  it('reads an action once whose events lie far apart, and says the same of it', async () => {
    const [planned, ...rest] = await paid();
    if (planned === undefined) throw new Error('There is no event.');
    const id = planned.stream.slice('action-'.length);
    const others = Array.from({ length: 20_500 }, (_, index) => {
      const other = `${String(index).padStart(8, '0')}${id.slice(8)}`;
      const stream = `action-${other}`;
      return { ...planned, stream, data: planned.data.replaceAll(id, other) };
    });
    const near = await indexed([planned, ...rest, ...others]);
    const far = await indexed([planned, ...others, ...rest]);
    expect(near.reads).toEqual([]);
    expect(far.reads).toEqual([planned.stream]);
    const rowIn = ({ index }: typeof near) => index.list({ limit: 30_000, status: 'succeeded' });
    expect(rowIn(far)).toEqual(rowIn(near));
    expect(far.index.openActions()).toHaveLength(20_500);
  });
});
