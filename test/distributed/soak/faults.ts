// What a soak does to the ledger under load, one thing after the other: every service killed in turn, the double and
// the brokers killed and started again, one of three brokers away for a while, connections of the store cut, and
// meanwhile a stranger who joins the executors' group every 10 s.
import { type Fleet, type Member } from '@action-ledger/cli/play';
import { actionTopics, type EventLog } from '@action-ledger/event-log';
import { type Runtime } from '@action-ledger/runtime';
import { type Servers } from '../servers.ts';
import { type Cuts } from './cuts.ts';

export interface FaultPlan {
  /** Of each service. */
  readonly kills: number;
  readonly double: number;
  readonly brokers: number;
  readonly cuts: number;
  readonly brokerAwayMs: number;
}

export interface FaultDeps {
  readonly fleet: Fleet;
  readonly servers: Servers;
  readonly cuts: Cuts;
  readonly runtime: Runtime;
  readonly count: (what: string) => void;
  /** Resolves when nothing stands still any more. */
  readonly calm: () => Promise<void>;
}

export async function doAll(plan: FaultPlan, deps: FaultDeps): Promise<void> {
  for (const fault of inTurn(plan, deps)) {
    await fault();
    await deps.calm();
  }
}

type Fault = () => Promise<void>;

/** So that no two of one kind follow on one another. */
function inTurn(plan: FaultPlan, deps: FaultDeps): readonly Fault[] {
  const kinds = [...new Set(deps.fleet.members.map(({ service }) => service))];
  const kinded: (readonly Fault[])[] = [
    ...kinds.map((service) => times(plan.kills, (n) => killMember(deps, service, n))),
    times(plan.double, () => restartDouble(deps)),
    times(plan.brokers, (n) => restartBroker(deps, n, 0)),
    times(1, (n) => restartBroker(deps, n, plan.brokerAwayMs)),
    times(plan.cuts, () => cut(deps)),
  ];
  const longest = Math.max(...kinded.map(({ length }) => length));
  return Array.from({ length: longest }, (_, at) =>
    kinded.flatMap((each) => each[at] ?? []),
  ).flat();
}

function times(count: number, make: (n: number) => Promise<void>): readonly Fault[] {
  return Array.from({ length: count }, (_, n) => () => make(n));
}

async function killMember({ fleet, count }: FaultDeps, service: string, n: number): Promise<void> {
  const same = fleet.members.filter((member) => member.service === service);
  const member: Member | undefined = same[n % same.length];
  member?.strike();
  count(`kill -9 of a ${service}`);
  await startedAgain(member);
}

/** The process after the one that was killed. */
async function startedAgain(member: Member | undefined): Promise<void> {
  if (member === undefined) return;
  const before = member.kills;
  for (let pid = member.pid; ;) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    if (member.pid !== pid) break;
    if (member.failure !== undefined) throw member.failure;
    if (before !== member.kills) pid = member.pid;
  }
  await member.started;
}

async function restartDouble({ servers, count }: FaultDeps): Promise<void> {
  await servers.double.restart();
  count('kill -9 of EventStoreDB (double)');
}

async function restartBroker(
  { servers, count, runtime }: FaultDeps,
  n: number,
  awayMs: number,
): Promise<void> {
  const { cluster } = servers;
  const broker = n % cluster.addresses.length;
  await cluster.kill(broker);
  await pause(runtime, awayMs);
  await cluster.start(broker);
  count(awayMs > 0 ? 'broker away for a while' : 'kill -9 of a broker');
}

async function cut({ cuts, count }: FaultDeps): Promise<void> {
  cuts.cutAll();
  count('connections to EventStoreDB cut');
  await Promise.resolve();
}

export interface Stranger {
  readonly stop: () => Promise<void>;
}

const everyMs = 10_000;
const staysMs = 1_500;

/** Joins the executors' group, takes partitions, does nothing and leaves: two rebalances each time. */
export function startStranger(
  log: EventLog,
  runtime: Runtime,
  count: (what: string) => void,
): Stranger {
  let isStopped = false;
  const goOn = async (): Promise<void> => {
    while (!isStopped) {
      await pause(runtime, everyMs);
      // Closing waits for what is in a handler's hands: it lets go of it first.
      const leaving = new AbortController();
      const consumer = await log
        .consume({
          group: 'executor',
          topics: [actionTopics.events],
          from: 'now',
          handler: (_records, { signal }) =>
            untilAborted(AbortSignal.any([signal, leaving.signal])),
        })
        .catch(() => undefined);
      await pause(runtime, staysMs);
      leaving.abort();
      await consumer?.close();
      if (consumer !== undefined) count('a stranger joined and left a group');
    }
  };
  const going = goOn();
  return {
    stop: async () => {
      isStopped = true;
      await going;
    },
  };
}

function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const leave = (): void => {
      reject(new Error('It leaves.'));
    };
    if (signal.aborted) leave();
    else signal.addEventListener('abort', leave);
  });
}

export function pause({ timers }: Runtime, ms: number): Promise<void> {
  return new Promise((resolve) => {
    timers.after(ms, resolve, { keepsAlive: true });
  });
}
