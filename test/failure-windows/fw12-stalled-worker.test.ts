// A worker that was taken for dead is only slow: it wakes after another process has taken its action
// over, and goes on as if nothing had happened.
import { expect, it } from '@jest/globals';
import { type ActionEvent } from '@action-ledger/domain';
import { slow } from '@action-ledger/sandbox';
import {
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

interface Stall {
  readonly isReached: () => boolean;
  readonly wake: () => void;
}

/** Its next append that begins with such an event is on its way for as long as the stall lasts. */
function stallAppend(process: Process, type: ActionEvent['type']): Stall {
  let isReached = false;
  let wake = (): void => undefined;
  const until = new Promise<void>((resolve) => {
    wake = resolve;
  });
  process.script.onAppend({ kind: 'asked late', until }, ({ events }) => {
    if (events[0]?.type !== type) return false;
    isReached = true;
    return true;
  });
  return {
    isReached: () => isReached,
    wake: () => {
      wake();
    },
  };
}

/** It reaches a point of the write path and stays there. */
function stallAt(wanted: string): Stall & {
  readonly onPoint: (point: string) => Promise<void> | undefined;
} {
  let isReached = false;
  let wake = (): void => undefined;
  const until = new Promise<void>((resolve) => {
    wake = resolve;
  });
  return {
    isReached: () => isReached,
    wake: () => {
      wake();
    },
    onPoint: (point) => {
      if (point !== wanted || isReached) return undefined;
      isReached = true;
      return until;
    },
  };
}

async function untilStalled(world: World, stall: Stall): Promise<void> {
  for (let waited = 0; !stall.isReached() && waited < hour; waited += second)
    await world.advance(second);
  expect(stall.isReached()).toBe(true);
}

const typesOf = async (world: World): Promise<readonly string[]> => {
  const [action] = await world.actions();
  return (await world.events(action?.id)).map(({ type }) => type);
};

overEach((payWorld, guarantee) => {
  it('FW12 it wakes with its outcome → refused as outcome, kept as evidence, one effect', () =>
    inWorld(payWorld({ lookupFault: onFirst({ outage: true }) }), async (world) => {
      const stalled = await world.start();
      const stall = stallAppend(stalled, 'ActionSucceeded');
      const answer = stalled.begin(invoice, { ...firstCall, waitMs: hour });
      await untilStalled(world, stall);
      await world.start();
      await world.advance(second);
      expect((await world.actions())[0]?.status).toBe('unknown');
      stall.wake();
      await world.advance(second);
      expect(await typesOf(world)).toEqual([
        'ActionPlanned',
        'ActionClaimed',
        'ActionDispatched',
        'ActionOutcomeUnknown',
        // The lookup was down when it was first asked.
        ...(guarantee === 'lookup' ? ['ReconciliationChecked'] : []),
        'EvidenceRecorded',
        'ActionSucceeded',
      ]);
      // The caller of a service cannot see that the stalled one lives: what is with a person is not waited for.
      const word = world.shape === 'services' && guarantee === 'manual' ? 'checking' : 'done';
      expect(await world.during(answer)).toMatchObject({ word });
      await world.advance(10 * minute);
      const next = await world.restart();
      expect(await next.call(invoice, laterCall)).toMatchObject({ word: 'already-done' });
      expect(world.provider.arrivals).toHaveLength(1);
    }));

  it('FW12 it wakes with its outcome after the other has found the effect → nothing changes', () =>
    inWorld(payWorld(), async (world) => {
      const stalled = await world.start();
      const stall = stallAppend(stalled, 'ActionSucceeded');
      void stalled.begin(invoice, firstCall);
      await untilStalled(world, stall);
      const other = await world.start();
      const id = (await world.actions())[0]?.id ?? '';
      if (guarantee === 'manual') await settleFound(world, other, id);
      const found = await other.call(invoice, { ...firstCall, waitMs: hour });
      expect(found).toMatchObject({ state: 'succeeded' });
      stall.wake();
      await world.advance(minute);
      const after = await world.action(id);
      expect(after.outcome?.externalId).toBe(found.externalId);
      expect(after.evidence.at(-1)).toMatchObject({ source: 'attempt 1', claims: 'success' });
      expect(after.duplicates).toEqual([]);
      expect(new Set(world.provider.effects().map((effect) => effect.id)).size).toBe(1);
    }));

  it('FW12 it wakes between claim and dispatch → it sends nothing', () =>
    inWorld(payWorld({}, { undoWindow: '1s' }), async (world) => {
      const stalled = await world.start();
      const stall = stallAppend(stalled, 'ActionDispatched');
      void stalled.begin(invoice, firstCall);
      await untilStalled(world, stall);
      const other = await world.start();
      expect(await other.call(invoice, laterCall)).toMatchObject({ state: 'succeeded' });
      stall.wake();
      await world.advance(10 * minute);
      expect(world.provider.arrivals).toHaveLength(1);
      const [action] = await world.actions();
      expect(action?.attempts).toHaveLength(1);
    }));

  it('FW12 it wakes between claim and dispatch while the other holds the claim → refused, it sends nothing', () =>
    inWorld(payWorld({}, { undoWindow: '1s' }), async (world) => {
      const stalled = await world.start();
      const stall = stallAppend(stalled, 'ActionDispatched');
      void stalled.begin(invoice, firstCall);
      await untilStalled(world, stall);
      const held = stallAt('claimed');
      await world.start({ onPoint: held.onPoint });
      await untilStalled(world, held);
      expect((await world.actions())[0]?.status).toBe('claimed');
      stall.wake();
      await world.advance(5 * second);
      expect((await world.actions())[0]).toMatchObject({ status: 'claimed', attempts: [] });
      expect(world.provider.arrivals).toHaveLength(0);
      held.wake();
      await world.advance(minute);
      expect(world.provider.arrivals).toHaveLength(1);
    }));

  it('FW12 it wakes between dispatch and send, after its deadline → it sends nothing', () => {
    const stall = stallAt('dispatched');
    return inWorld(payWorld(), async (world) => {
      const stalled = await world.start({ onPoint: stall.onPoint });
      void stalled.begin(invoice, firstCall);
      await untilStalled(world, stall);
      await world.start();
      await world.advance(times.timeout);
      expect(world.provider.arrivals).toHaveLength(0);
      stall.wake();
      await world.time.settle();
      expect(world.provider.arrivals).toHaveLength(0);
      const [action] = await world.actions();
      expect(action?.evidence.at(-1)).toMatchObject({ source: 'attempt 1', claims: 'note' });
      expect(action?.status).toBe('unknown');
      await world.advance(10 * minute);
      expect(world.provider.effects().length).toBe(guarantee === 'manual' ? 0 : 1);
    });
  });

  it('FW12 it wakes between dispatch and send, within its deadline → its effect is found', () => {
    const stall = stallAt('dispatched');
    return inWorld(payWorld(), async (world) => {
      const stalled = await world.start({ onPoint: stall.onPoint });
      void stalled.begin(invoice, firstCall);
      await untilStalled(world, stall);
      await world.start();
      await world.advance(times.timeout - 5 * second);
      stall.wake();
      await world.advance(10 * minute);
      const [action] = await world.actions();
      expect(action?.status).toBe('succeeded');
      expect(world.provider.arrivals).toHaveLength(1);
    });
  });

  it('FW12 a slow send whose claim has passed to another is stopped at the next extension', () =>
    inWorld(
      payWorld(
        { fault: () => slow(25 * minute) },
        { timeoutMs: 20 * minute, inFlightMs: 40 * minute, leaseMs: minute },
      ),
      async (world) => {
        const stalled = await world.start();
        void stalled.begin(invoice, firstCall);
        await world.advance(10 * second);
        await world.start();
        await world.advance(minute);
        const [action] = await world.actions();
        expect(action?.status).toBe('unknown');
        expect(action?.evidence.map(({ source, claims }) => ({ source, claims }))).toEqual([
          { source: 'attempt 1', claims: 'note' },
        ]);
        await world.advance(2 * hour);
        expect(new Set(world.provider.effects().map(({ id }) => id)).size).toBe(1);
      },
    ));
});

async function settleFound(world: World, { ledger }: Process, actionId: string): Promise<void> {
  await world.advance(second);
  const { revision } = await world.action(actionId);
  await ledger.settle({
    actionId,
    by: 'olga',
    reason: 'on the statement',
    revisionSeen: revision,
    verdict: 'found',
    externalId: world.provider.effects()[0]?.id ?? '',
  });
}
