// A process under load is killed with -9, again and again: at each named point of the write path and at
// random moments. `CRASH_KILLS` says how often; by default each point is met twice.
import { afterEach, describe, expect, it } from '@jest/globals';
import { type WritePoint, writePoints } from '@action-ledger/client';
import { draw, drawFault, type ProviderOptions } from '@action-ledger/sandbox';
import { type Child, openRig, pause, type Rig, runtime } from './rig.ts';

/** Those of workflows are met in workflows.test.ts. */
const points = writePoints.slice(0, writePoints.indexOf('workflow started'));
const kills = Number(process.env['CRASH_KILLS'] ?? 2 * points.length);
const seed = Number(process.env['CRASH_SEED'] ?? 7);
/** Files that are worked on side by side, each by a process of its own. */
const files = 2;

const rates = {
  lostResponses: 0.12,
  timeouts: 0.03,
  lateArrivals: 0.05,
  errorsAfterCommit: 0.05,
};
/** Below the in-flight bound. */
const lateByMs = 250;

let rigs: Rig[] = [];

afterEach(async () => {
  await Promise.all(rigs.map((rig) => rig.close()));
  rigs = [];
});

function world(file: number): Partial<ProviderOptions> {
  let booked = 0;
  return {
    answer: ({ tool, key }) => {
      if (draw(seed, 'refused', key) < 0.04) return { kind: 'refused', error: 'not today' };
      if (tool !== 'book') return { kind: 'accepted', result: { done: true } };
      booked += 1;
      return { kind: 'accepted', result: { reservation_id: `f${file}-r${booked}` } };
    },
    fault: ({ key, attempt }) => drawFault(seed, rates, { run: key, seq: 0, attempt }, lateByMs),
    lookupFault: () => (runtime.randomness.next() < 0.05 ? { outage: true } : undefined),
  };
}

interface Kill {
  /** Undefined: at a random moment. */
  readonly point: WritePoint | undefined;
}

/** Half at the named points in turn, half at random; at least each point once. */
function plan(): readonly Kill[] {
  const atPoints = Math.max(points.length, Math.floor(kills / 2));
  return Array.from({ length: kills }, (_, n) => ({
    point: n < atPoints ? points[n % points.length] : undefined,
  }));
}

/** So long a process works at most; a rare point may not be met by then. */
const workMsMax = 10_000;

/** @returns whether it died where it should */
async function killOne(rig: Rig, { point }: Kill): Promise<boolean> {
  const nth = 1 + Math.floor(runtime.randomness.next() * 6);
  const child = rig.start(point === undefined ? {} : { at: { point, nth, signal: 'SIGKILL' } });
  if (point === undefined) {
    // Some die while they still recover from the death before.
    await child.next('started');
    await pause(500 * runtime.randomness.next());
    await child.kill();
    return true;
  }
  return diesAt(child);
}

async function diesAt(child: Child): Promise<boolean> {
  let isLate = false;
  // Some points are passed in the recovery, before the file counts as open.
  await Promise.race([child.next('opened').catch(() => undefined), child.ended]);
  const timer = runtime.timers.after(workMsMax, () => {
    isLate = true;
    child.process.kill('SIGKILL');
  });
  const signal = await child.ended;
  timer.cancel();
  if (signal !== 'SIGKILL') throw new Error('the process ended by itself');
  return !isLate;
}

describe('a process under load that is killed with -9', () => {
  it(
    `Shows 6: ${kills} times, at random moments and at each of the ${points.length} points → nothing doubled, nothing lost, every unknown owned`,
    async () => {
      const queue = [...plan()];
      const met = new Map<WritePoint, number>();
      const work = async (file: number): Promise<Rig> => {
        const rig = await openRig(world(file));
        rigs.push(rig);
        for (let kill = queue.shift(); kill !== undefined; kill = queue.shift()) {
          const isMet = await killOne(rig, kill);
          if (kill.point !== undefined && isMet)
            met.set(kill.point, (met.get(kill.point) ?? 0) + 1);
        }
        await rig.finish();
        return rig;
      };
      const done = await Promise.all(Array.from({ length: files }, (_, file) => work(file)));
      let actions = 0;
      for (const rig of done) {
        const judged = await rig.judge();
        expect(judged).toMatchObject({
          broken: [],
          doubled: [],
          lost: [],
          ownerless: [],
          misled: [],
        });
        expect(judged.effects).toBeGreaterThan(0);
        actions += judged.actions;
      }
      // Of all files: how many each has met depends on how busy the machine is.
      expect(actions).toBeGreaterThan(kills);
      expect([...met.keys()].sort()).toEqual([...points].sort());
    },
    60_000 + kills * 6_000,
  );
});
