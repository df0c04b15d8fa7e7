// The first attempt is in doubt, and the second, sent under the same key, is refused. The refusal says
// nothing about the first.
import { expect, it } from '@jest/globals';
import { ackLost, declined, type Fault, reqLost } from '@action-ledger/sandbox';
import { aWhile, firstCall, hour, invoice, laterCall, minute, overEach, second } from './pay.ts';
import { inWorld, type World } from './world.ts';

function inTurn(...faults: readonly (Fault | undefined)[]): () => Fault | undefined {
  let requests = 0;
  return () => {
    requests += 1;
    return faults[Math.min(requests, faults.length) - 1];
  };
}

const patient = { ...firstCall, waitMs: 6 * hour };
/** The provider has forgotten the key, so that it refuses what it has done. */
const forgetful = () => ({});

async function typesOf(world: World): Promise<readonly string[]> {
  const [action] = await world.actions();
  return (await world.events(action?.id)).map(({ type }) => type);
}

overEach(
  (payWorld) => {
    it('FW21 first attempt in doubt, second attempt refused → not failed, not cancelled; a third finds out', () =>
      inWorld(
        payWorld({
          fault: inTurn(reqLost, declined('the account is locked'), undefined),
          behaviour: forgetful,
        }),
        async (world) => {
          const process = await world.start();
          const answer = await process.call(invoice, patient);
          expect(answer).toMatchObject({ word: 'done', state: 'succeeded' });
          expect(await typesOf(world)).toEqual([
            'ActionPlanned',
            'ActionClaimed',
            'ActionDispatched',
            'ActionOutcomeUnknown',
            'ActionClaimed',
            'ActionDispatched',
            'AttemptRefused',
            'ActionClaimed',
            'ActionDispatched',
            'ActionSucceeded',
          ]);
        },
      ));

    it('FW21 every later attempt is refused, though the first had its effect → unknown, with an operator', () =>
      inWorld(
        payWorld({ fault: inTurn(ackLost, declined('already closed')), behaviour: forgetful }),
        async (world) => {
          const process = await world.start();
          const answer = await process.call(invoice, patient);
          expect(answer).toMatchObject({ word: 'checking', state: 'unknown', owner: 'operator' });
          expect(await typesOf(world)).not.toContain('ActionFailed');
          expect(world.provider.effects()).toHaveLength(1);
          const { ledger } = process;
          const { revision, attempts } = await world.action(answer.actionId);
          expect(attempts.map(({ state }) => state)).toEqual([
            'in doubt',
            'no effect',
            'no effect',
            'no effect',
          ]);
          await ledger.settle({
            actionId: answer.actionId ?? '',
            by: 'olga',
            reason: 'on the statement',
            revisionSeen: revision,
            verdict: 'found',
            externalId: world.provider.effects()[0]?.id ?? '',
          });
          expect(await process.call(invoice, laterCall)).toMatchObject({ word: 'already-done' });
        },
      ));

    it('FW21 a cancel after the refusal → kept as a wish, not cancelled', () =>
      inWorld(
        payWorld({ fault: inTurn(ackLost, declined('already closed')), behaviour: forgetful }),
        async (world) => {
          const process = await world.start();
          const answer = await process.call(invoice, { ...firstCall, waitMs: second });
          await world.advance(2 * minute);
          const actionId = answer.actionId ?? '';
          const { revision } = await world.action(actionId);
          const wish = { by: 'ada', reason: 'a mistake', revisionSeen: revision };
          await process.ledger.cancel({ actionId, ...wish });
          expect((await world.action(actionId)).status).toBe('unknown');
          await world.advance(aWhile);
          expect(await world.action(actionId)).toMatchObject({
            status: 'unknown',
            watch: { owner: 'operator' },
          });
          expect(await typesOf(world)).not.toContain('ActionCancelled');
          expect(world.provider.effects()).toHaveLength(1);
        },
      ));

    it('FW21 killed after the refusal → still unknown for the next process', () =>
      inWorld(
        payWorld({ fault: inTurn(ackLost, declined('already closed')), behaviour: forgetful }),
        async (world) => {
          const process = await world.start({ diesAt: 'unknown recorded', nth: 2 });
          void process.begin(invoice, firstCall);
          await world.advance(5 * minute);
          expect(process.isDead()).toBe(true);
          await world.restart();
          await world.advance(2 * hour);
          const [action] = await world.actions();
          expect(action?.status).toBe('unknown');
          expect(action?.attempts[0]?.state).toBe('in doubt');
        },
      ));
  },
  ['idempotent', 'natural'],
);
