// From samples to rows (medians over the rounds) and ratios (the median of the ratios within a round,
// so that what the machine did meanwhile cancels out).
import { type CrashResult } from './crash.ts';
import { type ContenderName } from './options.ts';
import { type Sample, yardstick } from './sample.ts';
import { median } from './statistics.ts';

/** What was counted outside the timed rounds, for one contender. */
export interface Counted {
  readonly bytesPerAction: number | null;
  readonly diskBytesPerAction: number | null;
  readonly syncsPerAction: (work: 'W1' | 'W2', callers: number) => number | null;
}

/** One element of the JSON array. Null: does not apply, or could not be counted here. */
export interface Row {
  readonly contender: ContenderName;
  readonly work: 'W1' | 'W2' | 'W3';
  readonly callers: number;
  readonly actionsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly syncsPerAction: number | null;
  readonly cpuMsPerAction: number | null;
  readonly bytesPerAction: number | null;
  readonly diskBytesPerAction?: number | null;
  readonly doubled?: number;
  readonly toldFailed?: number;
  readonly lost?: number;
  readonly flagged?: number;
  readonly open?: number;
  readonly firstAnswerMs?: number;
}

export function timedRows(
  samples: readonly Sample[],
  counted: ReadonlyMap<ContenderName, Counted>,
): readonly Row[] {
  return groupBy(samples, ({ work, callers, contender }) => [work, callers, contender].join()).map(
    (group) => {
      const { contender, work, callers } = group[0];
      const count = counted.get(contender);
      const middle = (pick: (sample: Sample) => number): number => median(group.map(pick));
      return {
        contender,
        work,
        callers,
        actionsPerSecond: middle(rate),
        p50Ms: middle(({ p50Ms }) => p50Ms),
        p99Ms: middle(({ p99Ms }) => p99Ms),
        syncsPerAction: count?.syncsPerAction(work, callers) ?? commitsPerAction(group),
        cpuMsPerAction: middle(({ cpuMs, actions }) => cpuMs / actions),
        bytesPerAction: work === 'W1' ? (count?.bytesPerAction ?? null) : null,
        diskBytesPerAction: work === 'W1' ? (count?.diskBytesPerAction ?? null) : null,
      };
    },
  );
}

export function crashRow(result: CrashResult): Row {
  return {
    ...result,
    work: 'W3',
    syncsPerAction: null,
    cpuMsPerAction: null,
  };
}

/** A number that stands for the ledger in this run, with what it must reach. */
export interface Figure {
  readonly what: string;
  readonly callers: number;
  readonly value: number;
  readonly goal?: { readonly least: number } | { readonly most: number };
}

export function isReached({ value, goal }: Figure): boolean | undefined {
  if (goal === undefined) return undefined;
  return 'least' in goal ? value >= goal.least : value <= goal.most;
}

const goalOfRate = new Map([
  [1, 0.85],
  [16, 0.9],
  [64, 0.9],
]);

export function ratios(samples: readonly Sample[]): readonly Figure[] {
  const found: Figure[] = [];
  for (const rounds of groupBy(samples, ({ work, callers }) => [work, callers].join())) {
    const { work, callers } = rounds[0];
    const byRound = groupBy(rounds, ({ round }) => String(round));
    const add = (
      what: string,
      value: (round: Round) => number | undefined,
      goal?: Figure['goal'],
    ): void => {
      const values = byRound.map((samplesOfRound) => value(inRound(samplesOfRound)));
      const known = values.filter((each) => each !== undefined);
      if (known.length > 0)
        found.push({ what, callers, value: median(known), ...(goal && { goal }) });
    };
    const least = work === 'W1' ? goalOfRate.get(callers) : callers === 16 ? 1 : undefined;
    add(
      `${work} ledger / ${yardstick}, actions per second`,
      ({ rateOf }) => divide(rateOf('ledger'), rateOf(yardstick)),
      least === undefined ? undefined : { least },
    );
    if (work === 'W1' && callers === 1) {
      add('W1 p50 added to the bare call, ledger / yardstick', addedP50, { most: 1.25 });
    }
    add(`${work} ledger / sqlite-each, actions per second`, ({ rateOf }) =>
      divide(rateOf('ledger'), rateOf('sqlite-each')),
    );
    if (work === 'W1') {
      add(
        'W1 gateway / the bare call, actions per second',
        ({ rateOf }) => divide(rateOf('gateway'), rateOf('http')),
        callers === 16 ? { least: 0.12 } : undefined,
      );
    }
    add(`${work} noise: the yardstick's slower slice / its faster one`, ({ noise }) => noise);
  }
  return found;
}

