// The distributed size in small: one store, one log, and around them processes with a core of their own.
// What is stored reaches the log only while it is told; time passes only when a test says so.
import { hash } from 'node:crypto';
import {
  type Answer,
  type Core,
  type CoreSource,
  createFollower,
  type Crew,
  createCrew,
  type Notice,
  openCore,
  type OwnCore,
  rebuildIndex,
  type Service,
  type ServiceDeps,
} from '@action-ledger/application';
import {
  actionTopics,
  createMemoryEventLog,
  headersOfEvent,
  type MemoryEventLog,
} from '@action-ledger/event-log';
import {
  createMemoryEventStore,
  type EventStore,
  type MemoryEventStore,
  type RecordedEvent,
} from '@action-ledger/event-store';
import { createMemoryActionIndex } from '@action-ledger/read-models';
import { createVirtualRuntime, type VirtualRuntime } from '@action-ledger/testkit/virtual-runtime';
import { createToolSet, type Tool } from '@action-ledger/tools';

export const second = 1_000;
export const minute = 60 * second;

export const sha256 = (text: string): string => hash('sha256', text, 'base64url');

export interface ServicesWorld {
  readonly runtime: VirtualRuntime;
  readonly store: MemoryEventStore;
  readonly log: MemoryEventLog;
  readonly notices: Notice[];
  readonly faults: string[];
  /** Nothing more reaches the log, until it is told again. */
  readonly holdLog: () => void;
  readonly tellLog: () => Promise<void>;
  /** A process that only records, as a gateway is. */
  readonly openCaller: (instance?: string) => Promise<Core>;
  /** What a service needs, with a core of its own. */
  readonly depsOf: (instance: string, own?: Partial<OwnCore>) => ServiceDeps;
  /** Started now, stopped with the world. */
  readonly run: <Started extends Service>(service: Started) => Promise<Started>;
  readonly types: (actionId: string | undefined) => Promise<readonly string[]>;
  readonly close: () => Promise<void>;
}

export interface ServicesWorldOptions {
  readonly tools: readonly Tool[];
  readonly partitions?: number;
  readonly crew?: Crew;
  readonly storeOf?: (store: MemoryEventStore) => EventStore;
}

export async function openServicesWorld(options: ServicesWorldOptions): Promise<ServicesWorld> {
  const { crew = createCrew(), storeOf = (each: MemoryEventStore): EventStore => each } = options;
  const runtime = createVirtualRuntime({ settling: 'quiet' });
  const store = createMemoryEventStore();
  const seen = storeOf(store);
  const log = createMemoryEventLog({ runtime, partitions: options.partitions ?? 4 });
  const notices: Notice[] = [];
  const faults: string[] = [];
  const open: { stop(): Promise<void> }[] = [];
  const telling = await tellOf(store, log);
  const portsOf = (): Omit<OwnCore, 'instance'> => ({
    store: seen,
    runtime: runtime.fork({ seed: 100 + open.length }),
    sha256,
    tools: createToolSet(options.tools),
    digestSecret: (path, text) => sha256(`${path} ${text}`),
    onNotice: (notice) => notices.push(notice),
    onFault: (where, fault) => faults.push(`${where}: ${String(fault)}`),
    crew,
  });
  const run = async <Started extends { start(): Promise<void>; stop(): Promise<void> }>(
    service: Started,
  ): Promise<Started> => {
    open.push(service);
    await service.start();
    return service;
  };
  return {
    runtime,
    store,
    log,
    notices,
    faults,
    holdLog: telling.hold,
    tellLog: telling.tell,
    openCaller: async (instance = 'gateway') => {
      const ports = portsOf();
      const index = createMemoryActionIndex();
      await rebuildIndex(ports.store, ports.tools, index);
      const core = await openCore({ ...ports, index, duties: [] });
      open.push({ stop: () => core.ledger.close() });
      await run(createFollower({ core, log, instance, runtime: ports.runtime }));
      return core;
    },
    depsOf: (instance, own = {}) => {
      const ports = { ...portsOf(), ...own };
      const core: CoreSource = { own: { ...ports, instance } };
      return {
        core,
        log,
        runtime: ports.runtime,
        onFault: (where, fault) => faults.push(`${where}: ${String(fault)}`),
      };
    },
    run,
    types: async (actionId) => {
      const events = await store.readStream(`action-${actionId ?? ''}`);
      return events.map(({ type }) => type);
    },
    close: async () => {
      const stopping = open.reverse().map((each) => each.stop());
      await runtime.advance(5 * minute);
      await Promise.all(stopping);
      await log.close();
    },
  };
}

interface Telling {
  readonly hold: () => void;
  readonly tell: () => Promise<void>;
}

/** What a projector does: publishes what is stored, in its order. */
async function tellOf(store: EventStore, log: MemoryEventLog): Promise<Telling> {
  const publisher = await log.openPublisher();
  let isHeld = false;
  let kept: RecordedEvent[] = [];
  const publish = async (): Promise<void> => {
    const events = kept;
    kept = [];
    await publisher.publish(events.map(recordOf));
  };
  store.subscribe(0, {
    onEvents: (events) => {
      kept.push(...events);
      return isHeld ? undefined : publish();
    },
  });
  return {
    hold: () => {
      isHeld = true;
    },
    tell: async () => {
      isHeld = false;
      await publish();
    },
  };
}

function recordOf({ id: eventId, data, metadata, ...place }: RecordedEvent) {
  return {
    topic: actionTopics.events,
    key: place.stream,
    value: Buffer.from(`{"data":${data},"metadata":${metadata}}`),
    headers: headersOfEvent({ eventId, ...place }),
  };
}

/** The call of a model, told apart by its number. */
export function propose(
  { ledger }: Pick<Core, 'ledger'>,
  tool: string,
  args: Readonly<Record<string, unknown>>,
  waitMs = 0,
): Promise<Answer> {
  return ledger.propose({
    tool,
    arguments: args,
    tenant: 'acme',
    origin: { run: 'run-1', turn: '1', call: JSON.stringify(args) },
    waitMs,
  });
}

export async function inServices(
  options: ServicesWorldOptions,
  test: (world: ServicesWorld) => Promise<void>,
): Promise<void> {
  const world = await openServicesWorld(options);
  try {
    await test(world);
  } finally {
    await world.close();
  }
}
