// What a soak does to the ledger under load, one thing after the other: every service killed in turn, the double and
// the brokers killed and started again, one broker away for a while, connections of the store cut.
import { type Fleet, type Member } from '@action-ledger/cli/play';
import { type Runtime } from '@action-ledger/runtime';
import { type Servers } from '../servers.ts';
import { type Cuts } from './cuts.ts';
import { pause } from './pause.ts';
import { type Silences } from './silences.ts';

export interface FaultPlan {
  /** Of each service. */
  readonly kills: number;
  readonly double: number;
  readonly brokers: number;
  readonly cuts: number;
  /** 0: none is kept away. */
  readonly brokerAwayMs: number;
  /** Between one fault and the next; nobody is killed again before it has come up. */
  readonly everyMs: number;
  /** A consumer that is silent for so long has died for its group. */
  readonly sessionMs: number;
}

export interface FaultDeps {
  readonly fleet: Fleet;
  readonly servers: Servers;
  readonly cuts: Cuts;
  readonly runtime: Runtime;
  readonly silences: Silences;
  readonly count: (what: string) => void;
  readonly beforeKill: () => Promise<void>;
}

/** So long after its broker or its store is back nobody may stand still. */
export const boundSeconds = 15;
/** After a member was killed, beyond the time in which its group notices it. */
const beyondSessionSeconds = 10;

/** Resolves when all that was killed has come up again. */
export async function doAll(plan: FaultPlan, deps: FaultDeps): Promise<void> {
  const starting = new Set<Member>();
  for (const fault of inTurn(plan, deps, starting)) {
    await fault();
    await pause(deps.runtime, plan.everyMs);
    // Else a slow machine does nothing any more but start processes.
    while (starting.size > startingMax) await Promise.race([...starting].map(cameUp));
  }
  await Promise.all(deps.fleet.members.map(cameUp));
}

const startingMax = 1;

type Fault = () => Promise<void>;

/** Spread over the whole of it, so that no two of one kind follow on one another. */
function inTurn(plan: FaultPlan, deps: FaultDeps, starting: Set<Member>): readonly Fault[] {
  const kinds = [...new Set(deps.fleet.members.map(({ service }) => service))];
  const kinded: (readonly Fault[])[] = [
    ...kinds.map((service) =>
      times(plan.kills, async (n) => {
        const member = await killMember(plan, deps, service, n);
        starting.add(member);
        void cameUp(member).then(
          () => starting.delete(member),
          () => undefined,
        );
      }),
    ),
    times(plan.double, () => restartDouble(deps)),
    times(plan.brokers, (n) => restartBroker(deps, n, 0)),
    times(plan.brokerAwayMs > 0 ? 1 : 0, (n) => restartBroker(deps, n + 1, plan.brokerAwayMs)),
    times(plan.cuts, () => cut(deps)),
  ];
  return kinded
    .flatMap((faults) => faults.map((fault, at) => ({ fault, when: (at + 0.5) / faults.length })))
    .toSorted((one, other) => one.when - other.when)
    .map(({ fault }) => fault);
}

function times(count: number, make: (n: number) => Promise<void>): readonly Fault[] {
  return Array.from({ length: count }, (_, n) => () => make(n));
}

async function killMember(
  { sessionMs }: FaultPlan,
  { fleet, silences, count, beforeKill }: FaultDeps,
  service: string,
  n: number,
): Promise<Member> {
  const same = fleet.members.filter((member) => member.service === service);
  const member = same[n % same.length];
  if (member === undefined) throw new Error(`There is no ${service}.`);
  await cameUp(member);
  await beforeKill();
  const { pid } = member;
  member.strike();
  silences.excuse(sessionMs / 1_000 + beyondSessionSeconds, service)();
  count(`kill -9 of a ${service}`);
  while (member.pid === pid) await new Promise((resolve) => setTimeout(resolve, 20));
  return member;
}

const comesUpMsMax = 120_000;

/** @throws where it never does */
async function cameUp(member: Member): Promise<void> {
  let limit: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    limit = setTimeout(() => {
      reject(new Error(`The ${member.service} did not come up.`));
    }, comesUpMsMax);
  });
  await Promise.race([member.started, tooLate]).finally(() => {
    clearTimeout(limit);
  });
}

async function restartDouble({ servers, silences, count }: FaultDeps): Promise<void> {
  const isBack = silences.excuse(boundSeconds);
  await servers.double.restart();
  isBack();
  count('kill -9 of EventStoreDB (double)');
}

async function restartBroker(
  { servers, silences, count, runtime }: FaultDeps,
  n: number,
  awayMs: number,
): Promise<void> {
  const { cluster } = servers;
  const broker = n % cluster.addresses.length;
  const isBack = silences.excuse(boundSeconds);
  await cluster.kill(broker);
  await pause(runtime, awayMs);
  await cluster.start(broker);
  isBack();
  count(awayMs > 0 ? 'broker away for a while' : 'kill -9 of a broker');
}

async function cut({ cuts, silences, count }: FaultDeps): Promise<void> {
  const isBack = silences.excuse(boundSeconds);
  cuts.cutAll();
  isBack();
  count('connections to EventStoreDB cut');
  await Promise.resolve();
}
