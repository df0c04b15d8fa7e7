// What a provider says by itself, before or after its reply: it is matched by the key or the id that it
// bears, waits where the ledger does not know that yet, and never makes a second effect or result.
import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { createLedger, type EvidenceRequest } from '@action-ledger/client';
import { createMemoryEventStore, StoreFault } from '@action-ledger/event-store';
import { type ProviderPort, ackLost, type Webhook } from '@action-ledger/sandbox';
import { createVirtualRuntime } from '@action-ledger/testkit';
import { type ToolDefinition } from '@action-ledger/tools';
import {
  call,
  day,
  effects,
  hour,
  inCase,
  overStores,
  second,
  type World,
  writeTool,
} from './case.ts';

const input = z.object({ charge: z.string(), amount: z.int() });
type Args = z.output<typeof input>;
const args = { charge: 'c-1', amount: 500 };
const refund =
  (more: Partial<ToolDefinition<Args>> = {}) =>
  (port: ProviderPort) => [writeTool<Args>(port, { name: 'refund', input, ...more })];

const byId = (echo: Webhook): Omit<EvidenceRequest, 'tenant'> => ({
  tool: 'refund',
  source: 'webhook',
  claims: 'success',
  proven: true,
  externalId: echo.externalId,
  data: echo.result,
});
const byKey = (echo: Webhook): Omit<EvidenceRequest, 'tenant'> => ({
  ...byId(echo),
  downstreamKey: echo.key,
});

async function echoesOf(world: World, echoes: Webhook[], ms: number): Promise<readonly Webhook[]> {
  await world.advance(ms);
  return echoes.splice(0);
}

overStores((store) => {
  describe('F094 own echo arrives first, by the id of the provider alone', () => {
    const slowReply = (echoes: Webhook[]) => ({
      store,
      onWebhook: (webhook: Webhook) => echoes.push(webhook),
      fault: () => ({ replyAfterMs: 900, echoAfterMs: [50] }),
    });

    it('waits until the reply brings the id: one refund each of two parts, one report each', () => {
      const echoes: Webhook[] = [];
      return inCase(
        refund(),
        async (world) => {
          const { ledger, begin } = await world.start();
          const answers = [100, 400].map((amount) =>
            begin({ ...args, amount }, call(`call_${amount}`)),
          );
          const early = await echoesOf(world, echoes, 100);
          expect(early).toHaveLength(2);
          for (const echo of [...early, ...early])
            expect((await ledger.reportAbout(byId(echo))).kind).toBe('waits');
          expect(ledger.waitingReports()).toHaveLength(2);
          const refunds = await world.during(Promise.all(answers));
          await world.advance(second);
          expect(ledger.waitingReports()).toEqual([]);
          expect(ledger.gauges().reportsWaiting).toBe(0);
          for (const { actionId, externalId } of refunds) {
            const action = await world.action(actionId);
            expect(action).toMatchObject({ status: 'succeeded', duplicates: [], incidents: [] });
            expect(action.evidence.map((each) => each.externalId)).toEqual([externalId]);
          }
          expect(effects(world)).toBe(2);
        },
        slowReply(echoes),
      );
    });

    it('waits over restarts, until a lookup has found the id', () => {
      const echoes: Webhook[] = [];
      return inCase(
        refund(),
        async (world) => {
          const first = await world.start({ diesAt: 'replied' });
          void first.begin(args, call());
          const [echo] = await echoesOf(world, echoes, second);
          if (echo === undefined) throw new Error('the provider has echoed');
          const told = { ...byId(echo), id: 'evt-1' };
          const next = await world.restart();
          expect((await next.ledger.reportAbout(told)).kind).toBe('waits');
          const third = await world.restart();
          // Delivered once more, to a process that has only read of it.
          expect((await third.ledger.reportAbout(told)).kind).toBe('waits');
          expect(third.ledger.waitingReports()).toMatchObject([{ request: told }]);
          await world.advance(hour);
          expect(third.ledger.waitingReports()).toEqual([]);
          const fourth = await world.restart();
          expect(fourth.ledger.waitingReports()).toEqual([]);
          expect((await fourth.ledger.reportAbout(told)).kind).toBe('done');
          const [action] = await world.actions();
          expect(action).toMatchObject({ status: 'succeeded', duplicates: [], incidents: [] });
          expect(action?.evidence).toMatchObject([{ id: 'evt-1', externalId: echo.externalId }]);
          expect(effects(world)).toBe(1);
        },
        {
          store,
          onWebhook: (webhook) => echoes.push(webhook),
          fault: () => ({ echoAfterMs: [50] }),
        },
      );
    });

    it('settles what is in doubt, by the key that was sent, after a restart', () => {
      const echoes: Webhook[] = [];
      return inCase(
        refund({ guarantee: 'manual' }),
        async (world) => {
          const first = await world.start({ diesAt: 'replied' });
          void first.begin(args, call());
          const [echo] = await echoesOf(world, echoes, second);
          if (echo === undefined) throw new Error('the provider has echoed');
          const { ledger } = await world.restart();
          for (const named of [{ downstreamKey: echo.key }, { reference: echo.key }])
            expect((await ledger.reportAbout({ ...byId(echo), ...named })).kind).toBe('done');
          await world.advance(hour);
          const [action] = await world.actions();
          expect(action).toMatchObject({
            status: 'succeeded',
            outcome: { externalId: echo.externalId, result: echo.result },
          });
          expect(action?.evidence).toHaveLength(1);
          // Of another effect: the result stays, and people are told.
          await ledger.reportAbout({ ...byId(echo), ...byKey(echo), externalId: 'another' });
          const [after] = await world.actions();
          expect(after).toMatchObject({
            outcome: { externalId: echo.externalId },
            duplicates: [{ externalIds: [echo.externalId, 'another'] }],
          });
        },
        {
          store,
          onWebhook: (webhook) => echoes.push(webhook),
          fault: () => ({ echoAfterMs: [50] }),
        },
      );
    });
  });

  it('F094 what no action ever comes to bear is given up after seven days', () =>
    inCase(
      refund(),
      async (world) => {
        const { ledger } = await world.start({ sweepMs: day });
        const report = { source: 'webhook', claims: 'note', proven: false } as const;
        await ledger.reportAbout({ ...report, downstreamKey: 'of nobody' });
        await world.advance(6 * day);
        await ledger.reportAbout({ ...report, reference: 'of nobody either' });
        expect(ledger.waitingReports()).toHaveLength(2);
        await world.advance(2 * day);
        expect(ledger.waitingReports()).toHaveLength(1);
        const next = await world.restart({ sweepMs: day });
        expect(next.ledger.waitingReports()).toMatchObject([
          { request: { reference: 'of nobody either' } },
        ]);
      },
      { store },
    ));
});

