// A ledger in memory with its log, and an auditor beside it, over a store that can be tampered with.
import { hash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createLedger, defineTool, inDoubt, type Ledger } from '@action-ledger/client';
import {
  archiveActions,
  type ArchiveFolder,
  type BrokenRecord,
  type StreamRecord,
  verifyLedger,
} from '@action-ledger/application';
import { eventOfLine, sealEvents, unsealEvent } from '@action-ledger/codec';
import { actionIdOf, chainStart, type JsonObject, streamOfAction } from '@action-ledger/domain';
import { actionTopics, type EventLog } from '@action-ledger/event-log';
import { openEmbeddedEventLog } from '@action-ledger/event-log-embedded';
import {
  createMemoryEventStore,
  type EventStore,
  type RecordedEvent,
  StoreFault,
} from '@action-ledger/event-store';
import { createVirtualRuntime, type VirtualRuntime } from '@action-ledger/testkit';
import { z } from 'zod';
import { type Auditor, type AuditorDeps, createAuditor } from './index.ts';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const sha256 = (text: string): string => hash('sha256', text, 'base64url');

const pay = defineTool({
  name: 'pay',
  input: z.object({ invoice: z.string() }),
  guarantee: 'manual',
  execute: ({ arguments: { invoice }, beforeSend }) => {
    beforeSend();
    return invoice.startsWith('lost') ? inDoubt('no answer') : { paid: invoice };
  },
});

let runtime: VirtualRuntime;
let memory: ReturnType<typeof createMemoryEventStore>;
let store: EventStore;
let ledger: Ledger;
let log: EventLog;
let auditor: Auditor;
let told: BrokenRecord[] = [];
let faults: string[] = [];
/** What is read of these streams, in place of what is stored. */
let altered: Map<string, (events: readonly RecordedEvent[]) => readonly RecordedEvent[]>;
let reads = 0;
/** Before a stream is read. */
let gate: Promise<void> = Promise.resolve();

beforeEach(async () => {
  runtime = createVirtualRuntime({ settling: 'quiet' });
  memory = createMemoryEventStore();
  altered = new Map();
  [told, faults, reads] = [[], [], 0];
  gate = Promise.resolve();
  store = {
    ...memory,
    readStream: async (stream, from = 0) => {
      reads += stream.startsWith('action-') ? 1 : 0;
      await gate;
      const events = await memory.readStream(stream);
      return (altered.get(stream)?.(events) ?? events).filter(({ revision }) => revision >= from);
    },
  };
  ledger = await createLedger({ store: memory, runtime, tools: [pay], sweepMs: hour });
  log = await openEmbeddedEventLog({ store, path: ':memory:', runtime });
  await start();
});
afterEach(async () => {
  await auditor.stop();
  await log.close();
  await ledger.close();
});

async function start(more: Partial<AuditorDeps> = {}): Promise<void> {
  auditor = createAuditor({
    log,
    store,
    runtime,
    sha256,
    clock: { nowMs: () => runtime.clock.wallMs() },
    ownerOfExternalId: (...named) => ledger.ownerOfExternalId(...named),
    onBroken: (breach) => told.push(breach),
    onFault: (where, fault) => faults.push(`${where}: ${String(fault)}`),
    ...more,
  });
  await auditor.start();
  await runtime.settle();
}

async function call(invoice: string): Promise<string> {
  const calling = ledger.tool(pay).call({ invoice }, { run: 'r', waitMs: 0 });
  await runtime.advance(10);
  const { actionId = '' } = await calling;
  return actionId;
}

/** What happened, appended by hand: sealed, so that its chain holds. */
async function append(stream: string, ...events: readonly StreamRecord[]): Promise<void> {
  const stored = await memory.readStream(stream);
  const last = stored.at(-1);
  const context = { sha256, nextId: runtime.ids.next, at: runtime.clock.wallMs() };
  const previous = last === undefined ? chainStart(stream) : unsealEvent(last).metadata.hash;
  const sealed = sealEvents(context, previous, events);
  await memory.append(stream, last?.revision ?? 'no stream', sealed.events);
  await runtime.settle();
}

