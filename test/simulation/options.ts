// The command line of the simulation. Wrong values end with a sentence that names the option.
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';

export interface SimulateOptions {
  /** Of the first run; the others follow. */
  readonly seed: number;
  readonly runs: number;
  readonly stepsMin: number;
  readonly forever: boolean;
  /** One run alone, with everything that happens in it. */
  readonly trace: string | undefined;
  /** Where given, no other faults strike. */
  readonly only: readonly string[] | undefined;
  /** Numbers of agents that take no part. */
  readonly idle: readonly number[];
  readonly shrink: boolean;
  /** Deliberate breaks of the product, one after another: each has to make a run fail. */
  readonly breaks: boolean;
  /** Where given, these breaks alone. */
  readonly broken: readonly string[] | undefined;
  readonly workers: number;
  readonly json: string | undefined;
}

export class WrongOption extends Error {}

export const help = `npm run simulate -- [options]

  --seed S        the first seed (default: 1, or chosen by the clock and printed with --forever)
  --runs M        so many runs, one seed each (default: 100)
  --steps N       things go wrong for at least so many steps (default: 300)
  --forever       run after run until one fails, which is then shrunk, or Ctrl-C
  --trace FILE    one run of --seed, with everything that happens in it, line by line
  --only NAME     no fault but this one strikes, by the name that the trace gives it; may be said again
  --idle N        leaves an agent out, by its number; may be said again
  --shrink        of --seed: finds the fewest faults and agents with which it fails
  --breaks        with one deliberate break of a rule at a time: how many seeds until a run fails
  --break NAME    this break alone; may be said again
  --workers N     processes side by side (default: one per core)
  --json FILE     also writes the totals, and each failing run, as JSON
`;

export function parseOptions(args: readonly string[]): SimulateOptions | 'help' {
  const given = readArguments(args);
  if (given.help === true) return 'help';
  const seed = given.seed ?? (given.forever === true ? String(Date.now() % 1_000_000_000) : '1');
  return {
    seed: count('seed', seed, 0),
    runs: count('runs', given.runs ?? '100', 1),
    stepsMin: count('steps', given.steps ?? '300', 1),
    forever: given.forever === true,
    trace: given.trace,
    only: given.only,
    idle: (given.idle ?? []).map((text) => count('idle', text, 0)),
    shrink: given.shrink === true,
    breaks: given.breaks === true || given.break !== undefined,
    broken: given.break,
    workers: count('workers', given.workers ?? String(availableParallelism()), 1),
    json: given.json,
  };
}

function readArguments(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        seed: { type: 'string' },
        runs: { type: 'string' },
        steps: { type: 'string' },
        forever: { type: 'boolean' },
        trace: { type: 'string' },
        only: { type: 'string', multiple: true },
        idle: { type: 'string', multiple: true },
        shrink: { type: 'boolean' },
        breaks: { type: 'boolean' },
        break: { type: 'string', multiple: true },
        workers: { type: 'string' },
        json: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    }).values;
  } catch (error) {
    throw new WrongOption((error as Error).message);
  }
}

function count(option: string, text: string, least: number): number {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value >= least) return value;
  throw new WrongOption(`--${option}: a whole number of at least ${least}, not ${text}`);
}
