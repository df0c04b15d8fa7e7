// Topics of a real broker that are not what the store says: somebody else has written into them, and then the
// store is put back behind them. In the end whoever reads the topic of states reads what the store says.
import { hash, randomUUID } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { type BrokenRecord } from '@action-ledger/application';
import { createAuditor } from '@action-ledger/auditor';
import { createLedger, defineTool } from '@action-ledger/client';
import { foldAction, stateAsJson } from '@action-ledger/codec';
import { actionOfStream, streamOfAction } from '@action-ledger/domain';
import {
  actionTopics,
  type EventLog,
  eventPlaceOf,
  headersOfEvent,
} from '@action-ledger/event-log';
import { createMemoryEventStore, type EventStore } from '@action-ledger/event-store';
import { createProjector } from '@action-ledger/projector';
import { z } from 'zod';
import { brokersGiven, newPrefix, openLog, runtime, skipped } from './world.ts';

const brokers = brokersGiven();
const sha256 = (text: string): string => hash('sha256', text, 'base64url');

if (brokers === undefined) {
  it.skip(skipped('topics and streams that differ'), () => undefined);
} else {
  it('mends states that are not what their streams say, also after the store was put back', async () => {
    const log = await openLog(brokers, newPrefix());
    let memory = createMemoryEventStore();
    const store = through(() => memory);
    const pay = defineTool({
      name: 'pay',
      input: z.object({ invoice: z.string() }),
      guarantee: 'manual',
      execute: ({ beforeSend }) => {
        beforeSend();
      },
    });
    const paid = async (...invoices: readonly string[]): Promise<void> => {
      const ledger = await createLedger({ store, runtime, tools: { pay } });
      for (const invoice of invoices)
        await ledger.tools.pay.call({ invoice }, { run: 'r', turn: '1', call: invoice });
      await ledger.close();
    };
    const clock = { nowMs: () => runtime.clock.wallMs() };
    const parts = { store, log, sha256, runtime, clock, onFault: () => undefined };
    const projector = createProjector({ ...parts, instance: 'one', leaseMs: 900 });
    await projector.start();
    await paid('i-1', 'i-2');
    const backup = memory.events();
    await paid('i-3', 'i-4');
    await until(async () => (await readStates(log)).size === 4);
    const [first = ''] = (await readStates(log)).keys();
    const place = { eventId: 'e', type: 'T', stream: `action-${first}`, revision: 0, position: 1 };
    const intruder = await log.openPublisher();
    const garbage = { key: first, value: Buffer.from('{}'), headers: headersOfEvent(place) };
    await intruder.publish([{ ...garbage, topic: actionTopics.state }]);

    const breaches: BrokenRecord[] = [];
    const auditor = createAuditor({
      ...parts,
      passEveryMs: 300,
      sweepMs: 100,
      onBroken: (breach) => breaches.push(breach),
      states: { textOf: (value) => Buffer.from(value).toString() },
    });
    await auditor.start();
    await until(async () => isSame(await readStates(log), await foldsOf(store)));
    expect(breaches.map(({ stream }) => stream)).toEqual([`action-${first}`]);

    const old = memory;
    memory = createMemoryEventStore({ events: backup });
    await old.close();
    await paid('i-5', 'i-6', 'i-7');
    await until(async () => isSame(await readStates(log), await foldsOf(store)));
    const newest = await log.newest([actionTopics.events]);
    const generations = newest.map((record) => eventPlaceOf(record)?.generation ?? 0);
    expect(Math.max(...generations)).toBe(1);
    await Promise.all([projector.stop(), auditor.stop()]);
    await log.close();
  });
}

function through(current: () => EventStore): EventStore {
  return {
    append: (...given) => current().append(...given),
    readStream: (...given) => current().readStream(...given),
    readAll: (range) => current().readAll(range),
    truncate: (cuts) => current().truncate(cuts),
    subscribe: (...given) => current().subscribe(...given),
    head: () => current().head(),
    condition: () => current().condition(),
    close: async () => undefined,
  };
}

type States = ReadonlyMap<string, string>;

/** As the last record of each action says. */
async function readStates(log: EventLog): Promise<States> {
  const states = new Map<string, string>();
  const group = randomUUID();
  const consumer = await log.consume({
    group,
    topics: [actionTopics.state],
    from: 'start',
    handler: async (records) => {
      for (const { key, value } of records) {
        if (value === undefined) states.delete(key);
        else states.set(key, Buffer.from(value).toString());
      }
    },
  });
  await until(async () =>
    (await log.lag(group, [actionTopics.state])).every(({ lag }) => lag === 0),
  );
  await consumer.close();
  return states;
}

async function foldsOf(store: EventStore): Promise<States> {
  const events = await store.readAll({ after: 0, max: 10_000 });
  const folds = new Map<string, string>();
  for (const action of new Set(events.flatMap(({ stream }) => actionOfStream(stream) ?? []))) {
    const stream = streamOfAction(action);
    const folded = foldAction(sha256, stream, await store.readStream(stream));
    if (folded.kind === 'folded')
      folds.set(action, Buffer.from(stateAsJson(folded.action)).toString());
  }
  return folds;
}

function isSame(one: States, other: States): boolean {
  return one.size === other.size && [...one].every(([key, text]) => other.get(key) === text);
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds()))
    await new Promise((resolve) =>
      runtime.timers.after(20, () => {
        resolve(undefined);
      }),
    );
}
