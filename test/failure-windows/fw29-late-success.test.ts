// An action ended without effect, as far as anybody knew; the next epoch was opened for it; then it turns
// out that the first one had its effect.
import { expect, it } from '@jest/globals';
import { type Fault } from '@action-ledger/sandbox';
import { type JsonObject } from '@action-ledger/domain';
import { aWhile, firstCall, invoice, laterCall, minute, overEach, second } from './pay.ts';
import { inWorld, type Process, type World } from './world.ts';

/** The provider acts and says that it has not. */
const lie: Fault = { reply: { status: 422, error: 'the account is locked' } };
/** Nothing is done, and it says so. */
const refusal: Fault = { instead: { status: 422, error: 'the account is locked' } };
const thirdCall = { ...laterCall, turn: '3', call: 'call_3' };

/** Larger payments need a person; the first one of these is small. */
const asks = { approval: { when: ({ note }: { readonly note?: string }) => note === 'ask' } };
const asked = { ...invoice, note: 'ask' };

function inTurn(...faults: readonly (Fault | undefined)[]): () => Fault | undefined {
  let requests = 0;
  return () => {
    requests += 1;
    return faults[requests - 1];
  };
}

async function fail(
  process: Process,
  call = firstCall,
  args: JsonObject = invoice,
): Promise<string> {
  const answer = await process.call(args, call);
  expect(answer).toMatchObject({ word: 'failed-without-effect', state: 'failed' });
  return answer.actionId ?? '';
}

async function reportSuccess(world: World, process: Process, actionId: string): Promise<void> {
  const action = await world.action(actionId);
  const effect = world.provider.ofKey('acme', action.downstreamKey ?? '')[0];
  await process.ledger.report(actionId, {
    source: 'webhook',
    claims: 'success',
    proven: true,
    externalId: effect?.id ?? '',
    data: effect?.result ?? null,
  });
}

async function approve(world: World, process: Process, actionId: string): Promise<unknown> {
  const { argumentsHash } = await world.action(actionId);
  return process.ledger.vote({ actionId, voter: 'olga', vote: 'approve', argumentsHash });
}

