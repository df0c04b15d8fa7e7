// What platforms publish on `action.proposals` becomes actions. The offset moves on once they are on record,
// never after a call: whoever has the duty carries them out. A record that can never become one is put
// among the dead letters with its reason, and holds up no other.
import {
  type ConsumerOptions,
  createConsumer,
  createCoreService,
  type CoreServiceDeps,
  loopOf,
  type RunningCore,
  type Service,
} from '@action-ledger/application';
import { type Sha256 } from '@action-ledger/domain';
import {
  actionTopics,
  type Delivery,
  isOutage,
  type LogRecord,
  type PoisonRecord,
} from '@action-ledger/event-log';
import { type DecodeProposal } from '@action-ledger/proposals';
import { inLanes } from './in-lanes.ts';
import { takeRecord } from './take-record.ts';

export interface IntakeDeps
  extends CoreServiceDeps, Pick<ConsumerOptions, 'batchMax' | 'lingerMs' | 'retry'> {
  readonly decode: DecodeProposal;
  readonly sha256: Sha256;
  /** Whoever may publish is trusted to name tenants; these alone where they are given, and the rest is put aside. */
  readonly tenants?: readonly string[];
  /** Proposals that are being recorded at once, of each partition. Default 16. */
  readonly atOnceMax?: number;
  /** So much the brokers' clock may be ahead of the ledger's when a record is judged by its age. Default 0. */
  readonly clockSkewMs?: number;
}

const group = 'intake';
const atOnceUsual = 16;

export function createIntake(deps: IntakeDeps): Service {
  return createCoreService(deps, {
    name: group,
    consume: (running) => {
      const { log, batchMax, lingerMs, retry } = deps;
      return createConsumer({
        ...loopOf(deps),
        ...(batchMax === undefined ? {} : { batchMax }),
        ...(lingerMs === undefined ? {} : { lingerMs }),
        ...(retry === undefined ? {} : { retry }),
        log,
        group,
        topics: [actionTopics.proposals],
        from: 'start',
        areEvents: false,
        handle: createHandle(deps, running),
      });
    },
  });
}

/** Of a batch that is tried again: what needs no second look, and why it was put aside. */
type Settled = Map<number, PoisonRecord | undefined>;

interface Known {
  readonly generation: number;
  readonly settled: Settled;
}

class Stopped extends Error {
  readonly retry = 'safe';
}

function createHandle(
  deps: IntakeDeps,
  running: () => RunningCore | undefined,
): ConsumerOptions['handle'] {
  const { atOnceMax = atOnceUsual, clockSkewMs = 0, decode, sha256 } = deps;
  const tenants = deps.tenants === undefined ? undefined : new Set(deps.tenants);
  const knownIn = new Map<string, Known>();
  return async (records, delivery) => {
    const now = running();
    if (now === undefined) throw new Stopped('The intake is stopped.');
    const { core, stopping } = now;
    const settled = settledAt(knownIn, delivery);
    const catchUp = once(() => core.catchUp());
    const take = { core, decode, sha256, tenants, clockSkewMs, catchUp };
    const faults: unknown[] = [];
    const mayGoOn = (): boolean =>
      !stopping.aborted && !delivery.signal.aborted && !faults.some(isOutage);
    const act = async (record: LogRecord): Promise<boolean> => {
      try {
        if (!settled.has(record.offset)) settled.set(record.offset, await takeRecord(take, record));
        return true;
      } catch (fault) {
        faults.push(fault);
        return false;
      }
    };
    await inLanes(records, ({ key }) => key, { lanesMax: atOnceMax, mayGoOn }, act);
    checkAllDone(records, settled, faults);
    putAside(records, settled, delivery);
    for (const { offset } of records) settled.delete(offset);
  };
}

function settledAt(
  knownIn: Map<string, Known>,
  { topic, partition, generation }: Delivery,
): Settled {
  const place = `${topic}/${partition}`;
  const known = knownIn.get(place);
  if (known?.generation === generation) return known.settled;
  const settled: Settled = new Map();
  knownIn.set(place, { generation, settled });
  return settled;
}

/** @throws first what broke around them all */
function checkAllDone(
  records: readonly LogRecord[],
  settled: Settled,
  faults: readonly unknown[],
): void {
  if (faults.length > 0) throw faults.find(isOutage) ?? faults[0];
  if (!records.every(({ offset }) => settled.has(offset)))
    throw new Stopped('The intake was stopped, or has lost the partition.');
}

function putAside(records: readonly LogRecord[], settled: Settled, delivery: Delivery): void {
  for (const record of records) {
    const poison = settled.get(record.offset);
    if (poison !== undefined) delivery.putAside(record, poison);
  }
}

function once(act: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => (done ??= act());
}
