// Models, runs and people around one ledger: what they say again, take back, or hear from elsewhere.
import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import {
  ackLost,
  declined,
  type Fault,
  type ProviderPort,
  slow,
  tooManyRequests,
  type Webhook,
} from '@action-ledger/sandbox';
import { defineTool, type ToolDefinition } from '@action-ledger/tools';
import {
  call,
  day,
  effects,
  eventTypes,
  guarantees,
  hour,
  inCase,
  keyed,
  overStores,
  patience,
  type Process,
  replayed,
  requests,
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

const onFirst = (fault: Fault) => {
  let met = false;
  return () => {
    if (met) return undefined;
    met = true;
    return fault;
  };
};

describe('F094 own echo arrives first', () => {
  it.each([
    ['once', [50]],
    ['twice, early and late', [50, 2_000]],
  ])(
    'the provider reports the refund %s before its reply is here → one refund, with its id',
    (_how, echoAfterMs) => {
      const echoes: Webhook[] = [];
      return inCase(
        refund(),
        async (world) => {
          const process = await world.start();
          const answers = [100, 400].map((amount) =>
            process.begin({ ...args, amount }, call(`call_${amount}`)),
          );
          for (let waited = 0; waited < 3 * second; waited += 10) {
            await world.advance(10);
            for (const echo of echoes.splice(0)) await reportEcho(process, echo);
          }
          const refunds = await world.during(Promise.all(answers));
          const ids = world.provider.effects().map(({ id }) => id);
          expect(refunds.map(({ externalId }) => externalId).sort()).toEqual([...ids].sort());
          for (const { actionId } of refunds) {
            const action = await world.action(actionId);
            expect(action).toMatchObject({ status: 'succeeded', duplicates: [], incidents: [] });
            expect(action.evidence).toHaveLength(1);
          }
          const total = world.provider
            .effects()
            .reduce((sum, each) => sum + Number(each.arguments['amount']), 0);
          expect(total).toBe(500);
        },
        {
          onWebhook: (webhook) => echoes.push(webhook),
          fault: () => ({ replyAfterMs: 900, echoAfterMs }),
        },
      );
    },
  );

  /** Matched by the key that the provider was given. */
  async function reportEcho({ ledger }: Process, echo: Webhook): Promise<void> {
    await ledger.reportAbout({
      downstreamKey: echo.key,
      source: 'webhook',
      claims: 'success',
      proven: true,
      externalId: echo.externalId,
      data: echo.result,
    });
  }
});

overStores((store) => {
  it('F095 failed attempt erases its key: the record is kept, the key is the same, and it is asked first', () =>
    inCase(
      refund({ guarantee: 'idempotent' }),
      async (world) => {
        const process = await world.start();
        const lost = await process.call(args, { ...keyed('comp_a1'), waitMs: second });
        expect(lost.word).toBe('checking');
        const { downstreamKey } = await world.action(lost.actionId);
        const next = await world.restart();
        const answer = await next.call(args, { ...keyed('comp_a1'), ...patience });
        expect(answer).toMatchObject({ state: 'succeeded', actionId: lost.actionId });
        const keys = world.provider.arrivals.map(({ request }) => request.key);
        expect(new Set(keys)).toEqual(new Set([downstreamKey]));
        expect(effects(world)).toBe(1);
      },
      { store, fault: onFirst(ackLost), behaviour: () => ({ keyWindowMs: day }) },
    ));
});

describe('F123 cancelled call never answered', () => {
  const cancelAll = async (world: World, { ledger }: Process) => {
    const [action] = await world.actions();
    const seen = { actionId: action?.id ?? '', revisionSeen: action?.revision ?? -1 };
    return ledger.cancel({ ...seen, by: 'ann', reason: 'not needed' });
  };

  it('before the claim → cancelled, and its caller is told', () =>
    inCase(refund({ undoWindow: '1min' }), async (world) => {
      const process = await world.start();
      const answer = process.begin(args, { ...call(), ...patience });
      await world.advance(second);
      await cancelAll(world, process);
      expect(await world.during(answer, second)).toMatchObject({
        state: 'cancelled',
        word: 'nothing-done',
      });
      await world.advance(hour);
      expect(requests(world)).toBe(0);
    }));

  it('after the claim, before the send → cancelled, and its caller is told', () =>
    inCase(refund({ undoWindow: '1min' }), async (world) => {
      const process: Process = await world.start({
        onPoint: async (point) => {
          if (point === 'claimed') await cancelAll(world, process);
        },
      });
      const answer = await process.call(args, { ...call(), ...patience });
      expect(answer).toMatchObject({ state: 'cancelled', word: 'nothing-done' });
      expect(await eventTypes(world, answer.actionId)).toEqual([
        'ActionPlanned',
        'ActionClaimed',
        'ActionCancelled',
      ]);
      expect(requests(world)).toBe(0);
    }));

  it('after the send → the wish is kept; an answer at once, and the outcome when it comes', () =>
    inCase(
      refund(),
      async (world) => {
        const process = await world.start();
        const answer = process.begin(args, { ...call(), ...patience });
        await world.advance(second);
        expect(await cancelAll(world, process)).toMatchObject({
          kind: 'done',
          events: [{ type: 'CancelRequested' }],
        });
        const asked = await process.call(args, { ...call(), waitMs: 0 });
        expect(asked).toMatchObject({ word: 'in-progress', actionId: expect.any(String) });
        expect(await world.during(answer)).toMatchObject({ state: 'succeeded' });
        expect(effects(world)).toBe(1);
      },
      { fault: () => slow(10 * second) },
    ));

  it('after the send, and the reply is lost → said to be checked, and nothing is sent again', () =>
    inCase(
      refund({ guarantee: 'idempotent' }),
      async (world) => {
        const process = await world.start();
        const lost = await process.call(args, { ...call(), waitMs: second });
        await cancelAll(world, process);
        await world.advance(hour);
        expect(await process.call(args, { ...call(), waitMs: 0 })).toMatchObject({
          word: 'checking',
          actionId: lost.actionId,
        });
        expect(requests(world)).toBe(1);
      },
      { fault: onFirst(ackLost), behaviour: () => ({ keyWindowMs: day }) },
    ));
});

describe('F125 one of several write paths forgets the key', () => {
  const setOf = (port: ProviderPort) =>
    guarantees.map((guarantee) =>
      writeTool<Args>(port, {
        name: guarantee,
        input,
        guarantee,
        ...(guarantee === 'natural' ? { identity: ['charge'] } : {}),
      }),
    );

  it.each(guarantees)(
    'the reply is lost to the write of guarantee %s → one effect under one key',
    (guarantee) =>
      inCase(
        setOf,
        async (world) => {
          const process = await world.start();
          const answer = await process.call(args, { ...call(), ...patience }, guarantee);
          expect(answer.state).toBe(guarantee === 'manual' ? 'unknown' : 'succeeded');
          const keys = world.provider.arrivals.map(({ request }) => request.key);
          expect(new Set(keys).size).toBe(1);
          expect(keys[0]).toMatch(/^[\w-]{43}$/);
          expect(world.provider.tally()).toMatchObject([{ effects: 1 }]);
        },
        {
          fault: onFirst(ackLost),
          behaviour: (tool) => ({
            ...(tool === 'idempotent' ? { keyWindowMs: day } : {}),
            ...(tool === 'natural' ? { entity: (sent) => JSON.stringify(sent['charge']) } : {}),
          }),
        },
      ),
  );

  it.each([
    ['none', {}, 'tool.guarantee'],
    ['a key window that is not declared', { guarantee: 'idempotent' }, 'tool.key-window'],
    ['a lookup that is not there', { guarantee: 'lookup' }, 'tool.lookup'],
  ] as const)('a write with guarantee: %s → cannot be registered', (_what, more, code) => {
    const declare = () => defineTool({ name: 'refund', input, execute: () => 'done', ...more });
    expect(declare).toThrow(expect.objectContaining({ code }));
  });
});

describe('F127 one trigger, two runs', () => {
  it.each([
    ['its key is the id of the event', refund(), { key: 'evt_1' }],
    [
      'its identity is the charge, in all runs of the tenant',
      refund({ identity: ['charge'], scope: 'tenant' }),
      {},
    ],
  ])('%s → the second run gets what the first has brought about', (_how, tools, more) =>
    inCase(
      tools,
      async (world) => {
        const process = await world.start();
        const one = process.begin(args, { ...call('call_1', '1', 'run-1'), ...more });
        await world.advance(20);
        const other = process.begin(args, { ...call('call_1', '1', 'run-2'), ...more });
        const [first, second] = await world.during(Promise.all([one, other]));
        expect(first).toMatchObject({ word: 'done' });
        expect(second).toMatchObject({
          ...replayed,
          result: first.result,
          actionId: first.actionId,
        });
        expect(effects(world)).toBe(1);
      },
      { fault: () => slow(100) },
    ),
  );
});

overStores((store) => {
  it('F129 resume resends or ignores earlier decisions: they are read from the ledger, not from the blob', () =>
    inCase(
      (port) =>
        ['charge', 'ship'].map((name) => writeTool<Args>(port, { name, input, approval: true })),
      async (world) => {
        const steps = ['charge', 'ship'] as const;
        // What the framework has saved: the calls, and nothing of what was decided about them.
        const blob = JSON.stringify(steps.map((tool, index) => ({ tool, call: `call_${index}` })));
        const resume = async (process: Process) => {
          const words = [];
          for (const saved of JSON.parse(blob) as { tool: string; call: string }[]) {
            const answer = await process.call(
              args,
              { ...call(saved.call), waitMs: second },
              saved.tool,
            );
            words.push(answer.word);
          }
          return words;
        };
        const first = await world.start();
        expect(await resume(first)).toEqual(['waiting-for-approval', 'waiting-for-approval']);
        for (const [nth, tool] of steps.entries()) {
          const process = await world.restart();
          const waiting = process.ledger.list({ tool, limit: 1 })[0]?.action ?? '';
          const { argumentsHash } = await world.action(waiting);
          await process.ledger.vote({
            actionId: waiting,
            voter: 'vera',
            vote: 'approve',
            argumentsHash,
          });
          await world.advance(second);
          for (let again = 0; again < 2; again += 1) {
            expect(await resume(process)).toEqual(
              nth === 0
                ? ['already-done', 'waiting-for-approval']
                : ['already-done', 'already-done'],
            );
          }
        }
        expect(steps.map((tool) => effects(world, tool))).toEqual([1, 1]);
        expect(requests(world)).toBe(2);
      },
      { store },
    ));
});

describe('F131 model repeats a call that worked', () => {
  it('done, then the same arguments under a new id → already done', () =>
    inCase(refund(), async (world) => {
      const process = await world.start();
      expect(await process.call(args, call())).toMatchObject({ word: 'done' });
      expect(await process.call(args, call('call_2', '2'))).toMatchObject(replayed);
      expect(await world.actions()).toHaveLength(1);
      expect(effects(world)).toBe(1);
    }));

  it('failed, then done, then the same again → one effect', () =>
    inCase(
      refund(),
      async (world) => {
        const process = await world.start();
        const words = [];
        for (const id of ['1', '2', '3']) words.push((await process.call(args, call(id, id))).word);
        expect(words).toEqual(['failed-without-effect', 'done', 'already-done']);
        expect(effects(world)).toBe(1);
        expect(requests(world)).toBe(2);
      },
      { fault: onFirst(declined('no')) },
    ));

  it('busy three times → failed, and it stops', () =>
    inCase(
      refund({ retry: { attempts: 3 } }),
      async (world) => {
        const process = await world.start();
        expect(await process.call(args, { ...call(), ...patience })).toMatchObject({
          word: 'failed-without-effect',
          reason: 'too many requests',
        });
        await world.advance(hour);
        expect(requests(world)).toBe(3);
        expect(effects(world)).toBe(0);
      },
      { fault: () => tooManyRequests(second) },
    ));

  it('refused again and again → after ten endings in a row it is told not to retry', () =>
    inCase(
      refund(),
      async (world) => {
        const process = await world.start();
        for (let nth = 0; nth < 10; nth += 1)
          expect((await process.call(args, call(`${nth}`, `${nth}`))).word).toBe(
            'failed-without-effect',
          );
        expect(await process.call(args, call('10', '10'))).toMatchObject({
          word: 'refused',
          code: 'epochs.exhausted',
        });
        expect(requests(world)).toBe(10);
      },
      { fault: () => declined('no') },
    ));
});
