// FW10: what undoes a step times out after it took effect. It is not done twice, whatever its guarantee;
// and one that fails for good has an owner and a next check.
import { describe, expect, it } from '@jest/globals';
import { type WritePoint } from '@action-ledger/client';
import { type Guarantee } from '@action-ledger/domain';
import { declined, type Fault, reqLost, timeout } from '@action-ledger/sandbox';
import { hour, minute, times } from './pay.ts';
import {
  bookTool,
  cancelTool,
  done,
  expectUndoneInReverse,
  parts,
  runTrip,
  trip,
  tripWorld,
  untilDeath,
  workflowOf,
} from './trip.ts';
import { adapters, guarantees, inWorld, type WorldOptions } from './world.ts';

const deaths: readonly WritePoint[] = [
  'compensation planned',
  'compensation created',
  'unknown recorded',
  'looked up',
  'reconciled',
  'compensation recorded',
];

type OnRequest = (request: {
  readonly tool: string;
  readonly attempt: number;
}) => Fault | undefined;

const offers: Readonly<Record<Guarantee, object>> = {
  idempotent: { keyWindow: '24h', lookup: undefined },
  lookup: {},
  natural: { identity: ['reservation'], lookup: undefined },
  manual: { lookup: undefined },
};

/** Flight and hotel are booked; there are no cars. `fault`: what else goes wrong. */
function world(
  store: (typeof adapters)[number],
  fault: OnRequest,
  guarantee: Guarantee = 'lookup',
): WorldOptions {
  const more = { guarantee, ...offers[guarantee] };
  return tripWorld(store, {
    tools: (port) => parts.flatMap((part) => [bookTool(port, part), cancelTool(port, part, more)]),
    behaviour: (tool) => {
      if (!tool.startsWith('cancel_')) return {};
      if (guarantee === 'idempotent') return { keyWindowMs: times.keyWindow };
      return guarantee === 'natural' ? { entity: (args) => JSON.stringify(args) } : {};
    },
    fault: (request) => (request.tool === 'book_car' ? declined('no cars') : fault(request)),
  });
}

const patient = { ...trip, waitMs: 2 * hour };
const timesOut: OnRequest = ({ tool, attempt }) =>
  tool === 'cancel_hotel' && attempt === 1 ? timeout({ commits: true }) : undefined;

