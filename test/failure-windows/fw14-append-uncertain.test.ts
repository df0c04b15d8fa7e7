// An append is stored, and its writer hears of an error, of a conflict, or of nothing for a while. What
// the stream holds decides; nobody claims, sends or records twice.
import { describe, expect, it } from '@jest/globals';
import { type ActionEvent } from '@action-ledger/domain';
import { StoreFault } from '@action-ledger/event-store';
import { ackLost } from '@action-ledger/sandbox';
import { type AppendFault } from '@action-ledger/testkit';
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

const patient = { ...firstCall, waitMs: hour };

type Type = ActionEvent['type'];

/** @returns how many have failed by now */
function failAppends(
  process: Process,
  type: Type,
  fault: AppendFault,
  count: number,
): () => number {
  let failed = 0;
  const where: Parameters<typeof process.script.onAppend>[1] = ({ events }) => {
    if (events[0]?.type !== type) return false;
    failed += 1;
    return true;
  };
  for (let n = 0; n < count; n += 1) process.script.onAppend(fault, where);
  return () => failed;
}

/** Whoever reads. */
function failReads(process: Process, when: () => boolean): void {
  for (let n = 0; n < 100; n += 1) process.script.onRead(undefined, when);
}

/** What the append begins with that holds the dispatch of an action without approval. */
function dispatchingAppend({ shape }: World): Type {
  return shape === 'services' ? 'ActionDispatched' : 'ActionPlanned';
}

async function typesOf(world: World): Promise<readonly string[]> {
  const [action] = await world.actions();
  return (await world.events(action?.id)).map(({ type }) => type);
}

function expectOnce(types: readonly string[], ...once: readonly Type[]): void {
  for (const type of once) expect(types.filter((each) => each === type)).toEqual([type]);
}

const raised: AppendFault = { kind: 'stored, error raised' };
const lost: AppendFault = { kind: 'not stored' };
const misread: AppendFault = { kind: 'stored, conflict told' };

const uncertainties = [
  { how: 'an error is raised once', fault: raised, count: 1 },
  { how: 'an error is raised at every try', fault: raised, count: 6 },
  { how: 'a conflict is told', fault: misread, count: 1 },
  { how: 'the first tries are lost', fault: lost, count: 3 },
] as const;

