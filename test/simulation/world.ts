// One simulated world, put together: time, chance, a provider, a store and a log, processes, agents and people.
import { createMemoryEventLog, type MemoryEventLog } from '@action-ledger/event-log';
import { type EventStore } from '@action-ledger/event-store';
import { createProvider, type SandboxProvider } from '@action-ledger/sandbox';
import { createVirtualRuntime, type VirtualRuntime } from '@action-ledger/testkit/virtual-runtime';
import { type Agents, createAgents } from './agents.ts';
import { createBystanders } from './bystanders.ts';
import { type Chaos, createChaos, type Strike } from './chaos.ts';
import { deliverWebhook, publishAll, remark } from './deliver.ts';
import { createDice } from './dice.ts';
import { createDisk } from './disk.ts';
import { disturb, outagesOf, type Outage } from './disturb.ts';
import { archiveInTheEnd, scheduleMaintenance } from './maintenance.ts';
import { createPeople, type People } from './people.ts';
import { createMisled } from './misled.ts';
import { plannedBy } from './plan.ts';
import { crewsOf, type Programs, programsLoaded, startPrograms } from './programs/programs.ts';
import { type Processes, type Shape, startProcesses } from './processes.ts';
import { counted, type Steps } from './steps.ts';
import { answerOf, behaviourOf, minute } from './tools.ts';
import { createWatch, type Watch } from './watch.ts';
import { createWeather } from './weather.ts';

export interface RunOptions {
  readonly seed: number;
  /** Things go wrong for at least so many steps. Default 300. */
  readonly stepsMin?: number;
  /** Agents that take no part, by number. */
  readonly idle?: ReadonlySet<number>;
  /** Where given, no other faults strike: by name. */
  readonly only?: ReadonlySet<string> | undefined;
  readonly onTrace?: (line: string) => void;
}

export interface World {
  readonly time: VirtualRuntime;
  readonly steps: Steps;
  readonly chaos: Chaos;
  readonly provider: SandboxProvider;
  readonly store: () => EventStore;
  readonly watch: Watch;
  readonly shape: Shape;
  readonly processes: Processes;
  readonly programs: Programs;
  readonly agents: Agents;
  readonly agentCount: number;
  readonly people: People;
  /** Downstream keys of requests that stood still before the socket. */
  readonly stalled: ReadonlySet<string>;
  /** Actions that somebody has done beside the ledger. */
  readonly byHand: ReadonlySet<string>;
  /** Actions whose lookup named an effect of another that nobody had on record. */
  readonly misled: ReadonlySet<string>;
  readonly trace: (line: string) => void;
  /** Of some runs what is over is archived in the end, and everybody asks again: whether of this one. */
  readonly afterwards: () => Promise<boolean>;
}

const loadMs = 12 * minute;
/** Runs of services, of seven processes and more, take four times as long each. */
const shareOfOneLedger = 2 / 3;
/** By somebody, within a sweep. */
const seenTo: ReadonlySet<string> = new Set(['no-rest-past-the-lease', 'links-complete']);

export async function openWorld(options: RunOptions): Promise<World> {
  const { seed, idle = new Set(), only, onTrace } = options;
  const dice = createDice(seed);
  const steps = { count: 0 };
  const time = counted(createVirtualRuntime({ seed, settling: 'quiet' }), steps);
  const trace = (line: string): void => onTrace?.(`${time.clock.monoMs()} ${line}`);
  const intensity = dice.pick([0.3, 1, 1, 2.5], 'intensity');
  const onStrike = ({ name }: Strike): void => {
    trace(`FAULT ${name}`);
  };
  const chaos = createChaos({ dice, intensity, only, onStrike });
  const outages = outagesOf(dice, chaos);
  const isIn = (what: Outage['what']) => () => isAway(outages, what, time.clock.monoMs());
  const stalled = new Set<string>();
  const isExcused = (key: string): boolean => stalled.has(key);
  const watch = createWatch({
    now: () => time.clock.monoMs(),
    provider: () => provider,
    isExcused,
    trace,
    onMoved: (action, event) => {
      misled.onMoved(action, event);
      bystanders.onMoved(action, event);
      maintenance.onMoved(action);
    },
  });
  const misled = createMisled(
    () => provider,
    () => watch.actions,
  );
  const bystanders = createBystanders({
    time,
    dice,
    chaos,
    provider: () => provider,
    front: (nth) => processes.front(nth),
    trace,
  });
  const weather = createWeather(dice, chaos, isIn('provider'), watch.sends.leftMs, (query, ms) => {
    time.timers.after(ms / 2, () => void remark(query, processes.front(ms)));
  });
  const provider: SandboxProvider = createProvider({
    runtime: time,
    behaviour: behaviourOf,
    answer: answerOf,
    fault: weather.fault,
    lookupFault: weather.lookupFault,
    onArrival: watch.onArrival,
    onWebhook: (webhook) =>
      void deliverWebhook(webhook, { time, front: (nth) => processes.front(nth) }),
  });
  let log: MemoryEventLog;
  const disk = createDisk((store, held) => {
    watch.follow(store, held);
    // A log holds what its store does: of one that went back it is written anew.
    log = createMemoryEventLog({ runtime: time, partitions: 2 });
    void publishAll(store, log, { time, dice, chaos });
  });
  await time.settle();
  const crews = crewsOf(dice);
  if (crews.size > 0) await programsLoaded();
  const shape: Shape = dice.of('shape') < shareOfOneLedger ? 'one ledger' : 'services';
  const processes: Processes = startProcesses(shape, {
    time,
    dice,
    chaos,
    store: disk.store,
    log: () => log,
    provider,
    isStoreAway: isIn('store'),
    onStalledSend: (key) => stalled.add(key),
    watch,
    trace,
    onBreach: (what, invariant) => {
      // Whoever would see to it may be dead or away just now; in the end it is judged again.
      if (!seenTo.has(invariant)) watch.breach(what);
    },
    frontDuties: crews.size === 0 ? [] : ['send', 'reconcile'],
  });
  const programs: Programs = startPrograms(crews, {
    time,
    dice,
    chaos,
    provider,
    front: (nth) => processes.front(nth),
    watch,
    onStalledSend: (key) => stalled.add(key),
    trace,
  });
  const count = dice.between(3, 11, 'agents');
  const planned = Array.from({ length: count }, (_, index) =>
    idle.has(index) ? [] : plannedBy(dice, index, loadMs, [...crews.keys()]),
  ).flat();
  const { front } = processes;
  const agents = createAgents({
    time,
    dice,
    chaos,
    front,
    program: programs.of,
    trace,
    planned,
  });
  const people = createPeople({ time, dice, chaos, provider, front, trace });
  disturb({ time, dice, chaos, processes });
  const upkeep = { time, dice, chaos, disk, log: () => log, processes, programs, trace };
  const maintenance = scheduleMaintenance(upkeep);

  return {
    time,
    steps,
    chaos,
    provider,
    store: disk.store,
    watch,
    shape,
    processes,
    programs,
    agents,
    agentCount: count,
    people,
    stalled,
    byHand: bystanders.byHand,
    misled: misled.ids,
    trace,
    afterwards: async () => {
      if (watch.breaches.length > 0 || dice.of('archived in the end') >= 0.08) return false;
      await archiveInTheEnd(upkeep);
      agents.askAgain();
      return true;
    },
  };
}

function isAway(outages: readonly Outage[], what: Outage['what'], now: number): boolean {
  return outages.some((each) => each.what === what && now >= each.from && now < each.until);
}
