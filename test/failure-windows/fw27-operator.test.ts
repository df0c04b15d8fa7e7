// An operator decides by a page that is no longer true, or before it can be known.
import { expect, it } from '@jest/globals';
import { ackLost, lateArrival, reqLost } from '@action-ledger/sandbox';
import {
  aWhile,
  day,
  firstCall,
  invoice,
  laterCall,
  minute,
  onFirst,
  overEach,
  second,
  times,
} from './pay.ts';
import { inWorld, type Process, type World } from './world.ts';

const operator = { by: 'olga', reason: 'I have looked' };

/** The lookup cannot say, so that there is something for an operator to do. */
const outage = { lookupFault: () => ({ outage: true }) };

async function openUnknown(
  process: Process,
  world: World,
): Promise<{ actionId: string; revision: number }> {
  const answer = await process.call(invoice, { ...firstCall, waitMs: 1 });
  const { status, revision } = await world.action(answer.actionId);
  expect(status).toBe('unknown');
  return { actionId: answer.actionId ?? '', revision };
}

overEach((payWorld, guarantee) => {
  it('FW27 an operator settles too early → refused, with the time to wait', () =>
    inWorld(payWorld({ fault: onFirst(reqLost), ...outage }), async (world) => {
      const process = await world.start();
      const { actionId } = await openUnknown(process, world);
      await world.advance(times.inFlight - 5 * second);
      const { revision, attempts } = await world.action(actionId);
      expect(attempts).toHaveLength(1);
      const settled = await process.ledger.settle({
        ...operator,
        actionId,
        revisionSeen: revision,
        verdict: 'absent',
      });
      expect(settled).toMatchObject({ kind: 'refusal', code: 'action.too-early' });
      expect((await world.action(actionId)).status).toBe('unknown');
    }));

  it.each(['found', 'absent'] as const)(
    'FW27 an operator settles (%s) from a stale page → refused, told what happened, nothing changes',
    (verdict) =>
      inWorld(payWorld({ fault: onFirst(ackLost), ...outage }), async (world) => {
        const process = await world.start();
        const { actionId, revision } = await openUnknown(process, world);
        await process.ledger.report(actionId, {
          source: 'webhook',
          claims: 'success',
          proven: true,
          externalId: world.provider.effects()[0]?.id ?? '',
        });
        const before = await world.action(actionId);
        for (const forced of [false, true]) {
          const settled = await process.ledger.settle({
            ...operator,
            actionId,
            revisionSeen: revision,
            verdict,
            ...(verdict === 'absent' ? { forced } : {}),
          });
          expect(settled).toMatchObject({
            kind: 'refusal',
            code: 'action.stale-revision',
            message: expect.stringContaining('succeeded'),
          });
        }
        expect(await world.action(actionId)).toEqual(before);
        await world.advance(aWhile);
        expect(world.provider.arrivals).toHaveLength(1);
      }),
  );

  it('FW27 two operators settle at once, one found and one absent → the first one counts', () =>
    inWorld(payWorld({ fault: onFirst(ackLost), ...outage }), async (world) => {
      const process = await world.start();
      const { actionId, revision } = await openUnknown(process, world);
      const externalId = world.provider.effects()[0]?.id ?? '';
      const settle = { ...operator, actionId, revisionSeen: revision };
      const [found, absent] = await Promise.all([
        process.ledger.settle({ ...settle, verdict: 'found', externalId }),
        process.ledger.settle({ ...settle, verdict: 'absent', forced: true }),
      ]);
      expect(found).toMatchObject({ kind: 'done', action: { status: 'succeeded' } });
      expect(absent).toMatchObject({ kind: 'refusal', code: 'action.stale-revision' });
    }));

  it('FW27 an operator settles while it is being sent again → refused', () =>
    inWorld(
      payWorld({ fault: ({ attempt }) => (attempt === 1 ? reqLost : { workMs: 20 * second }) }),
      async (world) => {
        const process = await world.start();
        const { actionId, revision } = await openUnknown(process, world);
        await world.advance(times.inFlight + times.settle + 5 * second);
        const isSent = guarantee !== 'manual';
        expect((await world.action(actionId)).status).toBe(isSent ? 'dispatched' : 'unknown');
        if (!isSent) return;
        for (const revisionSeen of [revision, (await world.action(actionId)).revision]) {
          const settle = { ...operator, actionId, revisionSeen };
          expect(
            await process.ledger.settle({ ...settle, verdict: 'absent', forced: true }),
          ).toMatchObject({ kind: 'refusal' });
        }
        await world.advance(aWhile);
        expect(world.provider.effects()).toHaveLength(1);
      },
    ));

  it('FW27 an operator forces `absent` while a request is under way → nothing is sent, the doubt is kept', () =>
    inWorld(
      payWorld({ fault: onFirst(lateArrival(times.inFlight - second)), ...outage }),
      async (world) => {
        const process = await world.start();
        const { actionId, revision } = await openUnknown(process, world);
        const settled = await process.ledger.settle({
          ...operator,
          actionId,
          revisionSeen: revision,
          verdict: 'absent',
          forced: true,
        });
        expect(settled).toMatchObject({ kind: 'done', action: { status: 'failed' } });
        for (const call of [firstCall, laterCall, { ...laterCall, turn: '3', call: 'call_3' }])
          expect(await process.call(invoice, call)).toMatchObject({ word: 'refused' });
        const { revision: revisionSeen } = await world.action(actionId);
        const seen = { of: actionId, ...operator, tenant: 'acme', revisionSeen };
        const early = { ...seen, confirmedDouble: true };
        expect(await process.ledger.repeat(early)).toMatchObject({ state: 'refused' });
        expect(await process.ledger.repeat({ ...early, confirmedDouble: false })).toMatchObject({
          state: 'refused',
        });
        await world.advance(aWhile);
        expect(world.provider.arrivals).toHaveLength(1);
      },
    ));

  it('FW27 an operator closes an incident from a stale page → refused', () =>
    inWorld(payWorld({ fault: onFirst(ackLost), ...outage }), async (world) => {
      const process = await world.start();
      const { actionId, revision } = await openUnknown(process, world);
      const forced = { verdict: 'absent', forced: true } as const;
      await process.ledger.settle({ ...operator, actionId, revisionSeen: revision, ...forced });
      await process.ledger.report(actionId, {
        source: 'webhook',
        claims: 'success',
        proven: true,
        externalId: world.provider.effects()[0]?.id ?? '',
      });
      const action = await world.action(actionId);
      const incident = action.incidents[0]?.incident ?? '';
      const close = { ...operator, actionId, incident };
      const stale = await process.ledger.closeIncident({ ...close, revisionSeen: revision });
      expect(stale).toMatchObject({ kind: 'refusal', code: 'action.stale-revision' });
      const closed = await process.ledger.closeIncident({
        ...close,
        revisionSeen: action.revision,
      });
      expect(closed).toMatchObject({ kind: 'done', action: { incidents: [] } });
    }));
});

overEach(
  (payWorld) => {
    it('FW27 an operator settles `absent` once it can be known → failed, and only a new call goes on', () =>
      inWorld(payWorld({ fault: onFirst(reqLost) }), async (world) => {
        const process = await world.start({ sweepMs: minute });
        const { actionId, revision } = await openUnknown(process, world);
        await world.advance(times.inFlight + times.settle + second);
        const settle = {
          ...operator,
          actionId,
          revisionSeen: revision,
          verdict: 'absent',
        } as const;
        expect(await process.ledger.settle(settle)).toMatchObject({
          kind: 'done',
          action: { status: 'failed' },
        });
        await world.advance(day / 2);
        expect(world.provider.arrivals).toHaveLength(0);
        expect(await process.call(invoice, laterCall)).toMatchObject({ word: 'done', epoch: 1 });
      }));
  },
  ['manual'],
);
