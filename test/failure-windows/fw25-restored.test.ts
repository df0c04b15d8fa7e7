// FW25: the store is restored from yesterday's backup. Nothing runs until a person has confirmed it;
// then whatever may have been done in the lost time is in doubt, and has its one effect.
import { describe, expect, it } from '@jest/globals';
import { confirmRecovery, verifyLedger } from '@action-ledger/application';
import { type Guarantee } from '@action-ledger/domain';
import { type ProviderRequest } from '@action-ledger/sandbox';
import {
  aWhile,
  day,
  firstCall,
  hour,
  invoice,
  minute,
  overEach,
  type PayWorld,
  second,
  times,
} from './pay.ts';
import { sha256 } from './sha256.ts';
import {
  inWorld,
  openWorld,
  type Process,
  type StartOptions,
  type World,
  type WorldOptions,
} from './world.ts';

const of = (number: number) => ({ ...invoice, invoice: `2026-${number}` });
const callOf = (number: number) => ({ ...firstCall, call: `call_${number}` });
const person = { by: 'olga', reason: 'the bank statements agree' };

const confirm = (world: World, nothingLost = false) =>
  confirmRecovery(
    { store: world.store(), runtime: world.time, sha256 },
    { ...person, nothingLost },
  );

/** What the store has lost the provider still knows: of each action it has one effect at most. */
async function inLossyWorld(
  options: WorldOptions,
  test: (world: World) => Promise<void>,
): Promise<void> {
  const world = await openWorld(options);
  try {
    await test(world);
    await world.time.settle();
    expect(world.provider.tally().filter((tally) => tally.effects > 1)).toEqual([]);
    if (world.store().condition().kind === 'recovering') return;
    const { brokenInvariants } = await verifyLedger(world.store(), { sha256 });
    expect(brokenInvariants).toEqual([]);
  } finally {
    await world.close();
  }
}

const effects = ({ provider }: World): number =>
  provider.tally().reduce((sum, tally) => sum + tally.effects, 0);

/** One action in the backup, three more that are lost with the store. */
async function lostTime(world: World): Promise<Process> {
  const before = await world.start({ sweepMs: hour });
  await before.call(of(1), callOf(1));
  await world.advance(hour);
  await world.backup();
  for (const number of [2, 3, 4]) await before.call(of(number), callOf(number));
  await world.advance(hour);
  expect(effects(world)).toBe(4);
  await world.goBack();
  return before;
}

async function recovered(world: World, options: StartOptions = {}): Promise<Process> {
  await lostTime(world);
  await confirm(world);
  return world.start(options);
}

const whereManual = (guarantee: Guarantee, manual: string, others: string): string =>
  guarantee === 'manual' ? manual : others;

