// One run: all services as they are over memory adapters, a virtual clock, lines that fail and a provider
// that misbehaves, in one process. Everything that happens comes from the seed.
import { faultsMs } from './disturb.ts';
import { judge, moving } from './judge.ts';
import { type RunReport, reportOf } from './report.ts';
import { hour, minute } from './tools.ts';
import { openWorld, type RunOptions, type World } from './world.ts';

const restMsMax = 8 * hour;
/** Far more than any run needs in which nobody looks again and again at what does not change. */
const stepsMax = 20_000;

export async function run(options: RunOptions): Promise<RunReport> {
  const { seed, stepsMin = 300 } = options;
  const world = await openWorld(options);
  const { time, steps, store, provider, watch, agents, stalled, byHand } = world;
  await playFaults(world);
  await playToRest(world, stepsMin);
  const now = time.clock.wallMs();
  const isExcused = (key: string): boolean => stalled.has(key);
  const found = await judge({ store, provider, watch, agents, isExcused, byHand, now });
  const isBusy = steps.count > stepsMax;
  const busy = isBusy ? [`${steps.count} steps: somebody is busy with nothing`] : [];
  return reportOf(world, { seed, problems: [...busy, ...found] });
}

async function playFaults({ time, people }: World): Promise<void> {
  const round = (): void => {
    void people.round(false);
  };
  for (let at = 3 * minute; at < faultsMs; at += 4 * minute) time.timers.after(at, round);
  await time.advance(faultsMs);
}

/** Until nothing moves any more, and people have looked at what is left to them. */
async function playToRest(world: World, stepsMin: number): Promise<void> {
  const { time, steps, chaos, watch, people, processes } = world;
  chaos.end();
  world.trace('nothing goes wrong any more');
  processes.heal();
  let isLast = false;
  while (time.clock.monoMs() < restMsMax) {
    await time.advance(2 * minute);
    if (watch.breaches.length > 0 || steps.count > stepsMax) return;
    if (isAtRest(world) && steps.count >= stepsMin) {
      if (isLast) return;
      isLast = true;
      void people.round(true);
    } else if (time.clock.monoMs() % (10 * minute) === 0) void people.round(false);
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
