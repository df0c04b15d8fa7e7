// The effect is committed and its response does not arrive: the connection breaks, the provider is
// silent, or it answers with an error. What is not known is found out, and never guessed.
import { describe, expect, it } from '@jest/globals';
import {
  ackLost,
  errorAfterCommit,
  type Fault,
  storedError,
  timeout,
} from '@action-ledger/sandbox';
import {
  aWhile,
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
import { inWorld, type World } from './world.ts';

const patient = { ...firstCall, waitMs: hour };

/** What went out, as the provider saw it: monotonic ms of each request. */
function arrivals({ provider }: World): readonly number[] {
  return provider.arrivals.map(({ monoMs }) => monoMs);
}

const losses: readonly { readonly how: string; readonly fault: Fault }[] = [
  { how: 'the connection breaks', fault: ackLost },
  { how: 'no reply comes', fault: timeout({ commits: true }) },
  { how: 'the answer is a 500', fault: errorAfterCommit(500) },
  { how: 'the answer is a 503', fault: errorAfterCommit(503) },
];

overEach(
  (payWorld, guarantee) => {
    describe.each(losses)('$how', ({ fault }) => {
      it('FW03 effect committed, response dropped → found without a second effect', () =>
        inWorld(payWorld({ fault: onFirst(fault) }), async (world) => {
          const process = await world.start();
          const answer = await process.call(invoice, patient);
          expect(answer).toMatchObject({ word: 'done', state: 'succeeded', repeat: false });
          const repeat = await process.call(invoice, laterCall);
          expect(repeat).toMatchObject({
            word: 'already-done',
            result: answer.result,
            externalId: answer.externalId,
          });
          const values = new Set(world.provider.effects().map(({ id }) => id));
          expect([...values]).toEqual([answer.externalId]);
          // A lookup is no second request; a resend carries the same key.
          expect(world.provider.tally()).toMatchObject([
            { requests: guarantee === 'lookup' ? 1 : 2, effects: 1 },
          ]);
        }));
    });

    it('FW03 a caller that does not wait is told that it is being checked, and its repeat gets the outcome', () =>
      inWorld(
        payWorld({ fault: onFirst(ackLost), lookupFault: onFirst({ outage: true }) }),
        async (world) => {
          const process = await world.start();
          const answer = await process.call(invoice, { ...firstCall, waitMs: second });
          expect(answer).toMatchObject({ word: 'checking', state: 'unknown', owner: 'reconciler' });
          await world.advance(5 * minute);
          expect(await process.call(invoice, firstCall)).toMatchObject({ word: 'already-done' });
        },
      ));
  },
  ['idempotent', 'lookup', 'natural'],
);

overEach(
  (payWorld) => {
    it('FW03 a request that nobody answered is not sent again before it can have arrived', () =>
      inWorld(payWorld({ fault: onFirst(ackLost) }), async (world) => {
        const process = await world.start();
        await process.call(invoice, patient);
        const [first = 0, again = 0] = arrivals(world);
        expect(again - first).toBeGreaterThanOrEqual(times.inFlight);
      }));
  },
  ['idempotent', 'natural'],
);

overEach(
  (payWorld) => {
    it('FW03 a provider that repeats its stored error under our key → stays unknown, with an owner', () =>
      inWorld(payWorld({ fault: () => storedError }), async (world) => {
        const process = await world.start();
        const answer = await process.call(invoice, patient);
        expect(answer).toMatchObject({ word: 'checking', state: 'unknown', owner: 'operator' });
        const { attempts } = await world.action(answer.actionId);
        expect(attempts.length).toBeGreaterThan(1);
        expect(world.provider.tally()).toMatchObject([{ effects: 1 }]);
        expect(process.notices.map(({ kind }) => kind)).toContain('unknown escalated');
      }));
  },
  ['idempotent'],
);

overEach(
  (payWorld) => {
    describe.each(losses)('$how', ({ fault }) => {
      it('FW03 nothing to ask and no key to send again under → an operator, one effect, and their word', () =>
        inWorld(payWorld({ fault: onFirst(fault) }), async (world) => {
          const { ledger, call, notices } = await world.start();
          const answer = await call(invoice, { ...firstCall, waitMs: minute });
          expect(answer).toMatchObject({ word: 'checking', state: 'unknown', owner: 'operator' });
          expect(notices.map(({ kind }) => kind)).toEqual(['unknown escalated']);
          await world.advance(aWhile);
          expect(await call(invoice, laterCall)).toMatchObject({ word: 'checking' });
          expect(world.provider.tally()).toMatchObject([{ requests: 1, effects: 1 }]);
          const { revision } = await world.action(answer.actionId);
          const externalId = world.provider.effects()[0]?.id ?? '';
          await ledger.settle({
            actionId: answer.actionId ?? '',
            by: 'olga',
            reason: 'it is on the bank statement',
            revisionSeen: revision,
            verdict: 'found',
            externalId,
          });
          expect(await call(invoice, laterCall)).toMatchObject({
            word: 'already-done',
            externalId,
          });
          expect(world.provider.effects()).toHaveLength(1);
        }));
    });
  },
  ['manual'],
);
