// One run: all services as they are over memory adapters, a virtual clock, lines that fail and a provider
// that misbehaves, in one process. Everything that happens comes from the seed.
import { faultsMs } from './disturb.ts';
import { judge, moving } from './judge.ts';
import { type RunReport, reportOf } from './report.ts';
import { hour, minute } from './tools.ts';
import { openWorld, type RunOptions, type World } from './world.ts';

/** From when nothing goes wrong any more. */
const restMsMax = 8 * hour;
/** Far more than any run needs in which nobody looks again and again at what does not change. */
const stepsMax = 20_000;

export async function run(options: RunOptions): Promise<RunReport> {
  const { seed, stepsMin = 300 } = options;
  const world = await openWorld(options);
  const { time, steps, provider, watch, agents, stalled, byHand, misled } = world;
  const stepsMost = stepsMax + stepsMin;
  await playFaults(world, stepsMin);
  await playToRest(world, stepsMost);
  if (await world.afterwards()) await playToRest(world, stepsMost);
  const store = world.store();
  const now = time.clock.wallMs();
  const isExcused = (key: string): boolean => stalled.has(key);
  const found = await judge({ store, provider, watch, agents, isExcused, byHand, misled, now });
  world.processes.end();
  world.programs.end();
  const isBusy = steps.count > stepsMost;
  const busy = isBusy ? [`${steps.count} steps: somebody is busy with nothing`] : [];
  return reportOf(world, { seed, problems: [...busy, ...found] });
}

/** As long as it takes for so many steps, and the whole of the time in which things go wrong at least. */
async function playFaults({ time, people, steps }: World, stepsMin: number): Promise<void> {
  let visitAt = 3 * minute;
  while (time.clock.monoMs() < faultsMs || steps.count < stepsMin) {
    await time.advance(minute);
    if (time.clock.monoMs() < visitAt) continue;
    visitAt += 4 * minute;
    void people.round(false);
  }
}

/** Until nothing moves any more, and people have looked at what is left to them. */
async function playToRest(world: World, stepsMost: number): Promise<void> {
  const { time, steps, chaos, watch, people, processes, programs } = world;
  chaos.end();
  world.trace('nothing goes wrong any more');
  processes.heal();
  programs.heal();
  const until = time.clock.monoMs() + restMsMax;
  let isLast = false;
  while (time.clock.monoMs() < until) {
    await time.advance(2 * minute);
    if (watch.breaches.length > 0 || steps.count > stepsMost) return;
    if (isAtRest(world)) {
      if (isLast) return;
      isLast = true;
      void people.round(true);
    } else if (time.clock.monoMs() % (4 * minute) === 0) void people.round(false);
  }
}

function isAtRest({ agents, watch }: World): boolean {
  const isResting = (status: string, owner: string | undefined): boolean =>
    status === 'unknown' ? owner === 'operator' : !moving.has(status);
  return (
    agents.open() === 0 &&
    [...watch.actions.values()].every(({ status, watch: owned }) => isResting(status, owned?.owner))
  );
}
