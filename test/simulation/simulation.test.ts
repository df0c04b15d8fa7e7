// A bounded number of simulated runs: seeds that found something, and fresh ones (SIMULATION_SEED repeats
// them). `npm run simulate` plays as many as one likes.
import { describe, expect, it, jest } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { breaksIn } from './breaks/breaks-in.ts';
import { run } from './run.ts';

// Some minutes of processors, where other tests run beside it.
jest.setTimeout(600_000);

const first = Number(process.env['SIMULATION_SEED'] ?? Date.now() % 1_000_000_000);
const freshRuns = 12;

describe(`fresh runs (SIMULATION_SEED=${first})`, () => {
  const seeds = Array.from({ length: freshRuns }, (_, index) => first + index);
  it.each(seeds)('seed %i ends with every action settled or owned', async (seed) => {
    const { problems, steps } = await run({ seed });
    expect(problems).toEqual([]);
    expect(steps).toBeGreaterThanOrEqual(300);
  });
});

describe('what was found by a run, and is mended', () => {
  it.each([
    {
      seed: 900_023,
      sentence:
        'an action whose compensation fails hears of it, though another one has ended its workflow before',
    },
    {
      seed: 3_004_067,
      sentence:
        'a repeat whose append was in doubt is sent by whoever has claimed it since, and by nobody else',
    },
    {
      seed: 3_005_622,
      sentence:
        'a workflow hears of an undo that was under way when the undo of another step had failed',
    },
    {
      seed: 3_000_001,
      sentence: 'what is said of an action when it has ended takes no room from the next one',
    },
    {
      seed: 3_005_155,
      sentence:
        'a success of a time that the store has lost stands, though its dispatch is lost too',
    },
    {
      seed: 3762,
      sentence: 'nobody is told that nothing was done of what may have been sent in a lost time',
    },
    {
      seed: 8809,
      sentence:
        'of two deliveries of one call one does not join an epoch while the other opens the next',
    },
    {
      seed: 312,
      sentence: 'an effect of another that a late verdict names is not held against an action',
    },
    {
      seed: 4_222,
      sentence: 'an undo that is planned after a recovery is looked up before it is sent',
    },
    {
      seed: 20_000_202,
      sentence: 'an edit of a time that the store has lost was what its caller was told of then',
    },
  ])('seed $seed: $sentence', async ({ seed }) => {
    expect((await run({ seed })).problems).toEqual([]);
  });
});

async function traceOf(seed: number): Promise<string> {
  const lines: string[] = [];
  await run({ seed, onTrace: (line) => lines.push(line) });
  return `${lines.join('\n')}\n`;
}

/** @param node its path */
function traceBy(node: string, seed: number): string {
  const folder = mkdtempSync(join(tmpdir(), 'action-ledger-simulation-'));
  try {
    const file = join(folder, 'trace');
    const flags = ['--experimental-strip-types', '--conditions=source'];
    const asked = ['test/simulation/main.ts', '--seed', String(seed), '--trace', file];
    execFileSync(node, [...flags, ...asked], { stdio: 'ignore' });
    return readFileSync(file, 'utf8');
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** @returns whether the run of this seed is still in memory, somewhere, when it is over */
async function isHeld(seed: number): Promise<boolean> {
  const playedTo = async (): Promise<WeakRef<object>> => {
    const onTrace = (): void => undefined;
    await run({ seed, onTrace });
    return new WeakRef(onTrace);
  };
  const held = await playedTo();
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  // What is let go of when something else has been collected takes some more.
  for (let tries = 0; tries < 5; tries += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    collect();
  }
  return held.deref() !== undefined;
}

describe('a run', () => {
  it.each([
    [5, 'of services'],
    [7, 'of one ledger'],
  ])(
    '%i, %s, some of whose programs died while they asked, leaves nothing behind in memory',
    async (seed) => {
      expect(await isHeld(seed)).toBe(false);
    },
  );

  it('is the same for the same seed, line by line, in another process too', async () => {
    const trace = await traceOf(7);
    expect(trace.length).toBeGreaterThan(1_000);
    expect(traceBy(process.execPath, 7)).toBe(trace);
    expect(await traceOf(8)).not.toBe(trace);
  });

  const other = process.env['NODE_22'];
  if (other === undefined)
    it.skip('set NODE_22 to the path of a Node 22: the same for the same seed there', () =>
      undefined);
  else
    it('is the same for the same seed on Node 22', async () => {
      expect(execFileSync(other, ['--version'], { encoding: 'utf8' })).toMatch(/^v22\./);
      expect(traceBy(other, 7)).toBe(await traceOf(7));
    });

  it('meets only the faults that it is told, where it is told', async () => {
    const { struck } = await run({ seed: 6 });
    const [fault] = struck;
    expect(struck.length).toBeGreaterThan(1);
    const alone = await run({ seed: 6, only: new Set([fault?.name ?? '']) });
    expect(alone.struck.length).toBeLessThanOrEqual(1);
    const none = await run({ seed: 6, only: new Set(), idle: new Set([0, 1, 2]) });
    expect(none.struck).toEqual([]);
  });
});

describe('the deliberate breaks', () => {
  it('each still name the one place that they change', () => {
    const edits = breaksIn('test/simulation/breaks').flatMap((each) => each.edits);
    const misses = edits.filter(({ file, find }) => {
      const text = readFileSync(join(process.cwd(), file), 'utf8');
      return text.split(find).length !== 2;
    });
    expect(misses).toEqual([]);
  });

  it('are each in the table, noticed within 60 seeds', () => {
    const page = readFileSync(join(process.cwd(), 'docs/simulation.md'), 'utf8');
    const rows = [...page.matchAll(/^\| ([a-z -]+?) +\| (\d+) +\|/gm)];
    expect(rows.map(([, name]) => name)).toEqual(
      breaksIn('test/simulation/breaks').map(({ name }) => name),
    );
    expect(rows.filter(([, , seeds]) => Number(seeds) > 60)).toEqual([]);
  });
});
