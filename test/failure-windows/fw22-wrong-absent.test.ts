// "Absent" was believed, rightly by every rule, and it was wrong: the old request lands after all.
import { expect, it } from '@jest/globals';
import { lateArrival, type SandboxProvider, type Webhook } from '@action-ledger/sandbox';
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
import { inWorld, openWorld, type Process, type World } from './world.ts';

/** Longer than the network was declared to keep a request. */
const tooLate = times.inFlight + times.settle + minute;

async function report(
  process: Process,
  actionId: string,
  provider: SandboxProvider,
): Promise<void> {
  const [effect] = provider.effects();
  await process.ledger.report(actionId, {
    source: 'webhook',
    claims: 'success',
    proven: true,
    externalId: effect?.id ?? '',
    data: effect?.result ?? null,
  });
}

async function expectLateSuccess(world: World, process: Process, actionId: string): Promise<void> {
  const action = await world.action(actionId);
  expect(action.status).toBe('succeeded');
  expect(action.outcome?.externalId).toBe(world.provider.effects()[0]?.id);
  expect(action.incidents).toMatchObject([{ owner: 'operator' }]);
  expect(process.notices.map(({ kind }) => kind)).toContain('incident');
  expect(await process.call(invoice, laterCall)).toMatchObject({ word: 'already-done' });
  await world.advance(aWhile);
  expect(world.provider.arrivals).toHaveLength(1);
}

overEach(
  (payWorld) => {
    it('FW22 a verdict `absent` was wrong and the old request lands → succeeded, incident, no further effect', () =>
      inWorld(
        payWorld({ fault: onFirst(lateArrival(tooLate)) }, { retry: { attempts: 1 } }),
        async (world) => {
          const process = await world.start();
          const answer = await process.call(invoice, {
            ...firstCall,
            waitMs: times.inFlight + times.settle + 10 * second,
          });
          expect(answer).toMatchObject({ word: 'failed-without-effect', state: 'failed' });
          await world.advance(tooLate);
          await report(process, answer.actionId ?? '', world.provider);
          await expectLateSuccess(world, process, answer.actionId ?? '');
        },
      ));

    it('FW22 it lands while the retry is held back → succeeded, incident, and the retry is not sent', () => {
      let isPaused = false;
      return inWorld(payWorld({ fault: onFirst(lateArrival(tooLate)) }), async (world) => {
        const process = await world.start({ isPaused: () => isPaused });
        const answer = await process.call(invoice, { ...firstCall, waitMs: second });
        isPaused = true;
        await world.advance(tooLate + minute);
        const actionId = answer.actionId ?? '';
        expect(await world.action(actionId)).toMatchObject({ status: 'ready', absentBefore: true });
        await report(process, actionId, world.provider);
        isPaused = false;
        await expectLateSuccess(world, process, actionId);
      });
    });

    it('FW22 it lands after the retry was sent → both effects are found, told, and owned', () => {
      const webhooks: Webhook[] = [];
      return expectTwoEffects(
        payWorld({
          fault: onFirst({ ...lateArrival(tooLate), echoAfterMs: [second] }),
          onWebhook: (webhook) => webhooks.push(webhook),
        }),
        webhooks,
      );
    });
  },
  ['lookup'],
);

/** The provider broke its declared bound: two effects there are, and none of them may be hidden. */
async function expectTwoEffects(
  options: Parameters<typeof inWorld>[0],
  webhooks: readonly Webhook[],
): Promise<void> {
  const world = await openWorld(options);
  try {
    const process = await world.start();
    const answer = await process.call(invoice, { ...firstCall, waitMs: hour });
    expect(answer).toMatchObject({ word: 'done' });
    await world.advance(tooLate);
    expect(world.provider.effects()).toHaveLength(2);
    const [webhook] = webhooks;
    const actionId = answer.actionId ?? '';
    await process.ledger.report(actionId, {
      source: 'webhook',
      claims: 'success',
      proven: true,
      externalId: webhook?.externalId ?? '',
    });
    const action = await world.action(actionId);
    expect(action.outcome?.externalId).toBe(answer.externalId);
    expect(action.duplicates).toHaveLength(1);
    expect(new Set(action.duplicates[0]?.externalIds)).toEqual(
      new Set(world.provider.effects().map(({ id }) => id)),
    );
    expect(action.incidents).toMatchObject([{ owner: 'operator' }]);
    await world.advance(aWhile);
    expect(world.provider.arrivals).toHaveLength(2);
  } finally {
    await world.close();
  }
}

overEach(
  (payWorld, guarantee) => {
    // Where there is a lookup, it is asked as soon as absence can be believed: before any person.
    it.each(guarantee === 'lookup' ? [true] : [false, true])(
      'FW22 an operator said `absent` (forced: %s) and was wrong → succeeded, incident, no further effect',
      (forced) =>
        inWorld(payWorld({ fault: onFirst(lateArrival(tooLate)) }), async (world) => {
          const process = await world.start();
          const answer = await process.call(invoice, { ...firstCall, waitMs: second });
          const actionId = answer.actionId ?? '';
          if (!forced) await world.advance(times.inFlight + times.settle + second);
          const { revision } = await world.action(actionId);
          const settled = await process.ledger.settle({
            actionId,
            by: 'olga',
            reason: 'not on the statement',
            revisionSeen: revision,
            verdict: 'absent',
            forced,
          });
          expect(settled).toMatchObject({ kind: 'done', action: { status: 'failed' } });
          await world.advance(tooLate);
          await report(process, actionId, world.provider);
          await expectLateSuccess(world, process, actionId);
        }),
    );
  },
  ['lookup', 'manual'],
);
