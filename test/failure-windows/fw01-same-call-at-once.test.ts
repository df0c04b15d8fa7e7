// Two callers, or many, with the same key and arguments at the same moment.
import { expect, it } from '@jest/globals';
import { firstCall, invoice, laterCall, minute, overEach, second } from './pay.ts';
import { inWorld } from './world.ts';

overEach((payWorld) => {
  it('FW01 two callers, same key and arguments, at once → one effect', () =>
    inWorld(payWorld(), async ({ provider, start, during }) => {
      const process = await start();
      const answers = await during(
        Promise.all([process.begin(invoice, firstCall), process.begin(invoice, firstCall)]),
      );
      expect(answers.map(({ word }) => word).sort()).toEqual(['already-done', 'done']);
      expect(new Set(answers.map(({ actionId }) => actionId)).size).toBe(1);
      expect(answers[0].result).toEqual(answers[1].result);
      expect(provider.effects()).toHaveLength(1);
    }));

  it('FW01 twenty callers, some redelivered and some new calls, while the tool is slow → one effect', () =>
    inWorld(payWorld({ fault: () => ({ workMs: 5 * second }) }), async (world) => {
      const process = await world.start();
      const calls = Array.from({ length: 20 }, (_, n) =>
        process.begin(invoice, n % 2 === 0 ? firstCall : { ...laterCall, call: `call_${n}` }),
      );
      const answers = await world.during(Promise.all(calls));
      expect(answers.filter(({ repeat }) => !repeat)).toHaveLength(1);
      expect(answers.every(({ state }) => state === 'succeeded')).toBe(true);
      expect(world.provider.effects()).toHaveLength(1);
    }));

  it('FW01 two callers in two processes that both believe to hold the store → one effect', () =>
    inWorld(payWorld({ fault: () => ({ workMs: 100 }) }), async (world) => {
      const one = await world.start();
      const other = await world.start();
      const patience = { ...firstCall, waitMs: second };
      const answers = await world.during(
        Promise.all([one.begin(invoice, patience), other.begin(invoice, patience)]),
      );
      // The second takes the attempt of the first for lost. Only where it runs is it known to be alive; what the
      // second has sent is lost to nobody.
      const first = world.shape === 'one ledger' ? 'done' : 'checking';
      const told = answers.map(({ word }) => word);
      const isBySecond = world.sharesGroups && !told.includes('checking');
      expect(told).toEqual(isBySecond ? ['done', 'already-done'] : [first, 'checking']);
      await world.advance(10 * minute);
      const next = await world.restart();
      expect(await next.call(invoice, laterCall)).toMatchObject({ word: 'already-done' });
      expect(world.provider.effects()).toHaveLength(1);
    }));
});