const names = (): readonly string[] => told.map(({ invariant }) => invariant);

async function plannedOf(actionId: string): Promise<JsonObject> {
  const [first] = await memory.readStream(streamOfAction(actionId));
  return first === undefined ? {} : { ...unsealEvent(first).event.data };
}

describe('the auditor', () => {
  it('finds nothing where nothing is wrong, and writes nothing', async () => {
    for (const invoice of ['1', '2', 'lost-3']) await call(invoice);
    const head = await memory.head();
    await runtime.advance(hour);
    expect([told, faults, await auditor.breaches()]).toEqual([[], [], []]);
    expect(await memory.head()).toBe(head);
    expect(auditor.health()).toMatchObject({ condition: 'live', lag: 0, deadLetters: 0 });
  });

  it('checks several streams that have moved at once where it has a process of its own', async () => {
    await auditor.stop();
    const damaged = streamOfAction(await call('1'));
    for (const invoice of ['2', '3', '4', '5', '6']) await call(invoice);
    altered.set(damaged, (events) => events.toReversed());
    await log.close();
    log = await openEmbeddedEventLog({ store, path: ':memory:', runtime, partitions: 1 });
    let open = (): void => undefined;
    gate = new Promise((resolve) => (open = resolve));
    reads = 0;
    await start({ atOnceMax: 4, passEveryMs: hour });
    const readAtOnce = reads;
    open();
    await runtime.settle();
    expect(readAtOnce).toBe(4);
    expect(told).toEqual([expect.objectContaining({ stream: damaged })]);
  });

  it('stops looking at what has come to rest', async () => {
    await call('1');
    await runtime.advance(minute);
    const before = reads;
    await runtime.advance(6 * hour);
    expect(reads).toBe(before);
  });

  it('finds a doubt that nobody looks after', async () => {
    const action = await call('lost-1');
    await append(streamOfAction(action), {
      type: 'OwnerAssigned',
      data: { owner: 'operator', reason: 'no next check' },
    });
    expect(told).toMatchObject([
      { stream: streamOfAction(action), invariant: 'unknown-is-watched' },
    ]);
  });

  it('finds another success, another arguments hash and a stray attempt', async () => {
    const action = await call('1');
    await append(streamOfAction(action), {
      type: 'ActionSucceeded',
      data: { attempt: 7, result: 'again' },
    });
    expect([...names()].sort()).toEqual([
      'attempts-follow-dispatches',
      'stream-folds',
      'success-never-changes',
    ]);
  });

  it('finds an epoch without the one before, on the second look', async () => {
    const action = await call('1');
    const id = actionIdOf(action.slice(0, action.indexOf('.')), 2);
    await append(streamOfAction(id), {
      type: 'ActionPlanned',
      data: { ...(await plannedOf(action)), epoch: 2 },
    });
    expect(told).toEqual([]);
    await runtime.advance(minute);
    expect(told).toMatchObject(
      [
        { stream: streamOfAction(id), invariant: 'epochs-without-gaps', detail: /without epoch 1/ },
      ].map(({ detail: _, ...rest }) => rest),
    );
  });

  it('finds half a link, not while the other half may come', async () => {
    const [one, two] = [await call('1'), await call('2')];
    await append(streamOfAction(one), { type: 'ActionUndone', data: { by: two } });
    await runtime.advance(10 * second);
    expect(told).toEqual([]);
    await runtime.advance(minute);
    expect(told).toMatchObject([{ stream: streamOfAction(one), invariant: 'links-complete' }]);
  });

  it('finds an action that rests in dispatched, after its lease and a sweep', async () => {
    const action = await call('1');
    const planned = await plannedOf(action);
    const id = actionIdOf(sha256('another'), 0);
    const until = runtime.clock.wallMs() + 40 * second;
    await append(
      streamOfAction(id),
      { type: 'ActionPlanned', data: planned },
      { type: 'ActionClaimed', data: { worker: 'w', leaseUntil: until } },
      {
        type: 'ActionDispatched',
        data: { attempt: 1, downstreamKey: 'k', deadlineAt: until, inFlightMs: minute },
      },
    );
    await runtime.advance(45 * second);
    expect(told).toEqual([]);
    await runtime.advance(minute);
    expect(told).toMatchObject([
      { stream: streamOfAction(id), invariant: 'no-rest-past-the-lease' },
    ]);
  });

  it('finds one external id of two actions', async () => {
    const [one, two] = [await call('lost-1'), await call('lost-2')];
    for (const id of [one, two])
      await append(streamOfAction(id), {
        type: 'ActionSucceeded',
        data: { result: null, externalId: 'x-1', source: 'bank' },
      });
    await runtime.advance(minute);
    // The index of the ledger was told of neither.
    expect(names()).toEqual([]);
    await auditor.stop();
    await start({ group: 'again', ownerOfExternalId: () => one });
    await runtime.advance(minute);
    expect(told).toMatchObject([
      { stream: streamOfAction(two), invariant: 'one-action-per-external-id' },
    ]);
  });

  it('tells of each breach once: not after a replay, nor after a restart, nor again the next day', async () => {
    const action = await call('1');
    await append(streamOfAction(action), { type: 'ActionUndone', data: { by: await call('2') } });
    await runtime.advance(minute);
    expect(told).toHaveLength(1);
    await auditor.stop();
    await log.reset({ group: 'auditor', topics: [actionTopics.events], to: 'start' });
    await start();
    await runtime.advance(49 * hour);
    expect(told).toHaveLength(1);
    expect(await auditor.breaches()).toEqual(told);
    const { brokenInvariants } = await verifyLedger(memory, { sha256 });
    expect(brokenInvariants.map(({ invariant }) => invariant)).toEqual(names());
  });

  it('goes on where it was', async () => {
    await call('1');
    await auditor.stop();
    const before = await memory.head();
    await start();
    await call('2');
    expect(auditor.health().handled).toBe((await memory.head()) - before);
  });
});