describe('reports', () => {
  const report = { source: 'webhook', claims: 'success', proven: true } as const;

  it('are not matched across tenants, and prove nothing with the id of another action', () =>
    inCase(refund(), async (world) => {
      const { ledger, ...process } = await world.start();
      const one = await process.call(args, call('c-1'));
      const { downstreamKey = '', outcome } = await world.action(one.actionId);
      const id = { tool: 'refund', externalId: outcome?.externalId ?? '' };
      for (const named of [{ downstreamKey }, { reference: downstreamKey, tool: 'refund' }, id])
        expect((await ledger.reportAbout({ ...report, ...named, tenant: 'other' })).kind).toBe(
          'waits',
        );
      const theirs = { ...report, action: one.actionId ?? '', tenant: 'other' };
      expect(await ledger.reportAbout(theirs)).toMatchObject({ code: 'action.unknown' });
      const two = await process.call({ ...args, amount: 1 }, call('c-2'));
      const both = { ...report, ...id, action: two.actionId ?? '' };
      expect(await ledger.reportAbout(both)).toMatchObject({ code: 'evidence.other-action' });
      expect(await ledger.report(two.actionId ?? '', { ...report, ...id })).toMatchObject({
        kind: 'done',
        events: [{ type: 'EvidenceRecorded', data: { claims: 'note' } }],
      });
    }));

  it('with one id about two actions at once are a proof of the first alone', () =>
    inCase(
      refund({ guarantee: 'manual' }),
      async (world) => {
        const { ledger, begin } = await world.start();
        for (const amount of [1, 2]) void begin({ ...args, amount }, call(`c-${amount}`));
        await world.advance(hour);
        const keys = (await world.actions()).map(({ downstreamKey = '' }) => downstreamKey);
        expect(keys).toHaveLength(2);
        const told = { ...report, tool: 'refund', externalId: 're_1' };
        await Promise.all(
          keys.map((downstreamKey) => ledger.reportAbout({ ...told, downstreamKey })),
        );
        const actions = await world.actions();
        expect(actions.map(({ status }) => status).sort()).toEqual(['succeeded', 'unknown']);
        expect(
          actions.flatMap(({ evidence }) => evidence.map(({ claims }) => claims)).sort(),
        ).toEqual(['note', 'success']);
      },
      { fault: () => ackLost },
    ));

  it('that name nothing, or what belongs to two actions, are refused', () =>
    inCase(refund(), async (world) => {
      const { ledger, ...process } = await world.start();
      const one = await process.call(args, call('c-1'));
      const two = await process.call({ ...args, amount: 1 }, call('c-2'));
      const { downstreamKey = '' } = await world.action(two.actionId);
      const before = await world.store().head();
      expect(
        await ledger.reportAbout({ ...report, action: one.actionId ?? '', downstreamKey }),
      ).toMatchObject({ code: 'evidence.other-action' });
      for (const named of [{}, { externalId: 'x' }, { tool: 'refund' }, { downstreamKey: '' }])
        expect(await ledger.reportAbout({ ...report, ...named })).toMatchObject({
          code: 'action.request-invalid',
        });
      expect(await ledger.reportAbout({ ...report, downstreamKey, tool: 'other' })).toMatchObject({
        code: 'evidence.other-action',
      });
      expect(await world.store().head()).toBe(before);
    }));

  it('wait within bounds: what is beyond them is refused, and nothing is recorded', () =>
    inCase(refund(), async (world) => {
      const { ledger } = await world.start();
      const kept = (named: object): Promise<{ readonly kind: string }> =>
        ledger.reportAbout({ ...report, ...named });
      const large = 'x'.repeat(64 * 1024);
      expect(await kept({ downstreamKey: 'k', data: large })).toMatchObject({
        code: 'evidence.too-large',
      });
      for (let n = 0; n < 1_000; n += 1)
        expect((await kept({ downstreamKey: `k-${n}` })).kind).toBe('waits');
      const before = await world.store().head();
      expect(await kept({ downstreamKey: 'k' })).toMatchObject({ code: 'evidence.too-many' });
      // Known already, and of another tenant: both are taken.
      expect((await kept({ downstreamKey: 'k-7' })).kind).toBe('waits');
      expect(await world.store().head()).toBe(before);
      expect((await kept({ downstreamKey: 'k', tenant: 'other' })).kind).toBe('waits');
      const full = { data: 'x'.repeat(63 * 1024), tenant: 'large' };
      for (let n = 0; n < 128; n += 1) await kept({ ...full, downstreamKey: `k-${n}` });
      expect(await kept({ ...full, downstreamKey: 'k' })).toMatchObject({ kind: 'waits' });
      for (let n = 0; n < 3; n += 1) await kept({ ...full, downstreamKey: `l-${n}` });
      expect(await kept({ ...full, downstreamKey: 'm' })).toMatchObject({
        code: 'evidence.too-many',
      });
    }));
});