overEach((payWorld, guarantee) => {
  describe.each(uncertainties)('$how', ({ fault, count }) => {
    it('FW14 the plan with its dispatch → sent once', () =>
      inWorld(payWorld(), async (world) => {
        const process = await world.start();
        failAppends(process, 'ActionPlanned', fault, count);
        expect(await process.call(invoice, patient)).toMatchObject({ word: 'done' });
        expect(process.script.pending()).toBe(0);
        expect(await typesOf(world)).toEqual([
          'ActionPlanned',
          'ActionClaimed',
          'ActionDispatched',
          'ActionSucceeded',
        ]);
        expect(world.provider.arrivals).toHaveLength(1);
      }));

    it.each(['ActionClaimed', 'ActionDispatched'] as const)(
      'FW14 %s alone → no double claim',
      (type) =>
        inWorld(payWorld({}, { undoWindow: '1s' }), async (world) => {
          const process = await world.start();
          failAppends(process, type, fault, count);
          expect(await process.call(invoice, patient)).toMatchObject({ word: 'done' });
          expect(process.script.pending()).toBe(0);
          expectOnce(await typesOf(world), 'ActionClaimed', 'ActionDispatched', 'ActionSucceeded');
          expect(world.provider.arrivals).toHaveLength(1);
        }),
    );

    it('FW14 the outcome → no double outcome', () =>
      inWorld(payWorld(), async (world) => {
        const process = await world.start();
        failAppends(process, 'ActionSucceeded', fault, count);
        const answer = await process.call(invoice, patient);
        expect(answer.state === 'succeeded' || answer.word === 'in-progress').toBe(true);
        await world.advance(minute);
        expect(process.script.pending()).toBe(0);
        expect(await typesOf(world)).toEqual([
          'ActionPlanned',
          'ActionClaimed',
          'ActionDispatched',
          'ActionSucceeded',
        ]);
        expect(await process.call(invoice, laterCall)).toMatchObject({ word: 'already-done' });
      }));
  });

  it('FW14 the outcome is stored, and neither tries nor reads say so for a while → no double outcome, no evidence of its own', () =>
    inWorld(payWorld(), async (world) => {
      const process = await world.start();
      const failed = failAppends(process, 'ActionSucceeded', raised, 9);
      failReads(process, () => failed() > 0 && failed() < 9);
      // Who waits elsewhere than the one that records cannot read what became of it.
      const word = world.shape === 'services' ? 'checking' : 'in-progress';
      expect(await process.call(invoice, patient)).toMatchObject({ word });
      await world.advance(minute);
      expect(failed()).toBe(9);
      expect(await typesOf(world)).toEqual([
        'ActionPlanned',
        'ActionClaimed',
        'ActionDispatched',
        'ActionSucceeded',
      ]);
      expect(await process.call(invoice, laterCall)).toMatchObject({ word: 'already-done' });
    }));

  it('FW14 a claim that succeeds only after another has taken it → nothing is sent under it', () =>
    inWorld(payWorld({}, { undoWindow: '1s' }), async (world) => {
      const process = await world.start();
      let tell = (): void => undefined;
      const until = new Promise<void>((_, reject) => {
        tell = () => {
          reject(new StoreFault('store.unavailable', 'unsafe', 'no answer'));
        };
      });
      failAppends(process, 'ActionClaimed', { kind: 'answered late', until }, 1);
      void process.begin(invoice, firstCall);
      await world.advance(2 * second);
      expect((await world.actions())[0]?.status).toBe('claimed');
      const other = await world.start();
      expect(await other.call(invoice, patient)).toMatchObject({ state: 'succeeded' });
      tell();
      await world.advance(10 * minute);
      expect(world.provider.arrivals).toHaveLength(1);
      expect((await world.actions())[0]?.attempts).toHaveLength(1);
    }));

  it('FW14 a dispatch that is confirmed after its deadline → nothing is sent under it', () =>
    inWorld(payWorld(), async (world) => {
      const process = await world.start();
      let tell = (): void => undefined;
      const until = new Promise<void>((resolve) => {
        tell = resolve;
      });
      failAppends(process, dispatchingAppend(world), { kind: 'answered late', until }, 1);
      const answer = process.begin(invoice, { ...firstCall, waitMs: 10 * minute });
      await world.advance(times.timeout + second);
      tell();
      await world.time.settle();
      expect(world.provider.arrivals).toHaveLength(0);
      // It knows that it has sent nothing, so nothing is in doubt.
      expect(await world.during(answer)).toMatchObject({ word: 'done' });
      expect(world.provider.arrivals).toHaveLength(1);
      expect((await world.actions())[0]?.attempts).toHaveLength(2);
    }));

  it('FW14 a plan that nobody can confirm → the caller is told so, nothing is sent, and the plan is looked for', () =>
    inWorld(payWorld(), async (world) => {
      const process = await world.start();
      const failed = failAppends(process, 'ActionPlanned', raised, 6);
      let isTold = false;
      failReads(process, () => failed() > 0 && !isTold);
      const answer = await process.call(invoice, { ...firstCall, waitMs: second });
      // The first looks for it break as well.
      await world.advance(12 * second);
      isTold = true;
      expect(answer).toMatchObject({ word: 'checking', code: 'ledger.store-uncertain' });
      expect(answer.reason).toContain('nothing was sent by this call');
      expect(world.provider.arrivals).toHaveLength(0);
      await world.advance(10 * minute);
      const repeat = await process.call(invoice, patient);
      // A plan that holds no dispatch is sent once it is found; one that does is in doubt.
      const isInDoubt = world.shape === 'one ledger' && guarantee === 'manual';
      expect(repeat.state).toBe(isInDoubt ? 'unknown' : 'succeeded');
      expect(world.provider.effects()).toHaveLength(isInDoubt ? 0 : 1);
    }));

  it('FW14 a plan whose first try came to light after the last try was refused → never "nothing was recorded"', () =>
    inWorld(payWorld(), async (world) => {
      const process = await world.start();
      // As a failed sync leaves it: stored, or not, whoever asks; then the disk is full.
      const full = new StoreFault('store.disk-full', 'safe', 'the disk is full');
      failAppends(process, 'ActionPlanned', lost, 1);
      failAppends(process, 'ActionPlanned', { kind: 'not stored', fault: full }, 5);
      const answer = await process.call(invoice, { ...firstCall, waitMs: second });
      expect(answer).toMatchObject({ word: 'checking', code: 'ledger.store-uncertain' });
      expect(answer.reason).not.toContain('Nothing was recorded');
      await world.advance(minute);
      expect(world.provider.arrivals).toHaveLength(0);
    }));

  it('FW14 the end of a lost attempt, and what is sent again after it → once each', () =>
    inWorld(payWorld({ fault: onFirst(ackLost) }), async (world) => {
      const process = await world.start();
      for (const type of [
        'ActionOutcomeUnknown',
        'ActionReconciled',
        'ReconciliationChecked',
      ] as const)
        failAppends(process, type, raised, 6);
      const answer = await process.call(invoice, patient);
      expectOnce(await typesOf(world), 'ActionOutcomeUnknown');
      expect(answer.state).toBe(guarantee === 'manual' ? 'unknown' : 'succeeded');
      expect(world.provider.tally()).toMatchObject([{ effects: 1 }]);
    }));
});