overEach((payWorld: PayWorld, guarantee) => {
  it('FW25 answers repeats of what it knows, and records and sends nothing new until a person confirms', () =>
    inLossyWorld(payWorld(), async (world) => {
      await lostTime(world);
      const process = await world.start({ sweepMs: hour });
      expect(await process.call(of(1), callOf(1))).toMatchObject({ word: 'already-done' });
      const answer = await process.call(of(2), callOf(2));
      expect(answer).toMatchObject({ word: 'checking', code: 'ledger.recovering' });
      await world.advance(day);
      expect(await world.actions()).toHaveLength(1);
      expect(effects(world)).toBe(4);
    }));

  it('FW25 tells nobody that nothing was done of what may have been sent in the lost time', () =>
    inLossyWorld(payWorld({}, { approval: { expiresAfter: '1h' } }), async (world) => {
      const before = await world.start({ sweepMs: hour });
      const { actionId = '' } = await before.call(of(1), { ...callOf(1), waitMs: 0 });
      await world.backup();
      const { revision, argumentsHash } = await world.action(actionId);
      const vote = { actionId, voter: 'ann', argumentsHash, revisionSeen: revision } as const;
      await before.ledger.vote({ ...vote, vote: 'approve' });
      await world.advance(minute);
      expect(effects(world)).toBe(1);
      await world.goBack();
      const { ledger } = await world.start({ sweepMs: minute });
      const asked = [
        await ledger.vote({ ...vote, vote: 'reject' }),
        await ledger.cancel({ ...person, actionId, revisionSeen: revision }),
      ];
      const refused = { kind: 'refusal', code: 'ledger.recovering' };
      expect(asked).toMatchObject([refused, refused]);
      // Nor does its time run out meanwhile.
      await world.advance(day);
      expect((await world.action(actionId)).revision).toBe(revision);
    }));

  it('FW25 has the effect of each action of the lost time once when its call is made again', () =>
    inWorld(payWorld(), async (world) => {
      const process = await recovered(world);
      await world.advance(aWhile);
      for (const number of [1, 2, 3, 4]) {
        const { actionId } = await process.call(of(number), callOf(number));
        await world.advance(aWhile);
        const { status, watch } = await world.action(actionId);
        expect(status).toBe(
          number === 1 ? 'succeeded' : whereManual(guarantee, 'unknown', 'succeeded'),
        );
        if (status === 'unknown') expect(watch?.owner).toBe('operator');
      }
      expect(await world.actions()).toHaveLength(4);
      expect(effects(world)).toBe(4);
      expect(world.provider.tally().map((tally) => tally.effects)).toEqual([1, 1, 1, 1]);
    }));

  it('FW25 says of what it finds that it was done earlier, and sends nothing', () =>
    inLossyWorld(payWorld(), async (world) => {
      if (guarantee !== 'lookup') return;
      const process = await recovered(world);
      const answer = await process.call(of(2), callOf(2));
      expect(answer).toMatchObject({ word: 'already-done', repeat: true, state: 'succeeded' });
      expect(world.provider.tally().map(({ requests }) => requests)).toEqual([1, 1, 1, 1]);
    }));

  it('FW25 does what is really new once, however it came into doubt', () =>
    inLossyWorld(payWorld(), async (world) => {
      const process = await recovered(world);
      await world.advance(aWhile);
      const { actionId } = await process.call(of(9), callOf(9));
      const action = await world.action(actionId);
      expect(action.status).toBe(whereManual(guarantee, 'unknown', 'succeeded'));
      expect(effects(world)).toBe(guarantee === 'manual' ? 4 : 5);
      if (guarantee !== 'manual') return;
      const settled = await process.ledger.settle({
        ...person,
        actionId: action.id,
        revisionSeen: action.revision,
        verdict: 'absent',
      });
      expect(settled).toMatchObject({ kind: 'done', action: { status: 'failed' } });
      const again = await process.call(of(9), { ...callOf(9), turn: '2' });
      expect(again).toMatchObject({ word: 'done', epoch: 1 });
      expect(effects(world)).toBe(5);
    }));

  it('FW25 waits for what may be under way when the process is new, and no longer than that', () =>
    inLossyWorld(payWorld(), async (world) => {
      const process = await recovered(world);
      const answered = process.begin(of(9), callOf(9));
      await world.advance(times.inFlight - second);
      expect(effects(world)).toBe(4);
      await world.advance(times.settle + 10 * second);
      await answered;
      expect(effects(world)).toBe(guarantee === 'manual' ? 4 : 5);
      const later = await process.call(of(8), { ...callOf(8), waitMs: second });
      expect(later.state).toBe(whereManual(guarantee, 'unknown', 'succeeded'));
    }));

  it('FW25 ends after the longest validity of a proposal, but not for what is known to be missing', () =>
    inLossyWorld(payWorld(), async (world) => {
      const before = await world.start({ sweepMs: hour });
      await before.call(of(1), callOf(1));
      await world.backup();
      const { actionId: lost = '' } = await before.call(of(2), callOf(2));
      await world.goBack();
      await confirmRecovery(
        { store: world.store(), runtime: world.time, sha256 },
        { ...person, lost: [lost] },
      );
      await world.advance(day);
      const process = await world.start({ sweepMs: hour });
      const { actionId } = await process.call(of(9), callOf(9));
      expect(await world.action(actionId)).toMatchObject({
        status: 'succeeded',
        attempts: [{ attempt: 1 }],
      });
      expect((await world.action(actionId)).attempts[0]).not.toHaveProperty('presumed');
      await process.call(of(2), callOf(2));
      expect((await world.action(lost)).attempts[0]).toHaveProperty('presumed', 'recovery-0');
    }));

  it('FW25 holds across a restart within that time', () =>
    inLossyWorld(payWorld(), async (world) => {
      await recovered(world, { sweepMs: hour });
      await world.advance(day - minute);
      const process = await world.restart();
      const { actionId } = await process.call(of(2), callOf(2));
      expect((await world.action(actionId)).attempts[0]).toHaveProperty('presumed', 'recovery-0');
      await world.advance(aWhile);
      expect(effects(world)).toBe(4);
    }));

  it('FW25 takes what was waiting for a vote when the record ended for sent after it', () =>
    inWorld(payWorld({}, { approval: true }), async (world) => {
      const before = await world.start();
      const { actionId = '' } = await before.call(of(1), callOf(1));
      const { argumentsHash } = await world.action(actionId);
      await world.backup();
      const vote = { actionId, argumentsHash, voter: 'olga', vote: 'approve' } as const;
      await before.ledger.vote(vote);
      await world.advance(aWhile);
      expect(effects(world)).toBe(1);
      await world.goBack();
      expect(await world.action(actionId)).toMatchObject({ status: 'awaiting_approval' });
      await confirm(world);
      const process = await world.start();
      expect(await process.ledger.vote(vote)).toMatchObject({ kind: 'refusal' });
      await world.advance(aWhile);
      expect(effects(world)).toBe(1);
      const { status, watch } = await world.action(actionId);
      expect([status, watch?.owner]).toEqual(
        guarantee === 'lookup' ? ['succeeded', undefined] : ['unknown', 'operator'],
      );
    }));

  it('FW25 asks for no doubt where a person knows that nothing is lost', () =>
    inLossyWorld(payWorld(), async (world) => {
      const before = await world.start();
      await before.call(of(1), callOf(1));
      await world.backup();
      await before.call(of(2), callOf(2));
      await world.goBack();
      await confirm(world, true);
      const process = await world.start();
      expect(await process.call(of(3), callOf(3))).toMatchObject({ word: 'done' });
    }));

  it('FW25 puts the recovery on record with its author, in a stream of its own', () =>
    inLossyWorld(payWorld(), async (world) => {
      await lostTime(world);
      const confirmed = await confirm(world);
      expect(confirmed).toMatchObject({ recovery: 'recovery-0' });
      const [event] = await world.store().readStream('recovery-0');
      expect(event?.type).toBe('RecoveryConfirmed');
      expect(JSON.parse(event?.data ?? '')).toMatchObject(person);
      expect(JSON.parse(event?.metadata ?? '')).toMatchObject({ by: 'olga' });
      expect(world.store().condition()).toEqual({ kind: 'ready' });
      expect(await confirm(world)).toBeUndefined();
      await world.goBack();
      expect(await confirm(world)).toMatchObject({ recovery: 'recovery-0' });
    }));
});

