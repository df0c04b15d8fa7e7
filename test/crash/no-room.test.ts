// What the ledger answers when its file cannot take more: a full disk, a file opened read-only, a file
// that another process holds. Nothing is half bound, and it goes on when there is room.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createLedger, type Ledger, type Outcome } from '@action-ledger/client';
import { actionOfStream, type JsonObject } from '@action-ledger/domain';
import { type EventStore } from '@action-ledger/event-store';
import { openSqliteEventStore } from '@action-ledger/event-store-sqlite';
import { createProvider, type SandboxProvider } from '@action-ledger/sandbox';
import { type Tool } from '@action-ledger/tools';
import { openRig, pause, runtime } from './rig.ts';
import { behaviourOf, callOf, toolsOf } from './work.ts';

let folder = '';
let path = '';
let provider: SandboxProvider;
let tools: readonly Tool[] = [];
let opened: Ledger[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'no-room-'));
  path = join(folder, 'ledger.db');
  provider = createProvider({ runtime, behaviour: behaviourOf });
  tools = toolsOf(provider);
});

afterEach(async () => {
  for (const ledger of opened) await ledger.close({ drainMs: 100 });
  opened = [];
  rmSync(folder, { recursive: true, force: true });
});

async function open(store: EventStore): Promise<Ledger> {
  const ledger: Ledger = await createLedger({ store, tools, tenant: 'acme' });
  opened.push(ledger);
  return ledger;
}

async function pay(ledger: Ledger, number: number, name = 'pay-lookup'): Promise<Outcome<unknown>> {
  const tool = tools.find((each) => each.name === name);
  if (tool === undefined) throw new Error(`no tool ${name}`);
  const args: JsonObject = { invoice: `i${number}`, cents: number };
  return ledger.tool(tool).call(args, { ...callOf(number), waitMs: 3_000 });
}

async function actionsIn(store: EventStore): Promise<number> {
  const events = await store.readAll({ after: 0, max: 100_000 });
  return new Set(events.flatMap(({ stream }) => actionOfStream(stream) ?? [])).size;
}

describe('a full disk', () => {
  /** Room for some actions, and then for no more. */
  const fileBytesMax = 160 * 1024;

  it('refuses what is new with what to do, binds nothing, answers repeats, and goes on when there is room', async () => {
    const small = await openSqliteEventStore({ path, runtime, fileBytesMax });
    const ledger = await open(small);
    let number = 0;
    let answer = await pay(ledger, number);
    for (; answer.word === 'done' && number < 5_000; answer = await pay(ledger, number))
      number += 1;
    expect(answer).toMatchObject({ state: 'refused', code: 'ledger.store-unavailable' });
    expect(answer.reason).toMatch(/disk is full or the size limit is reached\. Make room/);
    expect(answer.reason).toContain('Nothing was recorded');
    // Neither the refused nor its next try has left anything behind, here or outside.
    await pay(ledger, number);
    expect(await actionsIn(small)).toBe(number);
    expect(provider.effects()).toHaveLength(number);
    expect(await pay(ledger, 0)).toMatchObject({ word: 'already-done' });
    await ledger.close();
    opened = [];

    const larger = await open(await openSqliteEventStore({ path, runtime }));
    expect(await pay(larger, number)).toMatchObject({ word: 'done', epoch: 0 });
    expect(await pay(larger, 0)).toMatchObject({ word: 'already-done' });
    expect(provider.effects()).toHaveLength(number + 1);
  }, 60_000);

  it('keeps an outcome that does not fit until there is room; nothing is sent again', async () => {
    let isFull = false;
    const inner = await openSqliteEventStore({ path, runtime });
    const small = await openSqliteEventStore({
      path: join(folder, 'full.db'),
      runtime,
      fileBytesMax,
    });
    // The fault of a really full file, at the moment that matters.
    const store: EventStore = {
      ...delegate(inner),
      append: async (stream, expected, events) => {
        if (isFull) await fill(small);
        return inner.append(stream, expected, events);
      },
    };
    provider = createProvider({
      runtime,
      behaviour: behaviourOf,
      onArrival: () => {
        isFull = true;
      },
    });
    tools = toolsOf(provider);
    const ledger = await open(store);
    const answer = await pay(ledger, 1);
    expect(answer).toMatchObject({ word: 'in-progress', state: 'dispatched' });
    expect(provider.effects()).toHaveLength(1);
    isFull = false;
    let repeat = await pay(ledger, 1);
    for (let looks = 0; repeat.word === 'in-progress' && looks < 100; looks += 1) {
      await pause(100);
      repeat = await pay(ledger, 1);
    }
    expect(repeat).toMatchObject({
      word: 'already-done',
      externalId: provider.effects()[0]?.id,
    });
    expect(provider.arrivals).toHaveLength(1);
    await small.close();
  }, 60_000);
});

/** @throws what SQLite says of a file that is full */
async function fill(store: EventStore): Promise<never> {
  for (let n = 0; ; n += 1) {
    const event = { id: runtime.ids.next(), type: 'Filling', metadata: '{}' };
    await store.append(`filling-${runtime.ids.next()}`, 'no stream', [
      { ...event, data: JSON.stringify('x'.repeat(50_000)) },
    ]);
  }
}

function delegate(store: EventStore): EventStore {
  return {
    append: (stream, expected, events) => store.append(stream, expected, events),
    readStream: (stream, from) => store.readStream(stream, from),
    readAll: (options) => store.readAll(options),
    truncate: (cuts) => store.truncate(cuts),
    givenUp: async (range) => (await store.givenUp?.(range)) ?? [],
    subscribe: (after, subscriber) => store.subscribe(after, subscriber),
    head: () => store.head(),
    condition: () => store.condition(),
    close: () => store.close(),
  };
}

describe('a file opened read-only', () => {
  it('answers repeats, refuses what is new with the reason, and sends nothing', async () => {
    const writing = await open(await openSqliteEventStore({ path, runtime }));
    expect(await pay(writing, 1)).toMatchObject({ word: 'done' });
    await writing.close();
    opened = [];
    const reading = await openSqliteEventStore({ path, runtime, readOnly: true });
    const ledger = await open(reading);
    expect(await pay(ledger, 1)).toMatchObject({ word: 'already-done' });
    const refused = await pay(ledger, 2);
    expect(refused).toMatchObject({ state: 'refused', code: 'ledger.store-unavailable' });
    expect(refused.reason).toContain('opened read-only');
    expect(await actionsIn(reading)).toBe(1);
    expect(provider.arrivals).toHaveLength(1);
  });

  it('cannot be opened where a tool would have to be registered', async () => {
    await (await openSqliteEventStore({ path, runtime })).close();
    const reading = await openSqliteEventStore({ path, runtime, readOnly: true });
    await expect(createLedger({ store: reading, tools })).rejects.toMatchObject({
      code: 'store.read-only',
    });
  });
});

describe('a file that another process holds', () => {
  it('is refused with the name of that process, which goes on undisturbed', async () => {
    const rig = await openRig();
    try {
      const holder = rig.start({ mode: 'load', callers: 2 });
      await holder.next('opened');
      await expect(createLedger({ path: rig.path, tools })).rejects.toMatchObject({
        code: 'store.held',
        message: expect.stringMatching(
          new RegExp(`held for writing by process ${holder.process.pid ?? 0}.*let that one do it`),
        ),
      });
      await holder.kill();
      await rig.finish();
      expect(await rig.judge()).toMatchObject({ broken: [], doubled: [], lost: [], misled: [] });
    } finally {
      await rig.close();
    }
  }, 60_000);
});
