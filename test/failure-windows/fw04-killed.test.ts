// The process dies at a point of the write path, and another one opens the store: FW04 to FW07. The
// same deaths by kill -9 are in test/crash.
import { describe, expect, it } from '@jest/globals';
import { ackLost, reqLost } from '@action-ledger/sandbox';
import {
  day,
  firstCall,
  hour,
  invoice,
  laterCall,
  minute,
  onFirst,
  overEach,
  second,
  times,
} from './pay.ts';
import { inWorld, type Process, type World } from './world.ts';

const patient = { ...firstCall, waitMs: hour };

/** Begins the call in a process that will die, and lets it die. */
async function untilDeath(world: World, process: Process, context = firstCall): Promise<void> {
  void process.begin(invoice, context);
  for (let waited = 0; !process.isDead() && waited < 10 * minute; waited += second)
    await world.advance(second);
  expect(process.isDead()).toBe(true);
}

async function expectOnceDone(world: World, process: Process): Promise<void> {
  const answer = await process.call(invoice, patient);
  expect(answer.state).toBe('succeeded');
  const ids = world.provider.effects().map(({ id }) => id);
  expect([...new Set(ids)]).toEqual([answer.externalId]);
  expect(world.provider.tally()).toMatchObject([{ effects: 1 }]);
  expect(await process.call(invoice, laterCall)).toMatchObject({
    word: 'already-done',
    externalId: answer.externalId,
  });
}

overEach((payWorld, guarantee) => {
  it('FW04 killed before the plan is recorded → as if nobody had called', () =>
    inWorld(payWorld(), async (world) => {
      await untilDeath(world, await world.start({ diesAt: 'before plan' }));
      const next = await world.restart();
      expect(await world.actions()).toEqual([]);
      await expectOnceDone(world, next);
    }));

  it('FW04 killed once it is planned → another process goes on by itself, one effect', () =>
    inWorld(payWorld({}, { undoWindow: '1s' }), async (world) => {
      await untilDeath(world, await world.start({ diesAt: 'planned' }));
      const next = await world.restart();
      await world.advance(minute);
      expect(world.provider.effects()).toHaveLength(1);
      await expectOnceDone(world, next);
    }));

  it('FW04 killed after claim, before dispatch → recovered, one effect', () =>
    inWorld(payWorld({}, { undoWindow: '1s' }), async (world) => {
      await untilDeath(world, await world.start({ diesAt: 'claimed' }));
      const next = await world.restart();
      // Nothing was dispatched, so nothing has to be waited for.
      await world.advance(2 * second);
      expect(world.provider.effects()).toHaveLength(1);
      const [action] = await world.actions();
      const types = (await world.events(action?.id)).map(({ type }) => type);
      expect(types).toEqual([
        'ActionPlanned',
        'ActionClaimed',
        'ClaimEnded',
        'ActionClaimed',
        'ActionDispatched',
        'ActionSucceeded',
      ]);
      await expectOnceDone(world, next);
    }));

  it('FW05 killed after dispatch, before the effect → recovered, one effect', () =>
    inWorld(payWorld(), async (world) => {
      await untilDeath(world, await world.start({ diesAt: 'dispatched' }));
      expect(world.provider.arrivals).toHaveLength(0);
      const died = world.time.clock.monoMs();
      const next = await world.restart();
      if (guarantee === 'manual') {
        await expectSettledAbsent(world, next);
        return;
      }
      await expectOnceDone(world, next);
      // The request of the dead process could still have been under way.
      const sent = world.provider.arrivals[0]?.monoMs ?? 0;
      const wait = guarantee === 'lookup' ? times.inFlight + times.settle : times.inFlight;
      expect(sent - died).toBeGreaterThanOrEqual(wait);
    }));

  it('FW06 killed after the effect, before the outcome is written → found, one effect', () =>
    inWorld(payWorld(), async (world) => {
      await untilDeath(world, await world.start({ diesAt: 'replied' }));
      expect(world.provider.effects()).toHaveLength(1);
      const next = await world.restart();
      if (guarantee === 'manual') {
        await expectSettledFound(world, next);
        return;
      }
      await expectOnceDone(world, next);
    }));

  it('FW06 killed again and again in its recovery → found in the end, one effect', () =>
    inWorld(payWorld(), async (world) => {
      await untilDeath(world, await world.start({ diesAt: 'replied' }));
      const points = ['unknown recorded', 'claimed', 'dispatched', 'replied', 'looked up'] as const;
      for (const diesAt of points) {
        await world.restart({ diesAt });
        await world.advance(3 * minute);
      }
      const next = await world.restart();
      if (guarantee === 'manual') {
        await expectSettledFound(world, next);
        return;
      }
      await expectOnceDone(world, next);
    }));

  it('FW07 killed after the outcome is written, before the caller is told → the repeat gets it', () =>
    inWorld(payWorld(), async (world) => {
      await untilDeath(world, await world.start({ diesAt: 'outcome recorded' }));
      const next = await world.restart();
      const repeat = await next.call(invoice, firstCall);
      expect(repeat).toMatchObject({
        word: 'already-done',
        repeat: true,
        externalId: world.provider.effects()[0]?.id,
      });
      expect(await next.call(invoice, laterCall)).toMatchObject({ word: 'already-done' });
      expect(world.provider.arrivals).toHaveLength(1);
    }));
});

