// One store and one log in memory, with projectors and an auditor between them. The store can be put back: as
// a server that is restored, it drops whoever follows it and has lost its end.
import { hash } from 'node:crypto';
import { type BrokenRecord, projectorSeatStream } from '@action-ledger/application';
import { createAuditor } from '@action-ledger/auditor';
import { createLedger, defineTool, inDoubt } from '@action-ledger/client';
import { foldAction, stateAsJson } from '@action-ledger/codec';
import { actionOfStream, streamOfAction } from '@action-ledger/domain';
import {
  actionTopics,
  createMemoryEventLog,
  eventPlaceOf,
  isNewer,
  type LogRecord,
  type MemoryEventLog,
  type NewRecord,
} from '@action-ledger/event-log';
import {
  createMemoryEventStore,
  type EventStore,
  type MemoryEventStore,
  type RecordedEvent,
} from '@action-ledger/event-store';
import { createProjector, type Projector, type ProjectorDeps } from '@action-ledger/projector';
import { createVirtualRuntime, type VirtualRuntime } from '@action-ledger/testkit';
import { z } from 'zod';

export const second = 1_000;
export const hour = 3_600 * second;
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

export interface ProjectionsWorld {
  readonly runtime: VirtualRuntime;
  readonly log: MemoryEventLog;
  readonly faults: string[];
  readonly breaches: BrokenRecord[];
  readonly store: EventStore;
  readonly pay: (...invoices: readonly string[]) => Promise<void>;
  /** A person has found what became of it. */
  readonly settle: (actionId: string) => Promise<void>;
  readonly backup: () => readonly RecordedEvent[];
  /** The ledger's process is started anew over it. */
  readonly restore: (events: readonly RecordedEvent[]) => Promise<void>;
  readonly project: (instance: string, more?: Partial<ProjectorDeps>) => Promise<Projector>;
  /** One pass of an auditor over everything. */
  readonly audit: (actionsMax?: number, asSeen?: Pick<MemoryEventLog, 'consume'>) => Promise<void>;
  readonly actionOf: (invoice: string) => Promise<string>;
  /** By action, for whoever passes over what is not newer; and for whoever takes what comes last. */
  readonly states: () => Promise<Record<'newest' | 'last', ReadonlyMap<string, string>>>;
  /** What the store has: the fold of each action. */
  readonly folds: () => Promise<ReadonlyMap<string, string>>;
  readonly events: () => Promise<readonly LogRecord[]>;
  /** Somebody who should not publishes there. */
  readonly intrude: (record: Omit<NewRecord, 'topic'>) => Promise<void>;
  readonly close: () => Promise<void>;
}

