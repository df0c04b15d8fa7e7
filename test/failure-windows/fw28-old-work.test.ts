// Work that has waited for days: for an approval, for a retry, for a process to come back.
import { expect, it } from '@jest/globals';
import { ackLost, reqLost, tooManyRequests } from '@action-ledger/sandbox';
import {
  aWhile,
  day,
  firstCall,
  hour,
  invoice,
  laterCall,
  minute,
  onFirst,
  overEach,
  second,
} from './pay.ts';
import { inWorld, type Process, type World } from './world.ts';

async function approve(process: Process, world: World, actionId: string): Promise<unknown> {
  const { argumentsHash } = await world.action(actionId);
  return process.ledger.vote({ actionId, voter: 'olga', vote: 'approve', argumentsHash });
}

async function expectExpired(world: World, process: Process, actionId: string): Promise<void> {
  await world.advance(aWhile);
  expect((await world.action(actionId)).status).toBe('expired');
  expect(world.provider.arrivals).toHaveLength(0);
  expect(await process.call(invoice, firstCall)).toMatchObject({ word: 'nothing-done' });
}

overEach((payWorld, guarantee) => {
  it('FW28 planned when its process died, and found days later → expired, not run', () =>
    inWorld(payWorld({}, { undoWindow: '1min' }), async (world) => {
      const process = await world.start();
      const answer = await process.call(invoice, { ...firstCall, waitMs: 1 });
      process.die();
      await world.advance(3 * day);
      await expectExpired(world, await world.restart({ sweepMs: minute }), answer.actionId ?? '');
    }));

  it('FW28 claimed when its process died, and found days later → expired, not run', () =>
    inWorld(payWorld({}, { undoWindow: '1s' }), async (world) => {
      const process = await world.start({ diesAt: 'claimed' });
      void process.begin(invoice, firstCall);
      await world.advance(5 * second);
      expect(process.isDead()).toBe(true);
      await world.advance(3 * day);
      const [action] = await world.actions();
      await expectExpired(world, await world.restart({ sweepMs: minute }), action?.id ?? '');
    }));

  it('FW28 approved when its process died, and found days later → expired, not run', () =>
    inWorld(payWorld({}, { approval: true }), async (world) => {
      const process = await world.start({ onPoint: () => undefined, diesAt: 'claimed' });
      const { actionId = '' } = await process.call(invoice, { ...firstCall, by: 'ada' });
      await approve(process, world, actionId);
      await world.advance(second);
      expect(process.isDead()).toBe(true);
      await world.advance(3 * day);
      await expectExpired(world, await world.restart({ sweepMs: minute }), actionId);
    }));

  it('FW28 nobody votes for days → expired; a late vote is refused, and nothing runs', () =>
    inWorld(payWorld({}, { approval: true }), async (world) => {
      const process = await world.start({ sweepMs: hour });
      const { actionId = '' } = await process.call(invoice, { ...firstCall, by: 'ada' });
      await world.advance(2 * day);
      expect(await approve(process, world, actionId)).toMatchObject({ kind: 'refusal' });
      await expectExpired(world, process, actionId);
    }));

  it('FW28 paused for days → expired, not run when it goes on', () =>
    inWorld(payWorld({}, { undoWindow: '1s', validFor: '30min' }), async (world) => {
      let isPaused = false;
      const process = await world.start({ isPaused: () => isPaused });
      const { actionId = '' } = await process.call(invoice, { ...firstCall, waitMs: 1 });
      isPaused = true;
      await world.advance(31 * minute);
      isPaused = false;
      await expectExpired(world, process, actionId);
    }));

  it('FW28 the provider puts the retry off beyond its validity → expired at once', () =>
    inWorld(payWorld({ fault: () => tooManyRequests(2 * day) }), async (world) => {
      const process = await world.start();
      const answer = await process.call(invoice, { ...firstCall, waitMs: minute });
      expect(answer).toMatchObject({ word: 'nothing-done', state: 'expired' });
      expect(world.provider.effects()).toHaveLength(0);
    }));

  it('FW28 in doubt and too old → never sent again: asked, or an operator', () =>
    inWorld(payWorld({ fault: onFirst(reqLost) }), async (world) => {
      const process = await world.start({ diesAt: 'unknown recorded' });
      void process.begin(invoice, firstCall);
      await world.advance(second);
      expect(process.isDead()).toBe(true);
      await world.advance(3 * day);
      await world.restart({ sweepMs: minute });
      await world.advance(2 * hour);
      const [action] = await world.actions();
      expect(action?.attempts).toHaveLength(1);
      expect(world.provider.arrivals).toHaveLength(0);
      if (guarantee === 'lookup') expect(action?.status).toBe('expired');
      else expect(action).toMatchObject({ status: 'unknown', watch: { owner: 'operator' } });
    }));

  it('FW28 in doubt and too old, and it had its effect → found by asking, or left to an operator', () =>
    inWorld(payWorld({ fault: onFirst(ackLost) }), async (world) => {
      const process = await world.start({ diesAt: 'unknown recorded' });
      void process.begin(invoice, firstCall);
      await world.advance(3 * day);
      const next = await world.restart({ sweepMs: minute });
      await world.advance(2 * hour);
      const answer = await next.call(invoice, laterCall);
      expect(answer.state).toBe(guarantee === 'lookup' ? 'succeeded' : 'unknown');
      expect(world.provider.arrivals).toHaveLength(1);
    }));
});
