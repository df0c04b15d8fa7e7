// Plays the five small files with every fault and with workers killed, twice with one seed, and says
// whether both ended the same. Minutes, so it is no part of the tests:
//   node --conditions=source --experimental-strip-types test/play/whole-main.ts [seed]
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const folder = process.env['ACTION_LEDGER_TRACES'] ?? join(process.cwd(), '../shared/traces');
const names = ['agentdojo-banking', 'agentdojo-office', 'airline', 'retail', 'telecom'];
const faults = '--lost-responses 5% --timeouts 2% --duplicate-deliveries 10% --kill-workers --json';

interface Summary {
  readonly actions: number;
  readonly seconds: number;
  readonly unknown: { readonly open: number };
}

function play(seed: string): Summary {
  const files = names.map((name) => join(folder, `${name}-small.ndjson`));
  const program = 'packages/cli/bin/action-ledger.js';
  const { stdout, status } = spawnSync(
    process.execPath,
    [program, 'play', ...files, ...faults.split(' '), '--seed', seed],
    { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] },
  );
  console.log(stdout);
  if (status !== 0) process.exitCode = 1;
  return JSON.parse(stdout) as Summary;
}

/** How often something was looked up depends on time; what came of it does not. */
function whatCounts({ seconds: _, unknown, ...rest }: Summary): string {
  return JSON.stringify({ ...rest, open: unknown.open });
}

const seed = process.argv[2] ?? '7';
const [first, second] = [whatCounts(play(seed)), whatCounts(play(seed))];
console.log(first === second ? 'both ended the same' : `DIFFERENT: ${first} and ${second}`);
if (first !== second) process.exitCode = 1;