export async function openProjectionsWorld(): Promise<ProjectionsWorld> {
  const runtime = createVirtualRuntime({ settling: 'quiet' });
  const log = createMemoryEventLog({ runtime });
  let memory = createMemoryEventStore();
  const store = through(() => memory);
  const openLedger = () => createLedger({ store, runtime, tools: { pay } });
  let ledger = await openLedger();
  const faults: string[] = [];
  const breaches: BrokenRecord[] = [];
  const projectors: Projector[] = [];
  const parts = { store, log, sha256, runtime, clock: { nowMs: () => runtime.clock.wallMs() } };
  const onFault = (where: string, fault: unknown) => faults.push(`${where}: ${String(fault)}`);
  const settled = async (work: Promise<unknown>): Promise<void> => {
    await runtime.advance(second);
    await work;
  };
  return {
    runtime,
    log,
    faults,
    breaches,
    store,
    pay: async (...invoices) => {
      for (const invoice of invoices)
        await settled(ledger.tools.pay.call({ invoice }, { run: 'r', turn: '1', call: invoice }));
    },
    settle: async (actionId) => {
      const revisionSeen = (await memory.readStream(streamOfAction(actionId))).length - 1;
      const found = { verdict: 'found', by: 'ada', reason: 'looked', result: {} } as const;
      await settled(ledger.settle({ actionId, revisionSeen, ...found }));
    },
    backup: () => memory.events(),
    restore: async (events) => {
      await settled(ledger.close());
      const old = memory;
      memory = createMemoryEventStore({ events });
      await old.close();
      ledger = await openLedger();
    },
    project: async (instance, more = {}) => {
      const projector = createProjector({ ...parts, instance, onFault, ...more });
      projectors.push(projector);
      await projector.start();
      await runtime.advance(second);
      return projector;
    },
    audit: async (actionsMax, asSeen) => {
      const auditor = createAuditor({
        ...parts,
        log: { ...log, ...asSeen },
        passEveryMs: hour,
        onBroken: (breach) => breaches.push(breach),
        states: {
          textOf: (value) => Buffer.from(value).toString(),
          ...(actionsMax === undefined ? {} : { actionsMax }),
        },
      });
      await auditor.start();
      await runtime.advance(hour + 60 * second);
      await settled(auditor.stop());
    },
    actionOf: async (invoice) => {
      const found = memory.events().find(({ data }) => data.includes(`"invoice":"${invoice}"`));
      return actionOfStream(found?.stream ?? '') ?? '';
    },
    states: () => readStates(runtime, log),
    folds: () => foldsOf(memory),
    events: () => readAll(runtime, log, actionTopics.events),
    intrude: async (record) => {
      const publisher = await log.openPublisher();
      await publisher.publish([{ ...record, topic: actionTopics.state }]);
    },
    close: async () => {
      await settled(Promise.all(projectors.map((each) => each.stop())));
      await settled(ledger.close());
      await log.close();
    },
  };
}

function through(current: () => MemoryEventStore): EventStore {
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

async function readAll(
  runtime: VirtualRuntime,
  log: MemoryEventLog,
  topic: string,
): Promise<readonly LogRecord[]> {
  const records: LogRecord[] = [];
  const consumer = await log.consume({
    group: `g-${runtime.ids.next()}`,
    topics: [topic],
    from: 'start',
    handler: async (some) => void records.push(...some),
  });
  await runtime.settle();
  await consumer.close();
  return records;
}

/**
 * The topic keeps the last record of each key; a reader that was there all the time has seen the others too,
 * so both must come to the same.
 */
async function readStates(runtime: VirtualRuntime, log: MemoryEventLog) {
  const records = await readAll(runtime, log, actionTopics.state);
  const newest = new Map<string, LogRecord>();
  const last = new Map<string, LogRecord>();
  for (const record of records) {
    last.set(record.key, record);
    const place = eventPlaceOf(record);
    const known = newest.get(record.key);
    const knownPlace = known && eventPlaceOf(known);
    if (place === undefined) continue;
    if (knownPlace === undefined || isNewer(place, knownPlace)) newest.set(record.key, record);
  }
  return { newest: textsOf(newest), last: textsOf(last) };
}

function textsOf(records: ReadonlyMap<string, LogRecord>): ReadonlyMap<string, string> {
  return new Map(
    [...records]
      .filter(([, { value }]) => value !== undefined)
      .map(([key, { value }]) => [key, Buffer.from(value ?? []).toString()] as const)
      .sort(byKey),
  );
}

async function foldsOf(store: MemoryEventStore): Promise<ReadonlyMap<string, string>> {
  const actions = new Set(store.events().flatMap(({ stream }) => actionOfStream(stream) ?? []));
  const folds: [string, string][] = [];
  for (const action of actions) {
    const stream = streamOfAction(action);
    const folded = foldAction(sha256, stream, await store.readStream(stream));
    if (folded.kind === 'folded')
      folds.push([action, Buffer.from(stateAsJson(folded.action)).toString()]);
  }
  return new Map(folds.sort(byKey));
}

function byKey([one]: readonly [string, string], [other]: readonly [string, string]): number {
  return one < other ? -1 : 1;
}

/** Without what the projectors say of themselves, which is not published. */
export function publishable(events: readonly RecordedEvent[]): readonly string[] {
  return events.filter(({ stream }) => stream !== projectorSeatStream).map(({ id }) => id);
}
