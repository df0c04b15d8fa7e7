// FW11: an approval is clicked twice, by two people, on two servers, or too late. One decision counts, whoever
// comes second is told of it, and the action is sent once at the most.
import { expect, it } from '@jest/globals';
import { aWhile, firstCall, hour, invoice, overEach } from './pay.ts';
import { inWorld, type Process, type World } from './world.ts';

const voteTime = 2 * hour;

async function openWaiting(process: Process, world: World): Promise<(voter: string) => object> {
  const { actionId = '', state } = await process.call(invoice, { ...firstCall, waitMs: 1 });
  expect(state).toBe('awaiting_approval');
  const { argumentsHash } = await world.action(actionId);
  return (voter) => ({ actionId, voter, vote: 'approve', argumentsHash });
}

function vote(process: Process, said: object): ReturnType<Process['ledger']['vote']> {
  return process.ledger.vote(said as Parameters<Process['ledger']['vote']>[0]);
}

async function votesOf(world: World): Promise<readonly string[]> {
  const [action] = await world.actions();
  return (action?.approval?.votes ?? []).map(({ voter }) => voter);
}

overEach(
  (payWorld) => {
    it('FW11 clicked twice by one person, at once and later → one vote, and no effect before the other', () =>
      inWorld(payWorld({}, { approval: { votes: 2, expiresAfter: voteTime } }), async (world) => {
        const process = await world.start();
        const by = await openWaiting(process, world);
        await Promise.all([vote(process, by('ann')), vote(process, by('ann'))]);
        await vote(process, by('ann'));
        await world.advance(aWhile);
        expect(await votesOf(world)).toEqual(['ann']);
        expect(world.provider.arrivals).toHaveLength(0);
        await Promise.all([vote(process, by('bob')), vote(process, by('bob'))]);
        await world.advance(aWhile);
        expect(await votesOf(world)).toEqual(['ann', 'bob']);
        expect(world.provider.effects()).toHaveLength(1);
      }));

    it('FW11 by two people on two servers at once → one decides, the other is told who, one effect', () =>
      inWorld(payWorld({}, { approval: { votes: 1, expiresAfter: voteTime } }), async (world) => {
        const process = await world.start();
        const other = await world.start();
        const by = await openWaiting(process, world);
        const voted = await Promise.all([vote(process, by('ann')), vote(other, by('bob'))]);
        await world.advance(aWhile);
        const counted = await votesOf(world);
        expect(counted).toHaveLength(1);
        const late = voted.filter(({ kind }) => kind === 'refusal');
        expect(late).toMatchObject([{ message: expect.stringContaining(counted[0] ?? '') }]);
        expect(world.provider.effects()).toHaveLength(1);
      }));

    it('FW11 after its time, on either server → refused, expired, nothing is sent', () =>
      inWorld(payWorld({}, { approval: { votes: 1, expiresAfter: voteTime } }), async (world) => {
        const process = await world.start();
        const other = await world.start();
        const by = await openWaiting(process, world);
        await world.advance(voteTime);
        for (const each of [process, other])
          expect(await vote(each, by('ann'))).toMatchObject({ kind: 'refusal' });
        await world.advance(aWhile);
        const [action] = await world.actions();
        expect(action).toMatchObject({ status: 'expired', attempts: [] });
        expect(world.provider.arrivals).toHaveLength(0);
      }));
  },
  ['idempotent'],
);