const syncsMost = new Map([
  [1, 2.05],
  [16, 0.25],
  [64, 0.07],
]);

/** What holds on every machine: syncs, bytes, and what W3 did to effects and callers. */
export function limits(rows: readonly Row[]): readonly Figure[] {
  const found: Figure[] = [];
  for (const row of rows.filter(({ contender }) => contender === 'ledger')) {
    const { work, callers } = row;
    const add = (
      what: string,
      value: number | null | undefined,
      most: number | undefined,
    ): void => {
      if (value == null || most === undefined) return;
      found.push({ what: `${work} ledger, ${what}`, callers, value, goal: { most } });
    };
    if (work === 'W1') add('syncs per action', row.syncsPerAction, syncsMost.get(callers));
    if (work === 'W1') add('bytes per action', row.bytesPerAction, 2200);
    if (work === 'W2') add('syncs per repeat', row.syncsPerAction, 0);
    if (work === 'W3') {
      add('effects doubled', row.doubled, 0);
      add('told failed though done', row.toldFailed, 0);
      add('lost', row.lost, 0);
      add('unknown left', row.open, 0);
      add('first answer after the restart, ms', row.firstAnswerMs, 600);
    }
  }
  return found;
}

interface Round {
  /** The mean of its slices where there are two. */
  readonly rateOf: (contender: ContenderName) => number | undefined;
  readonly p50Of: (contender: ContenderName) => number | undefined;
  readonly noise: number | undefined;
}

function inRound(samples: readonly Sample[]): Round {
  const mean = (contender: ContenderName, pick: (sample: Sample) => number): number | undefined => {
    const values = samples.filter((sample) => sample.contender === contender).map(pick);
    return values.length === 0 ? undefined : values.reduce((a, b) => a + b) / values.length;
  };
  const twice = samples.filter(({ contender }) => contender === yardstick).map(rate);
  return {
    rateOf: (contender) => mean(contender, rate),
    p50Of: (contender) => mean(contender, ({ p50Ms }) => p50Ms),
    noise: twice.length < 2 ? undefined : Math.min(...twice) / Math.max(...twice),
  };
}

function addedP50({ p50Of }: Round): number | undefined {
  const bare = p50Of('http');
  const ledger = p50Of('ledger');
  const grouped = p50Of(yardstick);
  if (bare === undefined || ledger === undefined || grouped === undefined) return undefined;
  return (ledger - bare) / (grouped - bare);
}

function divide(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? undefined : a / b;
}

/** Each group commit is one sync; checkpoints are not among them. */
function commitsPerAction(samples: readonly Sample[]): number | null {
  const known = samples.filter(({ commits }) => commits !== undefined);
  if (known.length === 0) return null;
  return median(known.map(({ commits = 0, actions }) => commits / actions));
}

function rate({ actions, seconds }: Sample): number {
  return actions / seconds;
}

type Some<Item> = readonly [Item, ...Item[]];

function groupBy<Item>(
  items: readonly Item[],
  keyOf: (item: Item) => string,
): readonly Some<Item>[] {
  const groups = new Map<string, [Item, ...Item[]]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group) group.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return [...groups.values()];
}
