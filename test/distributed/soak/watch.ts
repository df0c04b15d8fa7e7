// Looks once a second at how far every consumer group of a soak is, as the brokers have it, at how far the topic of
// events is behind the store, and at what each process counts of itself.
import { availableParallelism, loadavg } from 'node:os';
import { type Fleet, type Member } from '@action-ledger/cli/play';
import { actionTopics, type EventLog, type PartitionLag } from '@action-ledger/event-log';
import { type Runtime } from '@action-ledger/runtime';
import { type Bystander } from './bystander.ts';
import { pause } from './pause.ts';
import { type Silences, type Standing } from './silences.ts';

export interface Watch {
  /** What each process counts of itself, before it is killed. */
  readonly scrape: () => Promise<void>;
  /** Nothing waits any more. @returns false where that is not so within the time */
  readonly drained: (withinMs: number) => Promise<boolean>;
  /** Of a service, in all its processes. */
  readonly counted: (service: string) => Counted;
  /** The highest that was seen. */
  readonly loadPerCore: () => number;
  readonly stop: () => Promise<void>;
}

export interface Counted {
  readonly handled: number;
  readonly redelivered: number;
}

export interface WatchDeps {
  readonly fleet: Fleet;
  readonly log: EventLog;
  readonly runtime: Runtime;
  readonly silences: Silences;
  readonly bystander: Bystander;
}

const everyMs = 1_000;
/** With nothing waiting in so many looks on end it has drained. */
const calmLooks = 3;

export const groups = {
  executor: actionTopics.events,
  reconciler: actionTopics.events,
  compensator: actionTopics.events,
  auditor: actionTopics.events,
  intake: actionTopics.proposals,
} as const;

export function startWatch(deps: WatchDeps): Watch {
  const { fleet, log, runtime, silences, bystander } = deps;
  const tallies = createTallies();
  let calm = 0;
  let loadPerCore = 0;
  let isStopped = false;
  const lookAt = async (group: string, topic: string): Promise<boolean> => {
    const found = await log.lag(group, [topic]);
    silences.saw(group, found.map(standingOf));
    return found.every(({ lag }) => lag === 0);
  };
  const look = async (): Promise<void> => {
    loadPerCore = Math.max(loadPerCore, (loadavg()[0] ?? 0) / availableParallelism());
    const projected = bystander.standing();
    silences.saw('projector', [projected]);
    // Where the brokers do not answer nothing is seen, and what stood still goes on doing so.
    const still = await Promise.all(
      Object.entries(groups).map(([group, topic]) => lookAt(group, topic).catch(() => false)),
    );
    calm = still.every((isCalm) => isCalm) && !projected.waits ? calm + 1 : 0;
  };
  const scrape = async (): Promise<void> => {
    await Promise.all(
      fleet.members.map(async (member) => {
        const { pid } = member;
        const counted = await countedBy(member);
        if (counted !== undefined) tallies.note(member.service, pid, counted);
      }),
    );
  };
  const goOn = async (): Promise<void> => {
    while (!isStopped) {
      await look();
      await pause(runtime, everyMs);
    }
  };
  const going = goOn();
  return {
    scrape,
    drained: async (withinMs) => {
      const until = runtime.clock.monoMs() + withinMs;
      calm = 0;
      while (calm < calmLooks && runtime.clock.monoMs() < until) await pause(runtime, everyMs);
      return calm >= calmLooks;
    },
    counted: tallies.of,
    loadPerCore: () => loadPerCore,
    stop: async () => {
      isStopped = true;
      await going;
    },
  };
}

function standingOf({ topic, partition, next, lag }: PartitionLag): Standing {
  return { place: `${topic}/${partition}`, next, waits: lag > 0 };
}

function createTallies() {
  const byProcess = new Map<string, Counted & { readonly service: string }>();
  return {
    note: (service: string, pid: number | undefined, counted: Counted): void => {
      byProcess.set(`${service} ${pid ?? 0}`, { service, ...counted });
    },
    of: (service: string): Counted => {
      const own = [...byProcess.values()].filter((each) => each.service === service);
      return {
        handled: own.reduce((sum, { handled }) => sum + handled, 0),
        redelivered: own.reduce((sum, { redelivered }) => sum + redelivered, 0),
      };
    },
  };
}

/** @returns undefined where it does not answer: it is just starting */
async function countedBy(member: Member): Promise<Counted | undefined> {
  const { probes } = member.urls;
  if (probes === undefined) return undefined;
  try {
    const response = await fetch(probes, { signal: AbortSignal.timeout(2_000) });
    const text = await response.text();
    return {
      handled: valueOf(text, 'service_handled_total'),
      redelivered: valueOf(text, 'service_redelivered_total'),
    };
  } catch {
    return undefined;
  }
}

function valueOf(text: string, name: string): number {
  const found = new RegExp(`^action_ledger_${name}\\{[^}]*\\} (\\S+)$`, 'm').exec(text);
  return Number(found?.[1] ?? 0);
}