describe('a damaged record', () => {
  it('is put into quarantine, and told of by that', async () => {
    await auditor.stop();
    const held: string[] = [];
    await start({
      quarantine: async (actionId) => {
        held.push(actionId);
        return true;
      },
    });
    altered.set('pauses', () => []);
    const action = await call('1');
    expect(held).toEqual([]);
    altered.set(streamOfAction(action), (events) =>
      events.map((event) => ({ ...event, data: event.data.replace('"1"', '"9"') })),
    );
    await append(streamOfAction(action), { type: 'ActionUndone', data: { by: action } });
    expect(held).toEqual([action]);
    expect(told).toEqual([]);
  });

  it('holds up no other, whatever it holds', async () => {
    const [one, two, three] = [await call('1'), await call('2'), await call('3')];
    altered.set(streamOfAction(one), () => {
      throw new StoreFault('store.corrupt', 'never', 'a row that is none', { detail: {} });
    });
    altered.set(streamOfAction(two), ([first, ...rest]) =>
      first === undefined ? [] : [{ ...first, data: 'null' }, ...rest],
    );
    for (const id of [one, two, three])
      await append(streamOfAction(id), { type: 'ActionUndone', data: { by: three } });
    await runtime.advance(minute);
    const found = told.map(({ stream, invariant }) => [stream, invariant]);
    expect(found).toEqual([
      [streamOfAction(one), 'row-readable'],
      [streamOfAction(two), 'chain-holds'],
      [streamOfAction(three), 'links-complete'],
    ]);
    expect(auditor.health()).toMatchObject({ lag: 0, deadLetters: 0 });
  });

  it('is found by the daily pass, long after it was checked', async () => {
    const action = await call('1');
    await runtime.advance(hour);
    altered.set(streamOfAction(action), (events) => events.slice(1));
    await runtime.advance(22 * hour);
    expect(told).toEqual([]);
    await runtime.advance(2 * hour);
    expect(names()).toEqual(['chain-holds']);
  });

  it('is found by the pass of a day though no process runs for one', async () => {
    const action = await call('1');
    await runtime.advance(hour);
    altered.set(streamOfAction(action), (events) => events.slice(1));
    for (let starts = 0; starts < 3; starts += 1) {
      await auditor.stop();
      await start();
      await runtime.advance(9 * hour);
    }
    expect(names()).toEqual(['chain-holds']);
  });

  it('is found by a pass in which the store is away for a while', async () => {
    const [one, two] = [await call('1'), await call('2')];
    await runtime.advance(hour);
    let isAway = true;
    altered.set(streamOfAction(one), (events) => {
      if (isAway) throw new StoreFault('store.unavailable', 'safe', 'away');
      return events;
    });
    altered.set(streamOfAction(two), (events) => events.slice(1));
    await runtime.advance(24 * hour);
    isAway = false;
    await runtime.advance(minute);
    expect(names()).toEqual(['chain-holds']);
  });

  it('is told once of, though the stream of breaches is damaged itself', async () => {
    altered.set('audit', () => {
      throw new StoreFault('store.corrupt', 'never', 'a row that is none', { detail: {} });
    });
    const action = await call('1');
    await append(streamOfAction(action), { type: 'ActionUndone', data: { by: await call('2') } });
    await runtime.advance(49 * hour);
    expect(names()).toEqual(['links-complete']);
    expect(auditor.health()).toMatchObject({ lag: 0, deadLetters: 0 });
  });

  it('waits for a store that is away, and tells nothing meanwhile', async () => {
    const action = await call('1');
    let isAway = true;
    altered.set(streamOfAction(action), (events) => {
      if (isAway) throw new StoreFault('store.unavailable', 'safe', 'away');
      return events;
    });
    await append(streamOfAction(action), { type: 'ActionUndone', data: { by: action } });
    await runtime.advance(minute);
    expect([told, faults.length > 0]).toEqual([[], true]);
    isAway = false;
    await runtime.advance(2 * minute);
    expect(names()).toEqual(['links-complete']);
  });
});