describe('the key window', () => {
  overEach(
    (payWorld: PayWorld) => {
      const old = async (world: World, backupAge: number): Promise<Process> => {
        const before = await world.start({ sweepMs: hour });
        await before.call(of(1), callOf(1));
        await world.backup();
        await before.call(of(2), callOf(2));
        await world.advance(backupAge);
        await world.goBack();
        await confirm(world);
        return world.start({ sweepMs: hour });
      };
      // It ends early by the in-flight bound and the margin for clocks that differ.
      const window = times.keyWindow - times.inFlight - 5 * minute;

      it('FW25 is counted from the end of the record: inside it the same key is sent again', () =>
        inWorld(payWorld(), async (world) => {
          const process = await old(world, window - aWhile);
          const { actionId } = await process.call(of(2), callOf(2));
          await world.advance(2 * minute);
          expect(await world.action(actionId)).toMatchObject({ status: 'succeeded' });
          expect(effects(world)).toBe(2);
        }));

      it('FW25 is over for a backup of yesterday: a person is asked, and nothing is sent', () =>
        inWorld(payWorld(), async (world) => {
          const process = await old(world, window);
          const answer = await process.call(of(2), callOf(2));
          expect(answer).toMatchObject({ word: 'checking', owner: 'operator' });
          await world.advance(day);
          expect(world.provider.tally().map(({ requests }) => requests)).toEqual([1, 1]);
        }));
    },
    ['idempotent'],
  );
});

describe('absolute writes', () => {
  overEach(
    (payWorld: PayWorld) => {
      it('FW25 of the lost time end in the last value when their calls are made again in order', () =>
        inWorld(payWorld(), async (world) => {
          const values = [100, 200, 300];
          const set = async (process: Process): Promise<void> => {
            for (const [index, cents] of values.entries())
              await process.begin(
                { ...invoice, cents },
                { ...firstCall, turn: `${index}`, waitMs: 0 },
              );
          };
          const before = await world.start();
          await before.call(of(1), callOf(1));
          await world.backup();
          await set(before);
          await world.advance(hour);
          await world.goBack();
          await confirm(world);
          await set(await world.start());
          await world.advance(hour);
          const entity = JSON.stringify(invoice.invoice);
          expect(world.provider.endState('acme', 'pay', entity)?.arguments).toMatchObject({
            cents: 300,
          });
          const actions = await world.actions();
          expect(
            actions.map(({ status }) => status).filter((status) => status === 'unknown'),
          ).toEqual([]);
        }));

      it('FW25 are sent only when no earlier one can land after them', () => {
        const isLate = ({ arguments: { cents } }: ProviderRequest): boolean => cents === 100;
        const fault = (request: ProviderRequest) =>
          isLate(request) ? { arriveAfterMs: 20 * second } : undefined;
        return inLossyWorld(payWorld({ fault }), async (world) => {
          const process = await recovered(world);
          await world.advance(aWhile);
          for (const [turn, cents] of [100, 200].entries()) {
            const call = { ...firstCall, turn: `${turn}`, waitMs: 0 };
            await process.begin({ ...invoice, cents }, call);
            await world.advance(second);
          }
          await world.advance(aWhile);
          const written = world.provider.endState('acme', 'pay', JSON.stringify(invoice.invoice));
          expect(written?.arguments).toMatchObject({ cents: 200 });
        });
      });
    },
    ['natural'],
  );
});
