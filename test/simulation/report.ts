// What one run came to.
import { type Strike } from './chaos.ts';
import { type Shape } from './processes.ts';
import { isOfPrograms } from './programs/tools.ts';
import { type World } from './world.ts';

export interface RunReport {
  readonly seed: number;
  readonly shape: Shape;
  readonly agents: number;
  /** Timers that fired: messages that arrived, waits that were over. */
  readonly steps: number;
  readonly simulatedMs: number;
  readonly events: number;
  readonly struck: readonly Strike[];
  /** Actions by the status that they rest in. */
  readonly endStates: ReadonlyMap<string, number>;
  /** Of the lifecycle table: `status event`. */
  readonly cells: ReadonlyMap<string, number>;
  /** Effects by guarantee, then how many one action has had. */
  readonly effects: readonly { readonly guarantee: string; readonly effects: number }[];
  /** Actions that a sender stood still for before the socket, with their effects. */
  readonly stalledSends: readonly { readonly key: string; readonly effects: number }[];
  /** Empty where all is well. */
  readonly problems: readonly string[];
}

export function reportOf(
  world: World,
  { seed, problems }: Pick<RunReport, 'seed' | 'problems'>,
): RunReport {
  const { watch, provider, stalled } = world;
  const actions = [...watch.actions.values()];
  return {
    seed,
    shape: world.shape,
    agents: world.agentCount,
    steps: world.steps.count,
    simulatedMs: world.time.clock.monoMs(),
    events: watch.events(),
    struck: world.chaos.struck,
    endStates: tally(actions.map(({ status }) => status)),
    cells: watch.cells,
    effects: actions.flatMap(({ guarantee, tool, downstreamKey, tenant }) =>
      downstreamKey === undefined || stalled.has(downstreamKey)
        ? []
        : [
            {
              guarantee: isOfPrograms(tool) ? `${guarantee}, by programs` : guarantee,
              effects: provider.tallyOf(tenant, downstreamKey)?.effects ?? 0,
            },
          ],
    ),
    stalledSends: [...stalled].map((key) => ({
      key,
      effects: provider.tally().find((each) => each.key === key)?.effects ?? 0,
    })),
    problems,
  };
}

function tally(items: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(item, (counts.get(item) ?? 0) + 1);
  return counts;
}