/** Nothing to ask, so a person looks; they may say "absent" only once nothing can arrive any more. */
async function expectSettledAbsent(world: World, { ledger, call }: Process): Promise<void> {
  const answer = await call(invoice, patient);
  expect(answer).toMatchObject({ word: 'checking', owner: 'operator' });
  const actionId = answer.actionId ?? '';
  await world.advance(times.inFlight + times.settle);
  expect(world.provider.arrivals).toHaveLength(0);
  const { revision } = await world.action(actionId);
  const settling = {
    actionId,
    by: 'olga',
    reason: 'not on the statement',
    revisionSeen: revision,
    verdict: 'absent',
  } as const;
  expect(await ledger.settle(settling)).toMatchObject({ kind: 'done' });
  expect(await call(invoice, firstCall)).toMatchObject({ word: 'failed-without-effect' });
  expect(await call(invoice, laterCall)).toMatchObject({ word: 'done', epoch: 1 });
  expect(world.provider.effects()).toHaveLength(1);
}

async function expectSettledFound(world: World, { ledger, call }: Process): Promise<void> {
  const answer = await call(invoice, patient);
  expect(answer).toMatchObject({ word: 'checking', owner: 'operator' });
  const actionId = answer.actionId ?? '';
  const { revision } = await world.action(actionId);
  const externalId = world.provider.effects()[0]?.id ?? '';
  await ledger.settle({
    actionId,
    by: 'olga',
    reason: 'on the statement',
    revisionSeen: revision,
    verdict: 'found',
    externalId,
  });
  expect(await call(invoice, laterCall)).toMatchObject({ word: 'already-done', externalId });
  expect(world.provider.arrivals).toHaveLength(1);
}

overEach(
  (payWorld) => {
    describe('while its outcome is in doubt', () => {
      it('FW04 killed after the claim to send again → unknown, never ready, and the waits begin again', () =>
        inWorld(payWorld({ fault: onFirst(ackLost) }), async (world) => {
          const first = await world.start({ diesAt: 'claimed' });
          await untilDeath(world, first);
          const died = world.time.clock.monoMs();
          const next = await world.restart();
          await world.advance(1);
          const [action] = await world.actions();
          expect(action?.status).toBe('unknown');
          await expectOnceDone(world, next);
          const again = world.provider.arrivals[1]?.monoMs ?? 0;
          expect(again - died).toBeGreaterThanOrEqual(times.inFlight);
        }));

      it('FW05 killed after the second dispatch → a third, one effect', () =>
        inWorld(payWorld({ fault: onFirst(reqLost) }), async (world) => {
          await untilDeath(world, await world.start({ diesAt: 'dispatched', nth: 2 }));
          const next = await world.restart();
          await expectOnceDone(world, next);
          const [action] = await world.actions();
          expect(action?.attempts).toHaveLength(3);
        }));
    });
  },
  ['idempotent', 'natural'],
);

overEach(
  (payWorld) => {
    it.each(['looked up', 'reconciled'] as const)(
      'FW06 killed when it has %s → found, one effect',
      (diesAt) =>
        inWorld(payWorld({ fault: onFirst(ackLost) }), async (world) => {
          await untilDeath(world, await world.start({ diesAt }));
          await expectOnceDone(world, await world.restart());
          expect(world.provider.arrivals).toHaveLength(1);
        }),
    );

    it('FW06 a process that was away for days finds the effect, and does not send again', () =>
      inWorld(payWorld(), async (world) => {
        await untilDeath(world, await world.start({ diesAt: 'replied' }));
        await world.advance(3 * day);
        await expectOnceDone(world, await world.restart());
        expect(world.provider.arrivals).toHaveLength(1);
      }));
  },
  ['lookup'],
);