it('a damaged day of one tenant holds up no report of another, and is read again once it is whole', async () => {
  const time = createVirtualRuntime();
  const store = createMemoryEventStore();
  const days = new Set<string>();
  let of: 'noting' | 'damaged' | 'whole' = 'noting';
  let damagedReads = 0;
  const readStream: typeof store.readStream = async (stream, ...rest) => {
    if (of === 'noting' && /^evidence-.*-\d+$/.test(stream)) days.add(stream);
    if (of === 'damaged' && days.has(stream)) {
      damagedReads += 1;
      throw new StoreFault('store.corrupt', 'never', 'It does not hold together.');
    }
    return store.readStream(stream, ...rest);
  };
  const faults: string[] = [];
  const open = () =>
    createLedger({
      store: { ...store, readStream },
      runtime: time,
      tools: [],
      sweepMs: second,
      onFault: (where: string) => faults.push(where),
    });
  const note = { source: 'webhook', claims: 'note', proven: false, downstreamKey: 'k' } as const;
  const first = await open();
  await first.reportAbout({ ...note, tenant: 'a' });
  of = 'whole';
  await first.reportAbout({ ...note, tenant: 'b' });
  of = 'damaged';
  const next = await open();
  expect(next.waitingReports('a')).toHaveLength(0);
  expect(next.waitingReports('b')).toHaveLength(1);
  await time.advance(3 * second);
  expect(faults).toEqual(['reading the reports that wait']);
  // Not at each sweep.
  expect(damagedReads).toBe(1);
  of = 'whole';
  await time.advance(60 * second);
  expect(next.waitingReports('a')).toHaveLength(1);
  await Promise.all([first.close(), next.close()]);
});
