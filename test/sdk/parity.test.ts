// What a program asks of a ledger in its own process, asked of one behind HTTP: the same identities, answers,
// refusals and records. Each scene is played both ways, and everything that was said is compared.
import { describe, expect, it } from '@jest/globals';
import { openWorld, type Store, type Way, ways } from './world.ts';
import { scenes } from './scenes.ts';
import { comparable } from './comparable.ts';

const waysOver: Readonly<Record<Store, readonly Way[]>> = {
  memory: ways,
  file: ['embedded', 'remote'],
};

describe.each<Store>(['memory', 'file'])(
  'over a store in %s, embedded and remote say the same of',
  (store) => {
    it.each(Object.entries(scenes))('%s', async (_name, scene) => {
      const said: unknown[] = [];
      for (const way of waysOver[store]) {
        const world = await openWorld(way, store);
        try {
          said.push(comparable(await scene(world), world.url));
        } finally {
          await world.close();
        }
      }
      for (const other of said.slice(1)) expect(other).toEqual(said[0]);
    });
  },
);