describe.each(adapters)('over %s', (store) => {
  it.each(guarantees)(
    'FW10 a %s compensation times out after taking effect → not compensated twice',
    (guarantee) =>
      inWorld(world(store, timesOut, guarantee), async (opened) => {
        const { ledger } = await opened.start();
        const outcome = await runTrip(opened, ledger, undefined, patient);
        const { steps } = await workflowOf(opened);
        if (guarantee === 'manual') {
          // Nobody can ask: it stays being undone, and a person looks after what undoes it.
          expect(outcome).toMatchObject({ status: 'compensating', word: 'in-progress' });
          const [unknown] = ledger.list({ status: 'unknown', limit: 1 });
          expect(unknown).toMatchObject({ owner: 'operator', tool: 'cancel_hotel' });
          expect(await opened.action(steps[1]?.settled?.action)).toMatchObject({
            status: 'compensating',
          });
          const { revision } = await opened.action(unknown?.action);
          const settling = {
            actionId: unknown?.action ?? '',
            by: 'olga',
            reason: 'the hotel says so',
          };
          await ledger.settle({ ...settling, verdict: 'found', revisionSeen: revision });
          await opened.advance(minute);
        } else expect(outcome).toMatchObject({ status: 'compensated' });
        expectUndoneInReverse(opened, ['flight', 'hotel']);
        expect(await workflowOf(opened)).toMatchObject({ status: 'compensated' });
      }),
  );

  it.each(deaths)(
    'FW10 killed at "%s" with the compensation done and in doubt → not compensated twice',
    (diesAt) =>
      inWorld(world(store, timesOut), async (opened) => {
        await untilDeath(opened, await opened.start({ diesAt }));
        await opened.restart();
        await opened.advance(10 * minute);
        expectUndoneInReverse(opened, ['flight', 'hotel']);
        expect(await workflowOf(opened)).toMatchObject({ status: 'compensated' });
      }),
  );

  it('FW10 a compensation that never arrived → sent again once that is certain, done once', () =>
    inWorld(
      world(store, ({ tool, attempt }) =>
        tool === 'cancel_hotel' && attempt === 1 ? reqLost : undefined,
      ),
      async (opened) => {
        const { ledger } = await opened.start();
        expect(await runTrip(opened, ledger, undefined, patient)).toMatchObject({
          status: 'compensated',
        });
        expectUndoneInReverse(opened, ['flight', 'hotel']);
      },
    ));

  it('FW10 a compensation fails for good → it stops there, with an owner and a next check; a person tries again', () => {
    let refusing = true;
    const fault: OnRequest = ({ tool }) =>
      tool === 'cancel_hotel' && refusing ? declined('not refundable') : undefined;
    return inWorld(world(store, fault), async (opened) => {
      const process = await opened.start();
      const { ledger } = process;
      const outcome = await runTrip(opened, ledger, undefined, patient);
      expect(outcome).toMatchObject({
        status: 'compensation_failed',
        word: 'checking',
        owner: 'operator',
        standing: [
          { step: 'book hotel', why: 'failed: not refundable' },
          { step: 'book flight', why: 'held back: the compensation of a later step failed' },
        ],
      });
      expect((outcome.nextCheckAt ?? 0) > opened.time.clock.wallMs()).toBe(true);
      expect(done(opened)).toEqual(['book_flight', 'book_hotel']);
      const stuck = await workflowOf(opened);
      expect(await opened.action(stuck.steps[1]?.settled?.action)).toMatchObject({
        status: 'compensation_failed',
        watch: { owner: 'operator' },
      });
      await opened.advance(25 * hour);
      expect(process.notices.filter(({ kind }) => kind === 'workflow needs a person')).toHaveLength(
        2,
      );
      refusing = false;
      const stale = { by: 'olga', reason: 'the hotel agrees now', revisionSeen: stuck.revision };
      expect(await ledger.workflows.compensate('trip-7', stale)).toMatchObject({
        code: 'workflow.stale-revision',
      });
      const { revision } = await workflowOf(opened);
      expect(
        await ledger.workflows.compensate('trip-7', { ...stale, revisionSeen: revision }),
      ).toMatchObject({ status: 'compensating' });
      await opened.advance(minute);
      expect(await workflowOf(opened)).toMatchObject({ status: 'compensated', standing: [] });
      expectUndoneInReverse(opened, ['flight', 'hotel']);
      const { steps } = await workflowOf(opened);
      const undo = await opened.action(steps[1]?.compensated?.by);
      expect(undo).toMatchObject({ epoch: 1, status: 'succeeded' });
    });
  });

  it('FW10 a compensation fails for good, and the others are to go on → they do, the failed one has an owner', () =>
    inWorld(
      world(store, ({ tool }) =>
        tool === 'cancel_hotel' ? declined('not refundable') : undefined,
      ),
      async (opened) => {
        const { ledger } = await opened.start();
        const outcome = await runTrip(opened, ledger, undefined, {
          ...patient,
          onFailedCompensation: 'go on',
        });
        expect(outcome).toMatchObject({
          status: 'compensation_failed',
          standing: [{ step: 'book hotel', why: 'failed: not refundable' }],
          owner: 'operator',
        });
        expect(done(opened)).toEqual(['book_flight', 'book_hotel', 'cancel_flight']);
      },
    ));

  it('FW10 what was recorded as failed turns out done → compensated late, and the rest goes on', () => {
    const fault: OnRequest = ({ tool }) =>
      tool === 'cancel_hotel' ? { reply: { status: 422, error: 'not refundable' } } : undefined;
    return inWorld(world(store, fault), async (opened) => {
      const { ledger } = await opened.start();
      await runTrip(opened, ledger, undefined, patient);
      const { steps } = await workflowOf(opened);
      const undoId = steps[1]?.compensated?.by ?? '';
      await ledger.report(undoId, { source: 'the hotel', claims: 'success', proven: true });
      await opened.advance(minute);
      expect(await workflowOf(opened)).toMatchObject({ status: 'compensated', standing: [] });
      expect(done(opened).filter((tool) => tool === 'cancel_flight')).toHaveLength(1);
    });
  });
});
