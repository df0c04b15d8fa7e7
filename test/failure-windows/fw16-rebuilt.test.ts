// FW16: every projection is dropped and rebuilt, and every topic is replayed from zero. No process of these
// windows keeps either: each start builds the index from the streams, and a log that begins at its start.
import { expect, it } from '@jest/globals';
import { rowOf } from '@action-ledger/application';
import { ackLost } from '@action-ledger/sandbox';
import { aWhile, firstCall, invoice, onFirst, overEach } from './pay.ts';
import { inWorld } from './world.ts';

const approval = { when: ({ note }: { readonly note?: string }) => note === 'ask' };

overEach(
  (payWorld) => {
    it('FW16 all of it, twice → no effect, no notice, no other state', () =>
      inWorld(payWorld({ fault: onFirst(ackLost) }, { approval }), async (world) => {
        const process = await world.start();
        const call = (of: string, note?: string) =>
          process.call(
            { ...invoice, invoice: of, ...(note === undefined ? {} : { note }) },
            { ...firstCall, call: of, waitMs: 1 },
          );
        const states = [];
        for (const answer of [await call('lost'), await call('paid'), await call('asked', 'ask')])
          states.push((await world.action(answer.actionId)).status);
        expect(states).toEqual(['unknown', 'succeeded', 'awaiting_approval']);
        await world.advance(aWhile);
        const before = await world.actions();
        const arrivals = world.provider.arrivals.length;

        for (let time = 0; time < 2; time += 1) {
          const next = await world.restart();
          await world.advance(aWhile);
          expect(next.notices).toEqual([]);
          expect(await world.actions()).toEqual(before);
          const byId = (a: { action: string }, b: { action: string }): number =>
            a.action < b.action ? -1 : 1;
          const rows = [...next.ledger.list({ limit: 10 })].sort(byId);
          expect(rows).toEqual(before.map(rowOf).sort(byId));
        }
        expect(world.provider.arrivals).toHaveLength(arrivals);
      }));
  },
  ['manual'],
);