overEach(
  (payWorld) => {
    it('FW29 an ending without effect turns out a success while the next epoch waits for approval → the next epoch is cancelled with that outcome', () =>
      inWorld(payWorld({ fault: inTurn(lie) }, asks), async (world) => {
        const process = await world.start();
        const first = await fail(process);
        const waiting = await process.call(asked, { ...laterCall, by: 'ada' });
        expect(waiting).toMatchObject({ word: 'waiting-for-approval', epoch: 1 });
        await reportSuccess(world, process, first);
        expect(await world.action(first)).toMatchObject({
          status: 'succeeded',
          incidents: [{ owner: 'operator' }],
        });
        expect(await world.action(waiting.actionId)).toMatchObject({
          status: 'cancelled',
          supersededBy: first,
        });
        expect(await approve(world, process, waiting.actionId ?? '')).toMatchObject({
          kind: 'refusal',
          code: 'action.approval-decided',
        });
        for (const call of [firstCall, laterCall, thirdCall]) {
          const answer = await process.call(asked, call);
          expect(answer).toMatchObject({ word: 'already-done', actionId: first, epoch: 0 });
        }
        await world.advance(aWhile);
        expect(world.provider.arrivals).toHaveLength(1);
      }));

    it('FW29 it is told while nobody serves the store, and the next process is asked to approve → the same', () =>
      inWorld(payWorld({ fault: inTurn(lie) }, asks), async (world) => {
        const process = await world.start();
        const first = await fail(process);
        const waiting = await process.call(asked, { ...laterCall, by: 'ada' });
        // The success is recorded, and the process dies before it has looked at the next epoch.
        for (let n = 0; n < 9; n += 1)
          process.script.onAppend(
            { kind: 'not stored' },
            ({ events }) => events[0]?.type === 'ActionCancelled',
          );
        const reported = reportSuccess(world, process, first);
        await world.advance(100);
        process.die();
        void reported.catch(() => undefined);
        expect((await world.action(first)).status).toBe('succeeded');
        const next = await world.restart();
        await approve(world, next, waiting.actionId ?? '');
        await world.advance(minute);
        expect(await world.action(waiting.actionId)).toMatchObject({
          status: 'cancelled',
          supersededBy: first,
        });
        expect(await next.call(asked, laterCall)).toMatchObject({ word: 'already-done', epoch: 0 });
        expect(world.provider.arrivals).toHaveLength(1);
      }));

    it('FW29 two epochs have ended since, and a third one waits → it is cancelled with that outcome', () =>
      inWorld(payWorld({ fault: inTurn(lie, refusal) }, asks), async (world) => {
        const process = await world.start();
        const first = await fail(process);
        await fail(process, laterCall);
        const waiting = await process.call(asked, { ...thirdCall, by: 'ada' });
        expect(waiting).toMatchObject({ word: 'waiting-for-approval', epoch: 2 });
        await reportSuccess(world, process, first);
        await approve(world, process, waiting.actionId ?? '');
        await world.advance(minute);
        expect(await world.action(waiting.actionId)).toMatchObject({
          status: 'cancelled',
          supersededBy: first,
        });
        expect(world.provider.effects()).toHaveLength(1);
        expect(world.provider.arrivals).toHaveLength(2);
      }));

    it('FW29 it is told between the dispatch of the next epoch and its send → nothing is sent', () => {
      let wake = (): void => undefined;
      let dispatches = 0;
      const until = new Promise<void>((resolve) => {
        wake = resolve;
      });
      const onPoint = (point: string): Promise<void> | undefined => {
        if (point !== 'dispatched') return undefined;
        dispatches += 1;
        return dispatches === 2 ? until : undefined;
      };
      return inWorld(payWorld({ fault: inTurn(lie) }), async (world) => {
        const process = await world.start({ onPoint });
        const first = await fail(process);
        const answer = process.begin(invoice, laterCall);
        await world.advance(second);
        await reportSuccess(world, process, first);
        wake();
        expect(await world.during(answer)).toMatchObject({ word: 'already-done', epoch: 0 });
        await world.advance(aWhile);
        expect(world.provider.arrivals).toHaveLength(1);
      });
    });

    it('FW29 the epoch before cannot be read between dispatch and send → not sent, and done when it can', () => {
      let dispatches = 0;
      return inWorld(payWorld({ fault: inTurn(refusal) }), async (world) => {
        const process = await world.start({
          onPoint: (point) => {
            if (point !== 'dispatched') return;
            dispatches += 1;
            if (dispatches === 2) process.script.onRead();
          },
        });
        await fail(process);
        const answer = await process.call(invoice, laterCall);
        expect(answer).toMatchObject({ word: 'done', epoch: 1 });
        expect((await world.action(answer.actionId)).attempts).toMatchObject([
          { state: 'no effect' },
          { state: 'succeeded' },
        ]);
        expect(world.provider.arrivals).toHaveLength(2);
      });
    });

    it('FW29 it is told between the second dispatch and its send, two epochs later → nothing is sent', () => {
      let wake = (): void => undefined;
      let dispatches = 0;
      const until = new Promise<void>((resolve) => {
        wake = resolve;
      });
      const onPoint = (point: string): Promise<void> | undefined => {
        if (point !== 'dispatched') return undefined;
        dispatches += 1;
        return dispatches === 3 ? until : undefined;
      };
      return inWorld(payWorld({ fault: inTurn(lie, refusal) }), async (world) => {
        const process = await world.start({ onPoint });
        const first = await fail(process);
        await fail(process, laterCall);
        const answer = process.begin(invoice, thirdCall);
        await world.advance(second);
        await reportSuccess(world, process, first);
        wake();
        await world.during(answer);
        await world.advance(aWhile);
        expect(world.provider.effects()).toHaveLength(1);
      });
    });
  },
  ['idempotent', 'lookup', 'manual'],
);

overEach(
  (payWorld) => {
    it('FW29 it is told after the next epoch was sent → both effects are on record, with an owner', () =>
      inWorld(payWorld({ fault: inTurn(lie) }), async (world) => {
        const process = await world.start();
        const first = await fail(process);
        const again = await process.call(invoice, laterCall);
        expect(again).toMatchObject({ word: 'done', epoch: 1 });
        await reportSuccess(world, process, first);
        const action = await world.action(first);
        expect(action).toMatchObject({
          status: 'succeeded',
          duplicates: [{ other: again.actionId }],
        });
        expect(action.incidents.every(({ owner }) => owner === 'operator')).toBe(true);
        expect(process.notices.map(({ kind }) => kind)).toContain('incident');
        await world.advance(aWhile);
        expect(world.provider.arrivals).toHaveLength(2);
      }));
  },
  ['idempotent', 'lookup', 'manual'],
);

overEach(
  (payWorld) => {
    it('FW29 an absolute write: a newer value that waits is not given up for an older success', () =>
      inWorld(payWorld({ fault: inTurn(lie) }, asks), async (world) => {
        const process = await world.start();
        const first = await fail(process);
        const newer = { ...asked, cents: 50_000 };
        const waiting = await process.call(newer, { ...laterCall, by: 'ada' });
        expect(waiting).toMatchObject({ word: 'waiting-for-approval', epoch: 1 });
        await reportSuccess(world, process, first);
        await approve(world, process, waiting.actionId ?? '');
        await world.advance(minute);
        expect(await process.call(newer, laterCall)).toMatchObject({
          word: 'already-done',
          epoch: 1,
        });
        const { arguments: now } = world.provider.effects().at(-1) ?? { arguments: {} };
        expect(now).toMatchObject({ cents: 50_000 });
      }));
  },
  ['natural'],
);
