// A ledger that only records, and beside it the services that do the rest, each with a core of its own over
// the same store and told of what happens by a log alone. They live and die together.
import {
  type CoreSource,
  type Crew,
  createFollower,
  type OwnCore,
} from '@action-ledger/application';
import { composeLedger, type CreateLedgerOptions, type Ledger } from '@action-ledger/client';
import { createCompensator } from '@action-ledger/compensator';
import {
  actionTopics,
  createMemoryEventLog,
  type EventLog,
  headersOfEvent,
} from '@action-ledger/event-log';
import { openEmbeddedEventLog } from '@action-ledger/event-log-embedded';
import { type EventStore } from '@action-ledger/event-store';
import { createExecutor } from '@action-ledger/executor';
import { createReconciler } from '@action-ledger/reconciler';
import { type Runtime } from '@action-ledger/runtime';
import { createToolSet } from '@action-ledger/tools';
import { type Disk } from './disk.ts';
import { type Life } from './mortal.ts';
import { sha256 } from './sha256.ts';

type Given = CreateLedgerOptions<never> & {
  readonly store: EventStore;
  readonly runtime: Runtime;
};

interface ServicesOf {
  readonly life: Life;
  readonly disk: Disk;
  readonly crew: Crew;
  /** Of the process, among all over the store. */
  readonly name: string;
}

/** Of consumers, whose looks at the lag would only cost time where days pass. */
const lookEveryMs = 24 * 3_600_000;

export async function startServices(
  given: Given,
  { life, disk, crew, name }: ServicesOf,
): Promise<Ledger> {
  const { runtime, store, onFault } = given;
  const log = disk.log?.(life, runtime) ?? (await openLog(disk, runtime));
  const { ledger, core } = await composeLedger(given, { duties: [], crew });
  const follower = createFollower({ core, log, instance: `${name}-caller`, runtime, lookEveryMs });
  const { tools, tenant: _tenant, ...ports } = given;
  const own = (instance: string): CoreSource => ({
    own: {
      ...ports,
      store,
      runtime,
      instance,
      crew,
      sha256,
      tools: createToolSet(Object.values(tools)),
      digestSecret: () => {
        throw new Error('no tool of these windows has secrets');
      },
    } satisfies OwnCore,
  });
  const depsOf = (service: string) => ({
    core: own(`${name}-${service}`),
    log,
    runtime,
    lookEveryMs,
    ...(onFault === undefined ? {} : { onFault }),
  });
  const services = [
    follower,
    createExecutor(depsOf('executor')),
    createReconciler(depsOf('reconciler')),
    createCompensator(depsOf('compensator')),
  ];
  const started = (async () => {
    for (const service of services) await service.start();
  })();
  await Promise.race([started, life.death]);
  return ledger;
}

/** Over the file: its views. Over memory: one that everything stored is published to. */
async function openLog(disk: Disk, runtime: Runtime): Promise<EventLog> {
  const store = disk.store();
  if (disk.kind === 'sqlite') return openEmbeddedEventLog({ store, path: ':memory:', runtime });
  const log = createMemoryEventLog({ runtime });
  const publisher = await log.openPublisher();
  store.subscribe(0, {
    onEvents: (events) =>
      publisher.publish(
        events.map(({ id: eventId, data, metadata, ...place }) => ({
          topic: actionTopics.events,
          key: place.stream,
          value: Buffer.from(`{"data":${data},"metadata":${metadata}}`),
          headers: headersOfEvent({ eventId, ...place }),
        })),
      ),
  });
  return log;
}

export interface Crews {
  /** Of the next process over the store. */
  readonly next: () => Crew;
}

/** Each process takes those before it for dead; they know better, and leave the later ones alone. */
export function createCrews(): Crews {
  const processOf = new Map<string, number>();
  let processes = 0;
  return {
    next: () => {
      processes += 1;
      const own = processes;
      return {
        join: (worker) => {
          processOf.set(worker, own);
        },
        leave: () => undefined,
        isGone: (worker) => (processOf.get(worker) ?? 0) < own,
        isShared: () => true,
      };
    },
  };
}
