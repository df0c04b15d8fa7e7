// Finds fewer and fewer faults and agents with which a run still fails: halves are left out, then quarters,
// down to each by itself, until none can be spared.
import { type RunReport } from './report.ts';
import { run } from './run.ts';

export interface Shrunk {
  readonly report: RunReport;
  /** The faults that are left. */
  readonly only: ReadonlySet<string>;
  /** Agents that take no part. */
  readonly idle: ReadonlySet<number>;
  readonly runs: number;
}

/** @returns undefined where the run does not fail */
export async function shrink(
  seed: number,
  stepsMin: number,
  progress: (text: string) => void,
): Promise<Shrunk | undefined> {
  let runs = 0;
  const whole = await run({ seed, stepsMin });
  if (whole.problems.length === 0) return undefined;
  const all = Array.from({ length: whole.agents }, (_, index) => index);
  let report: RunReport = whole;
  let present: readonly number[] = all;
  let faults: readonly string[] = [...new Set(whole.struck.map(({ name }) => name))];
  const attempt = async (agents: readonly number[], names: readonly string[]): Promise<boolean> => {
    runs += 1;
    const idle = new Set(all.filter((agent) => !agents.includes(agent)));
    const tried = await run({ seed, stepsMin, idle, only: new Set(names) });
    if (tried.problems.length > 0) report = tried;
    return tried.problems.length > 0;
  };
  let before: number;
  do {
    before = present.length + faults.length;
    present = await fewest(present, (agents) => attempt(agents, faults));
    faults = await fewest(faults, (names) => attempt(present, names));
    progress(`${faults.length} faults, ${present.length} agents`);
  } while (present.length + faults.length < before);
  const idle = new Set(all.filter((agent) => !present.includes(agent)));
  return { report, only: new Set(faults), idle, runs: runs + 1 };
}

/** @param fails does the run fail with these alone? */
async function fewest<Item>(
  items: readonly Item[],
  fails: (items: readonly Item[]) => Promise<boolean>,
): Promise<readonly Item[]> {
  let kept = items;
  for (
    let size = Math.ceil(kept.length / 2);
    size >= 1;
    size = size === 1 ? 0 : Math.ceil(size / 2)
  )
    for (let from = 0; from < kept.length;) {
      const fewer = [...kept.slice(0, from), ...kept.slice(from + size)];
      if (await fails(fewer)) kept = fewer;
      else from += size;
    }
  return kept;
}
