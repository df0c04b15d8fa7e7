// The whole service, killed with -9 at random moments of a play with faults, and started again at the same
// address. Its callers ask again over HTTP, and get what is on record: nothing is doubled, lost, without an
// owner, or told otherwise than recorded. `CRASH_KILLS` says how often at least; by default a few times.
import { describe, expect, it, jest } from '@jest/globals';
import { runCli } from '../e2e/run-cli.ts';
import { sample } from './play.ts';

const killsMin = Number(process.env['CRASH_KILLS'] ?? 3);
const seedFirst = Number(process.env['CRASH_SEED'] ?? 7);
/** A start takes a second or two of a busy machine. */
jest.setTimeout(60_000 + killsMin * 15_000);

const faults = ['--lost-responses', '15%', '--timeouts', '5%', '--duplicate-deliveries', '25%'];
const killShare = killsMin > 10 ? '35%' : '10%';

/** The number after a word of the table that a person sees. */
function numberOf(what: string, out: string): number {
  const found = new RegExp(`^ *${what} +([\\d,]+)`, 'm').exec(out)?.[1];
  return Number(found?.replaceAll(',', '') ?? 0);
}

describe('a service that is killed with -9 during a play', () => {
  it(`at least ${killsMin} times: nothing doubled, nothing lost, every unknown owned`, async () => {
    let kills = 0;
    for (let seed = seedFirst; kills < killsMin; seed += 1) {
      const play = [sample, ...faults, '--kill-server', killShare, '--seed', String(seed)];
      const { code, out, err } = await runCli(['play', ...play]);
      if (code !== 0) throw new Error(`with the seed ${seed} it ended with ${code}: ${out}${err}`);
      expect(out).toContain('Nothing doubled, nothing lost, every unknown has an owner.');
      expect(numberOf('calls', out)).toBe(85);
      for (const wrong of ['doubled effects', 'lost effects', 'without an owner'])
        expect(out).toMatch(new RegExp(`${wrong} +0 `));
      kills += numberOf('server kills', out);
    }
    process.stderr.write(`killed ${kills} times\n`);
  });
});
