// The command line of the bench. Wrong values end with a sentence that names the option.
import { parseArgs } from 'node:util';

const contenderNames = ['http', 'sqlite-grouped', 'sqlite-each', 'ledger', 'gateway'] as const;
export type ContenderName = (typeof contenderNames)[number];

const workNames = ['W1', 'W2', 'W3'] as const;
type WorkName = (typeof workNames)[number];

const clientNames = ['lean', 'node-http'] as const;
export type ClientName = (typeof clientNames)[number];

export interface BenchOptions {
  readonly contenders: readonly ContenderName[];
  readonly works: readonly WorkName[];
  readonly callers: readonly number[];
  readonly rounds: number;
  /** A slice ends when it has at least so many actions and has lasted at least `sliceMs`. */
  readonly actions: number;
  readonly sliceMs: number;
  readonly warmUpMs: number;
  /** Actions of one crash run (W3), and how many runs. */
  readonly crashActions: number;
  readonly crashRounds: number;
  readonly client: ClientName;
  /** Stored by the yardstick for each action; undefined: as much as the ledger was measured to store. */
  readonly yardstickBytes: number | undefined;
  /** Each sync of the disk is held up by so much (strace does it). */
  readonly syncDelayMs: number;
  /** Instead of all that: what a ledger of so many actions costs beside one of 10,000. */
  readonly scale: number | undefined;
  /** That ledger is in a process with its API, all services, metrics and access log. */
  readonly services: boolean;
  /** Instead of all that: the distributed size, over servers that are started for it. */
  readonly distributed: boolean;
  /** To see that it runs, not to quote. */
  readonly isQuick: boolean;
  readonly json: string | undefined;
  readonly dir: string | undefined;
}

/** What every larger ledger is compared with. */
export const scaleActionsLeast = 10_000;

export class WrongOption extends Error {}

export const help = `npm run bench -- [options]

  --json FILE            also write the rows as a JSON array
  --work W1,W2,W3        W1 new actions, W2 the same keys again, W3 kill -9 at 40 % (default: all)
  --callers 1,16,64      concurrent callers (default: 1,16,64)
  --contenders LIST      of ${contenderNames.join(', ')} 
                         (default: http,sqlite-grouped,ledger,gateway)
  --rounds N             interleaved rounds, medians are reported (default: 10)
  --actions N            at least so many actions in a slice (default: 500)
  --slice-ms N           a slice lasts at least so long (default: 1000)
  --crash-actions N      actions of one W3 run (default: 2000)
  --client NAME          lean (a small client over node:net) or node-http (default: lean)
  --yardstick-bytes N    bytes the yardstick stores per action (default: what the ledger stores)
  --sync-delay-ms N      makes each disk sync slower by N ms (needs strace)
  --scale N              instead: a ledger of N finished actions beside one of ${scaleActionsLeast.toLocaleString('en-US')}
                         (100000 takes a minute or two, 1000000 a quarter of an hour)
  --services             with --scale: in a process that serves, with all services running
  --distributed          instead: over a real Kafka broker and the protocol double of EventStoreDB
                         (needs Java and Maven; some minutes)
  --dir DIR              where the files go; choose a disk that is not in memory
  --quick                two short rounds: to see that it runs, not to quote
`;

export function parseOptions(args: readonly string[]): BenchOptions | 'help' {
  const given = { ...unset, ...readArguments(args) };
  if (given.help) return 'help';
  const values = { ...usual, ...(given.quick ? quick : {}), ...given };
  const syncDelayMs = count('sync-delay-ms', values['sync-delay-ms'], 0);
  const works = listOf('work', values.work ?? worksUnder(syncDelayMs), workNames);
  if (syncDelayMs > 0 && works.includes('W3')) {
    throw new WrongOption('--sync-delay-ms: W3 kills processes, which strace would survive');
  }
  const bytes = values['yardstick-bytes'];
  const { scale } = values;
  return {
    contenders: listOf('contenders', values.contenders, contenderNames),
    works,
    callers: values.callers.split(',').map((text) => count('callers', text, 1)),
    rounds: count('rounds', values.rounds, 1),
    actions: count('actions', values.actions, 1),
    sliceMs: count('slice-ms', values['slice-ms'], 1),
    warmUpMs: given.quick ? 500 : 8000,
    crashActions: count('crash-actions', values['crash-actions'], 10),
    crashRounds: given.quick ? 1 : 3,
    client: oneOf('client', values.client, clientNames),
    yardstickBytes: bytes === undefined ? undefined : count('yardstick-bytes', bytes, 1),
    syncDelayMs,
    services: given.services,
    distributed: given.distributed,
    isQuick: given.quick,
    scale: scale === undefined ? undefined : count('scale', scale, scaleActionsLeast),
    json: values.json,
    dir: values.dir,
  };
}

const unset = { services: false, distributed: false, quick: false };

const usual = {
  contenders: 'http,sqlite-grouped,ledger,gateway',
  callers: '1,16,64',
  rounds: '10',
  actions: '500',
  'slice-ms': '1000',
  'crash-actions': '2000',
  'sync-delay-ms': '0',
  client: 'lean',
};

const quick = { rounds: '2', actions: '100', 'slice-ms': '150', 'crash-actions': '500' };

function worksUnder(syncDelayMs: number): string {
  return syncDelayMs > 0 ? 'W1,W2' : workNames.join(',');
}

const optionTypes = {
  json: { type: 'string' },
  work: { type: 'string' },
  callers: { type: 'string' },
  contenders: { type: 'string' },
  rounds: { type: 'string' },
  actions: { type: 'string' },
  'slice-ms': { type: 'string' },
  'crash-actions': { type: 'string' },
  client: { type: 'string' },
  'yardstick-bytes': { type: 'string' },
  'sync-delay-ms': { type: 'string' },
  scale: { type: 'string' },
  services: { type: 'boolean' },
  distributed: { type: 'boolean' },
  dir: { type: 'string' },
  quick: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

function readArguments(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: optionTypes }).values;
  } catch (error) {
    throw new WrongOption(error instanceof Error ? error.message : String(error));
  }
}

function listOf<Name extends string>(
  option: string,
  text: string,
  names: readonly Name[],
): readonly Name[] {
  return [...new Set(text.split(',').map((each) => oneOf(option, each.trim(), names)))];
}

function oneOf<Name extends string>(option: string, text: string, names: readonly Name[]): Name {
  const name = names.find((each) => each === text);
  if (name === undefined) {
    throw new WrongOption(`--${option}: "${text}" is not one of ${names.join(', ')}`);
  }
  return name;
}

function count(option: string, text: string, least: number): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isSafeInteger(value) || value < least) {
    throw new WrongOption(`--${option}: "${text}" is not a whole number of at least ${least}`);
  }
  return value;
}