describe('an archived action', () => {
  it('is whole as its stream begins now, when it moves and in the daily pass', async () => {
    await auditor.stop();
    await start({ passEveryMs: hour });
    const action = await call('1');
    const stream = streamOfAction(action);
    await runtime.advance(hour);
    const files = new Map<string, readonly string[]>();
    const folder: ArchiveFolder = {
      write: async (lines) => {
        files.set('a', lines);
        return 'a';
      },
      read: async (file) => files.get(file)?.map(eventOfLine),
    };
    runtime.setWall(runtime.clock.wallMs() + 60 * 24 * hour);
    const settledBefore = runtime.clock.wallMs() - hour;
    const deps = { store: memory, runtime, sha256, folder };
    const archived = await archiveActions(deps, { settledBefore, by: 'ada', all: true });
    expect(archived.actions).toBe(1);
    await runtime.advance(3 * hour);
    expect(told).toEqual([]);
    altered.set(stream, (events) =>
      events.map((event) => ({ ...event, data: event.data.replace('succeeded', 'failed') })),
    );
    await runtime.advance(3 * hour);
    expect(told).toMatchObject([{ stream, invariant: 'chain-holds' }]);
  });
});

describe('projections', () => {
  it('are compared in the background, and what differs is told once', async () => {
    await auditor.stop();
    const breach = {
      stream: streamOfAction(await call('1')),
      invariant: 'projection-equals-fold',
      detail: 'The projection says failed.',
    } as const;
    await start({
      passEveryMs: hour,
      compareProjections: async function* (rest) {
        await rest();
        yield breach;
      },
    });
    await runtime.advance(5 * hour);
    expect(told).toEqual([breach]);
  });
});
