// The timed works, W1 and W2: in every round each contender does one slice after the other, the
// yardstick first and once more at the end, so that what the machine does meanwhile meets all of them.
import { type SliceOrder, type SliceResult } from './messages.ts';
import { type BenchOptions, type ContenderName } from './options.ts';
import { type Sample, turns } from './sample.ts';
import { closeContender, type ContenderChild, type World } from './world.ts';

export async function runRounds(
  world: World,
  options: BenchOptions,
  progress: (text: string) => void,
): Promise<readonly Sample[]> {
  const children = new Map<ContenderName, ContenderChild>();
  for (const contender of options.contenders) {
    children.set(contender, await world.start(world.place(contender)));
  }
  progress('warming up');
  for (const child of children.values()) await warmUp(child, options);

  const samples: Sample[] = [];
  const order = (work: 'W1' | 'W2', callers: number): SliceOrder => ({
    type: 'slice',
    work,
    callers,
    actionsMin: options.actions,
    millisMin: options.sliceMs,
  });
  for (let round = 0; round < options.rounds; round += 1) {
    for (const callers of options.callers) {
      progress(`round ${round + 1} of ${options.rounds}, ${callers} callers`);
      for (const contender of turns(options.contenders, round)) {
        const child = children.get(contender);
        if (!child) continue;
        for (const work of ['W1', 'W2'] as const) {
          if (!does(contender, work, options)) continue;
          const result = await measure(world, child, order(work, callers));
          if (options.works.includes(work)) {
            samples.push({ ...result, contender, work, callers, round });
          }
        }
      }
    }
  }
  for (const child of children.values()) await closeContender(child);
  return samples;
}

/** W2 repeats what W1 did just before, so W1 runs in any case. The bare call knows no repeats. */
function does(contender: ContenderName, work: 'W1' | 'W2', options: BenchOptions): boolean {
  return work === 'W1' || (options.works.includes('W2') && contender !== 'http');
}

/** A slice counts only if the endpoint saw exactly the effects that it claims. */
async function measure(
  world: World,
  child: ContenderChild,
  order: SliceOrder,
): Promise<SliceResult> {
  await world.effects.ask({ type: 'reset', losing: false }, 'reset');
  const result = await child.ask(order, 'slice done');
  const { effects, payments } = await world.effects.ask({ type: 'count', each: false }, 'counted');
  const expected = order.work === 'W1' ? result.actions : 0;
  if (effects !== expected || payments !== expected) {
    throw new Error(`${order.work}: ${expected} effects claimed, the endpoint counted ${effects}`);
  }
  return result;
}

async function warmUp(child: ContenderChild, options: BenchOptions): Promise<void> {
  const order = { type: 'slice', work: 'W1', actionsMin: 1 } as const;
  await child.ask({ ...order, callers: 16, millisMin: options.warmUpMs * 0.75 }, 'slice done');
  await child.ask({ ...order, callers: 1, millisMin: options.warmUpMs * 0.25 }, 'slice done');
}
