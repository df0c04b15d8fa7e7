// A day of one ledger in virtual time: agents, people, a provider and a pager around it, each with its bad
// hours, a stop and a kill on the way. One seed gives one day.
import { createProvider, type ProviderPort, type SandboxProvider } from '@action-ledger/sandbox';
import { createVirtualRuntime, type VirtualRuntime } from '@action-ledger/testkit';
import { type Agents, createAgents } from './agents.ts';
import { type Adapter, type Disk, openDisk } from './disk.ts';
import { createPager, type Pager } from './pager.ts';
import { createPeople, type People } from './people.ts';
import { type Planned, planOf } from './plan.ts';
import { type Process, startProcess } from './process.ts';
import { type DayRecord, recordOf } from './record.ts';
import { day, eveningRound, hour, killed, load, stopped } from './times.ts';
import { dayAnswer, dayBehaviour } from './tools.ts';
import { createWeather } from './weather.ts';

export interface DayOptions {
  readonly seed: number;
  readonly adapter: Adapter;
  /** First calls of the agents. */
  readonly calls: number;
  /** Until when it is played, in ms since midnight. Default: to the end. */
  readonly until?: number;
}

export interface Lookup {
  readonly at: number;
  readonly key: string;
}

/** An hour in which nothing was asked of the ledger. */
export interface QuietHour {
  readonly from: number;
  readonly appends: number;
  readonly timers: number;
}

export interface Day {
  readonly options: DayOptions;
  readonly midnight: number;
  readonly time: VirtualRuntime;
  readonly provider: SandboxProvider;
  readonly lookups: readonly Lookup[];
  readonly agents: Agents;
  readonly people: People;
  readonly pager: Pager;
  readonly disk: Disk;
  /** The last one. */
  readonly process: () => Process;
  /** Of all processes. */
  readonly faults: () => readonly string[];
  /** What is on record now. */
  readonly record: () => Promise<DayRecord>;
  /** The process is stopped and another one started; it may have lost its place in the events. */
  readonly restart: (how: { readonly loseLog: boolean }) => Promise<void>;
  /** Lets an hour pass. */
  readonly quietHour: () => Promise<QuietHour>;
  readonly close: () => Promise<void>;
}

/** Plays the day to its end. */
export async function playDay(options: DayOptions): Promise<Day> {
  const { seed, adapter, calls, until = day } = options;
  const time = createVirtualRuntime({ seed, settling: 'quiet' });
  const midnight = time.clock.wallMs();
  const now = (): number => time.clock.monoMs();
  const weather = createWeather(seed, now);
  const lookups: Lookup[] = [];
  const provider = createProvider({
    runtime: time,
    behaviour: dayBehaviour,
    answer: dayAnswer,
    fault: weather.fault,
    lookupFault: weather.lookupFault,
    onWebhook: ({ key, externalId, result }) => {
      const action = keys.get(key);
      const report = { source: 'webhook', claims: 'success', proven: true } as const;
      if (action !== undefined)
        void there?.ledger.report(action, { ...report, externalId, data: result });
    },
  });
  const port: ProviderPort = {
    send: (request, signal) => provider.send(request, signal),
    lookUp: (query, signal) => {
      lookups.push({ at: now(), key: query.key });
      return provider.lookUp(query, signal);
    },
  };
  const keys = new Map<string, string>();
  const disk = await openDisk(adapter, time);
  const processes: Process[] = [];
  let there: Process | undefined;
  const around = { time, seed, provider, ledger: () => there?.ledger };
  const people = createPeople(around);
  const agents = createAgents(around);
  const pager = createPager(weather, now, people.hear);
  const start = async (): Promise<void> => {
    const { endpoints } = pager;
    const process = await startProcess({
      time,
      seed: seed + 1 + processes.length,
      disk,
      provider: port,
      endpoints,
      keys,
    });
    processes.push(process);
    there = process;
    agents.redeliver();
  };
  const at: At = (ms, what) => {
    time.timers.after(ms - now(), () => void what());
  };
  const stop = async (): Promise<void> => {
    const process = there;
    there = undefined;
    await process?.stop();
    await disk.reopen();
  };
  schedule(at, {
    start,
    stop,
    kill: async () => {
      there?.kill();
      there = undefined;
      await disk.reopen();
    },
    evening: people.eveningRound,
  });
  beginEach(planOf(seed, calls, load), at, agents);
  await start();
  await time.advance(until);
  return {
    options,
    midnight,
    time,
    provider,
    lookups,
    agents,
    people,
    pager,
    disk,
    process: () => {
      if (there === undefined) throw new Error('no process is there');
      return there;
    },
    faults: () => processes.flatMap(({ faults }) => faults),
    record: async () => recordOf(await disk.events(), midnight),
    restart: async ({ loseLog }) => {
      await stop();
      if (loseLog) disk.loseLog();
      await start();
    },
    quietHour: async () => {
      const before = disk.appends();
      const from = now();
      await time.advance(hour);
      return { from, appends: disk.appends() - before, timers: time.pendingTimers() };
    },
    close: async () => {
      await there?.stop();
      await disk.close();
    },
  };
}

/** One timer at a time: a list of all of them would be looked through with each that fires. */
function beginEach(plan: readonly Planned[], at: At, agents: Agents): void {
  let begun = 0;
  const next = (): void => {
    const planned = plan[begun];
    if (planned === undefined) return;
    at(planned.at, () => {
      begun += 1;
      next();
      agents.begin(planned);
    });
  };
  next();
}

/** At this time of the day. */
type At = (ms: number, what: () => unknown) => void;

interface Turns {
  readonly start: () => Promise<void>;
  readonly stop: () => Promise<void>;
  readonly kill: () => Promise<void>;
  readonly evening: () => Promise<void>;
}

function schedule(at: At, turns: Turns): void {
  at(stopped.from, turns.stop);
  at(stopped.until, turns.start);
  at(killed.from, turns.kill);
  at(killed.until, turns.start);
  at(eveningRound, turns.evening);
}
