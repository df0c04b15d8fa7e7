// Real workers, killed with SIGKILL at points of the write path: what they leave is completed by the
// next one, and the same seed ends the same, whatever ran first and whoever was killed.
import { describe, expect, it, jest } from '@jest/globals';
import { runCli } from '../e2e/run-cli.ts';
import { sample, sound, type Summary } from './play.ts';
import { describeRecorded, recorded } from './recorded.ts';

jest.setTimeout(240_000);

const faults = [
  '--lost-responses',
  '5%',
  '--timeouts',
  '2%',
  '--duplicate-deliveries',
  '10%',
  '--kill-workers',
  '--seed',
  '7',
];

async function killing(args: readonly string[]): Promise<string> {
  const { code, out, err } = await runCli(['play', ...args, ...faults]);
  if (code !== 0) throw new Error(`the play ended with ${code}: ${out}${err}`);
  return out;
}

async function summaryWithKills(args: readonly string[]): Promise<Summary> {
  return JSON.parse(await killing([...args, '--json'])) as Summary;
}

/** What must not depend on time; how often was looked up may. */
function whatCounts({ seconds: _, unknown, ...rest }: Summary): object {
  return { ...rest, open: unknown.open };
}

/** The number after a word of the table that a person sees. */
function numberOf(what: string, out: string): number {
  return Number(new RegExp(`^ *${what} +([\\d,]+)`, 'm').exec(out)?.[1]?.replaceAll(',', ''));
}

describe('the sample with every fault and workers killed', () => {
  it('doubles nothing, loses nothing, and ends the same with one run at once as with sixteen', async () => {
    const often = [sample, '--kill-rate', '1.5%'];
    const told = await killing(often);
    expect(numberOf('kills', told)).toBeGreaterThan(3);
    expect(told).toMatch(/kills +\d+ +of \d+ process.*: .*(dispatched|sending|replied) \d/);
    expect(told).toContain('Nothing doubled, nothing lost, every unknown has an owner.');

    const one = await summaryWithKills([...often, '--runs-at-once', '1']);
    expect(one).toMatchObject({ ...sound, calls: 85, duplicatesSuppressed: 23 });
    const { actions, succeeded, failed, effects } = one;
    expect({ actions, succeeded, failed, effects }).toEqual({
      actions: numberOf('actions', told),
      succeeded: numberOf('succeeded', told),
      failed: numberOf('failed', told),
      effects: numberOf('effects', told),
    });
  });
});

describeRecorded('recorded runs with every fault and workers killed', () => {
  it('end the same twice', async () => {
    const files = [recorded('airline'), '--kill-rate', '1%'];
    const first = await summaryWithKills(files);
    expect(first).toMatchObject({ ...sound, calls: 302, conflictsRefused: 5 });
    expect(whatCounts(await summaryWithKills(files))).toEqual(whatCounts(first));
  });
});
