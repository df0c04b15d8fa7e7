// No answer, a late one, or one that says nothing: what is not known is asked for, and never sent blindly.
import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import {
  ackLost,
  declined,
  errorAfterCommit,
  errorBody,
  executeAt,
  type Fault,
  lookUpAt,
  type ProviderPort,
  reqLost,
  slow,
  storedError,
  timeout,
} from '@action-ledger/sandbox';
import { type ToolDefinition } from '@action-ledger/tools';
import {
  call,
  conflict,
  day,
  effects,
  eventTypes,
  hour,
  inCase,
  keyed,
  minute,
  overStores,
  patience,
  replayed,
  requests,
  second,
  type World,
  writeTool,
} from './case.ts';

const input = z.object({ cart: z.string(), amount: z.int() });
type Args = z.output<typeof input>;
const args = { cart: 'c-1', amount: 4_800 };

const pay =
  (more: Partial<ToolDefinition<Args>> = {}) =>
  (port: ProviderPort) => [
    writeTool<Args>(port, { name: 'pay', input, identity: ['cart'], ...more }),
  ];

/** With a key that the provider remembers, and a way to ask. */
const askedAndKeyed =
  (more: Partial<ToolDefinition<Args>> = {}) =>
  (port: ProviderPort) =>
    pay({ guarantee: 'idempotent', lookup: lookUpAt(port), ...more })(port);

const remembersKeys = { behaviour: () => ({ keyWindowMs: day }) };
const onFirst = (fault: Fault) => {
  let met = false;
  return () => {
    if (met) return undefined;
    met = true;
    return fault;
  };
};
const patient = { ...call(), ...patience };

describe('F067 POST resent on connection reset', () => {
  it('closed after the commit → looked up, never sent again', () =>
    inCase(
      pay(),
      async (world) => {
        const answer = await (await world.start()).call(args, patient);
        expect(answer).toMatchObject({ word: 'done' });
        expect(requests(world)).toBe(1);
        expect(effects(world)).toBe(1);
      },
      { fault: onFirst(ackLost) },
    ));

  it('reset before it was read → absent, sent again with the same key', () =>
    inCase(
      pay(),
      async (world) => {
        const answer = await (await world.start()).call(args, patient);
        const { attempts } = await world.action(answer.actionId);
        expect(attempts).toHaveLength(2);
        expect(world.provider.tally()).toMatchObject([{ requests: 1, effects: 1 }]);
      },
      { fault: onFirst(reqLost) },
    ));
});

it('F069 gateway timeout while the backend works: nothing to ask by and no key → never sent again', () =>
  inCase(
    pay({ guarantee: 'manual' }),
    async (world) => {
      const process = await world.start();
      const answer = await process.call(args, { ...call(), waitMs: minute });
      expect(answer).toMatchObject({ word: 'checking', state: 'unknown', owner: 'operator' });
      expect(answer.messageForModel).toMatch(/still being checked, do not retry/);
      for (let tries = 2; tries < 5; tries += 1) {
        await world.advance(hour);
        const again = await process.call(args, {
          ...call(`call_${tries}`, String(tries)),
          waitMs: 0,
        });
        expect(again).toMatchObject({ word: 'checking', actionId: answer.actionId });
      }
      expect(process.notices.map(({ kind }) => kind)).toEqual(['unknown escalated']);
      expect(requests(world)).toBe(1);
    },
    { fault: () => errorAfterCommit(504) },
  ));

describe('F071 user retries a slow success', () => {
  overStores((store) => {
    it('clicked again and reloaded while it is not known → the same action, charged once', () => {
      let isDown = true;
      return inCase(
        pay(),
        async (world) => {
          const process = await world.start();
          const first = await process.call(args, { ...call(), waitMs: second });
          expect(first.word).toBe('checking');
          const again = await process.call(args, { ...call('call_2', '2'), waitMs: second });
          expect(again).toMatchObject({ word: 'checking', actionId: first.actionId });
          const reloaded = await world.restart();
          const other = await reloaded.call({ ...args, amount: 1 }, { ...call('call_3', '3') });
          expect(other).toMatchObject({ ...conflict, actionId: first.actionId });
          isDown = false;
          expect(await reloaded.call(args, { ...call('call_4', '4'), ...patience })).toMatchObject({
            state: 'succeeded',
            actionId: first.actionId,
          });
          expect(effects(world)).toBe(1);
        },
        { store, fault: onFirst(ackLost), lookupFault: () => ({ outage: isDown }) },
      );
    });
  });

  it('a definite decline → the same call is told so, a new one may try again', () =>
    inCase(
      pay(),
      async (world) => {
        const process = await world.start();
        const refused = await process.call(args, call());
        expect(refused).toMatchObject({ word: 'failed-without-effect', reason: 'card declined' });
        expect(await process.call(args, call())).toMatchObject({
          state: 'failed',
          actionId: refused.actionId,
        });
        expect(await process.call(args, call('call_2', '2'))).toMatchObject({
          word: 'done',
          previous: refused.actionId,
        });
        expect(effects(world)).toBe(1);
      },
      { fault: onFirst(declined('card declined')) },
    ));
});

describe('F074 in-progress expiry: stuck or doubled', () => {
  overStores((store) => {
    it('killed after the effect; retried at 1 s, at the end of the lease and after it → one effect', () =>
      inCase(
        pay(),
        async (world) => {
          const dying = await world.start({ diesAt: 'replied' });
          void dying.begin(args, call());
          await world.advance(second);
          expect(dying.isDead()).toBe(true);
          // The next process knows that the holder of the claim is gone (DESIGN.md section 7), so it
          // says "being checked" where the case has "in progress"; it dispatches no sooner for that.
          const next = await world.restart();
          const retry = await next.call(args, { ...call(), waitMs: 0 });
          expect(['in-progress', 'checking']).toContain(retry.word);
          for (const wait of [39 * second, second, 10 * second]) {
            await world.advance(wait);
            await next.call(args, { ...call(), waitMs: 0 });
          }
          expect(await next.call(args, patient)).toMatchObject(replayed);
          expect(requests(world)).toBe(1);
        },
        { store },
      ));
  });

  it('a silent provider: in progress until the deadline, then checked; the end of the lease sends nothing', () =>
    inCase(
      pay(),
      async (world) => {
        const process = await world.start();
        const first = process.begin(args, patient);
        await world.advance(20 * second);
        expect(await process.call(args, { ...call(), waitMs: second })).toMatchObject({
          word: 'in-progress',
        });
        await world.advance(10 * second);
        expect(await process.call(args, { ...call(), waitMs: 0 })).toMatchObject({
          word: 'checking',
        });
        await world.advance(20 * second);
        expect((await world.actions())[0]?.attempts).toHaveLength(1);
        expect(await world.during(first)).toMatchObject({ word: 'done' });
        expect(world.provider.tally()).toMatchObject([{ effects: 1 }]);
      },
      { fault: onFirst(timeout({ commits: false })) },
    ));
});

it('F075 a refused duplicate removes the lock: refusals touch nothing that the original holds', () =>
  inCase(
    pay(),
    async (world) => {
      const process = await world.start();
      const original = process.begin(args, keyed('k1'));
      await world.advance(second);
      const other = { ...args, amount: 1 };
      expect(await process.call(other, { ...keyed('k1'), waitMs: 0 })).toMatchObject(conflict);
      expect(await process.call(args, { ...keyed('k1'), waitMs: second })).toMatchObject({
        word: 'in-progress',
      });
      await world.during(original);
      expect(await process.call(other, keyed('k1'))).toMatchObject(conflict);
      expect(await process.call(args, keyed('k1'))).toMatchObject(replayed);
      expect(requests(world)).toBe(1);
    },
    { fault: () => slow(8 * second) },
  ));

describe('F077 provider key shorter-lived than the retry', () => {
  const longValid = { validFor: '72h' } as const;

  overStores((store) => {
    it.each([
      ['a way to ask', askedAndKeyed(longValid), { state: 'succeeded' }],
      [
        'none',
        pay({ guarantee: 'idempotent', ...longValid }),
        { state: 'unknown', owner: 'operator' },
      ],
    ])(
      'killed after the effect, recovered at 25 h, with %s → nothing is sent on the key alone',
      (_how, tools, expected) =>
        inCase(
          tools,
          async (world) => {
            const dying = await world.start({ diesAt: 'replied' });
            void dying.begin(args, call());
            await world.advance(second);
            await world.advance(25 * hour);
            const next = await world.restart({ sweepMs: hour });
            expect(await next.call(args, { ...call(), waitMs: 10 * minute })).toMatchObject(
              expected,
            );
            expect(requests(world)).toBe(1);
            expect(effects(world)).toBe(1);
            if (expected.state === 'unknown')
              expect(next.notices).toMatchObject([{ kind: 'unknown escalated' }]);
          },
          { store, ...remembersKeys },
        ),
    );
  });

  it('approved at 25 h and never dispatched before → sent, once', () =>
    inCase(
      pay({ guarantee: 'idempotent', ...longValid, approval: { expiresAfter: '48h' } }),
      async (world) => {
        const process = await world.start({ sweepMs: hour });
        const { actionId = '' } = await process.call(args, call());
        await world.advance(25 * hour);
        const { argumentsHash } = await world.action(actionId);
        await process.ledger.vote({ actionId, voter: 'vera', vote: 'approve', argumentsHash });
        await world.advance(second);
        expect((await world.action(actionId)).status).toBe('succeeded');
        expect(effects(world)).toBe(1);
      },
      remembersKeys,
    ));
});

describe('F079 "already exists" counted as failure', () => {
  const unique = { behaviour: () => ({ unique: () => 'the one' }) };

  it('ours, found by the retry → succeeded with its id', () =>
    inCase(
      pay({ guarantee: 'idempotent' }),
      async (world) => {
        const answer = await (await world.start()).call(args, patient);
        const [created] = world.provider.effects();
        expect(answer).toMatchObject({ state: 'succeeded', externalId: created?.id });
        expect(requests(world)).toBe(2);
        expect(effects(world)).toBe(1);
      },
      { ...unique, fault: onFirst(ackLost) },
    ));

  it("another's → failed, not succeeded", () =>
    inCase(
      pay({ guarantee: 'idempotent' }),
      async (world) => {
        const process = await world.start();
        await process.call({ cart: 'theirs', amount: 1 }, call());
        expect(await process.call(args, { ...call('call_2'), ...patience })).toMatchObject({
          word: 'failed-without-effect',
          state: 'failed',
          code: 'already_exists',
        });
        expect(effects(world)).toBe(1);
      },
      unique,
    ));
});

describe('F080 lookup lags behind the write', () => {
  it.each([
    ['lags for 20 s', { behaviour: () => ({ lookupLagMs: 20 * second }) }],
    ['is down for 5 min', { lookupFault: downFor(5 * minute) }],
  ])('it %s → not taken for absent, one effect', (_how, more) =>
    inCase(
      pay({ settleMs: 20 * second, checks: { intervalMinMs: second } }),
      async (world) => {
        const answer = await (await world.start()).call(args, patient);
        expect(answer).toMatchObject({ state: 'succeeded' });
        const types = await eventTypes(world, answer.actionId);
        expect(types.filter((type) => type === 'ReconciliationChecked').length).toBeGreaterThan(0);
        expect(requests(world)).toBe(1);
      },
      { ...more, fault: onFirst(ackLost) },
    ),
  );

  function downFor(ms: number) {
    let asked = 0;
    // Its n-th question comes later than n doubling intervals of a second.
    return () => {
      asked += 1;
      return 2 ** asked * second < ms ? { outage: true } : undefined;
    };
  }
});

describe('F081 retry inside the retry', () => {
  const throwing = (more: Partial<ToolDefinition<Args>>) => (port: ProviderPort) =>
    pay({
      ...more,
      execute: async (context) => {
        await executeAt(port)(context);
        throw new TypeError('unexpected keyword argument');
      },
    })(port);

  it.each([
    ['lookup', { state: 'succeeded' }],
    ['manual', { state: 'unknown' }],
    ['idempotent', { state: 'unknown' }],
  ] as const)(
    'a %s tool that commits, then throws → as many requests as attempts on record',
    (guarantee, expected) =>
      inCase(
        throwing({ guarantee }),
        async (world) => {
          const answer = await (await world.start()).call(args, patient);
          expect(answer).toMatchObject(expected);
          const { attempts } = await world.action(answer.actionId);
          expect(requests(world)).toBe(attempts.length);
          if (guarantee !== 'idempotent') expect(attempts).toHaveLength(1);
          expect(attempts.length).toBeLessThanOrEqual(4);
          for (const { request } of world.provider.arrivals)
            expect(request.arguments).toEqual(args);
          expect(effects(world)).toBe(1);
        },
        guarantee === 'idempotent' ? remembersKeys : {},
      ),
  );
});

describe('F082 success envelope, failed effect', () => {
  it('a 200 whose body says no → failed without effect, and a fixed request may run', () =>
    inCase(
      pay(),
      async (world) => {
        const process = await world.start();
        expect(await process.call(args, call())).toMatchObject({
          word: 'failed-without-effect',
          state: 'failed',
          reason: 'channel_not_found',
        });
        expect(effects(world)).toBe(0);
        expect(await process.call({ ...args, amount: 2 }, call('call_2', '2'))).toMatchObject({
          word: 'done',
        });
      },
      { fault: onFirst(errorBody('channel_not_found')) },
    ));

  it('a text that begins with "Error:" is a result, unless the connector says otherwise', () =>
    inCase(
      pay(),
      async (world) => {
        const answer = await (await world.start()).call(args, call());
        expect(answer).toMatchObject({ word: 'done', result: 'Error: none were found' });
        expect(effects(world)).toBe(1);
      },
      { answer: () => ({ kind: 'accepted', result: 'Error: none were found' }) },
    ));
});

describe('F083 dead run served as cached success', () => {
  const everyWay = async (world: World, key: string) => {
    const process = await world.start();
    const context = { ...keyed(key), waitMs: second };
    const proposal = {
      tool: 'pay',
      arguments: args,
      tenant: 'acme',
      origin: {},
      key,
      waitMs: second,
    };
    return [
      await process.call(args, context),
      ...(await world.during(
        Promise.all([
          process.begin(args, context),
          process.begin(args, context),
          process.ledger.propose(proposal),
        ]),
      )),
    ];
  };

  it('failed for good → the recorded failure with its reason, whichever way it is asked for', () =>
    inCase(
      pay(),
      async (world) => {
        await (await world.start()).call(args, keyed('k1'));
        for (const answer of await everyWay(world, 'k1'))
          expect(answer).toMatchObject({
            state: 'failed',
            reason: 'no such account',
            repeat: true,
          });
        expect(effects(world)).toBe(0);
      },
      { fault: () => declined('no such account') },
    ));

  it('not known → said so, whichever way it is asked for; never "done"', () =>
    inCase(
      pay({ guarantee: 'manual' }),
      async (world) => {
        await (await world.start()).call(args, { ...keyed('k2'), waitMs: second });
        for (const answer of await everyWay(world, 'k2'))
          expect(answer).toMatchObject({ state: 'unknown', word: 'checking', repeat: true });
        expect(effects(world)).toBe(1);
      },
      { fault: () => ackLost },
    ));
});

describe('F085 clock skew on leases', () => {
  it.each([25 * second, -25 * second, day])(
    'another worker whose clock is %d ms off → no dispatch by it',
    (wallAheadMs) =>
      inCase(
        pay({ timeoutMs: 18 * second, inFlightMs: 30 * second, leaseMs: 20 * second }),
        async (world) => {
          const healthy = await world.start();
          const answer = healthy.begin(args, call());
          await world.advance(5 * second);
          await world.start({ wallAheadMs });
          expect(await world.during(answer)).toMatchObject({ state: 'succeeded' });
          await world.advance(5 * minute);
          expect(requests(world)).toBe(1);
        },
        { fault: () => slow(15 * second) },
      ),
  );

  it('its own clock jumps back a day in mid-call → one effect, and the lease ends all the same', () =>
    inCase(
      pay(),
      async (world) => {
        const process = await world.start();
        const answer = process.begin(args, patient);
        await world.advance(second);
        process.runtime.setWall(process.runtime.clock.wallMs() - day);
        expect(await world.during(answer, 10 * minute)).toMatchObject({ state: 'succeeded' });
        expect(requests(world)).toBe(1);
      },
      { fault: onFirst(timeout({ commits: true })) },
    ));
});

describe('F086 late or out-of-order outcome', () => {
  it('the decline of an earlier attempt arrives after the success → kept as evidence of that attempt', () =>
    inCase(
      pay(),
      async (world) => {
        const { ledger, call: callNow } = await world.start();
        const { actionId = '' } = await callNow(args, patient);
        await world.advance(hour);
        await ledger.report(actionId, {
          source: 'webhook',
          claims: 'refusal',
          proven: true,
          attempt: 1,
          data: { declined: true },
        });
        const action = await world.action(actionId);
        expect(action.status).toBe('succeeded');
        expect(action.evidence.at(-1)).toMatchObject({ attempt: 1, claims: 'refusal' });
        expect(action.incidents).toEqual([]);
        expect(await callNow(args, call('call_2', '2'))).toMatchObject(replayed);
        expect(effects(world)).toBe(1);
      },
      { fault: onFirst(reqLost) },
    ));

  it('a success is reported for what is not known → succeeded, with its attempt and its id', () =>
    inCase(
      pay({ guarantee: 'manual' }),
      async (world) => {
        const { ledger, call: callNow } = await world.start();
        const { actionId = '' } = await callNow(args, { ...call(), waitMs: second });
        const [effect] = world.provider.effects();
        await ledger.report(actionId, {
          source: 'webhook',
          claims: 'success',
          proven: true,
          attempt: 1,
          ...(effect && { externalId: effect.id, data: effect.result }),
        });
        expect(await callNow(args, call())).toMatchObject({ ...replayed, externalId: effect?.id });
        const [, , , , , done] = await world.events(actionId);
        expect(done).toMatchObject({ type: 'ActionSucceeded', data: { attempt: 1 } });
        expect(effects(world)).toBe(1);
      },
      { fault: () => ackLost },
    ));
});

it('F087 provider replays its stored 500: a bounded number of retries under one key, then it is asked', () =>
  inCase(
    askedAndKeyed(),
    async (world) => {
      const answer = await (await world.start()).call(args, patient);
      expect(answer).toMatchObject({ state: 'succeeded', externalId: expect.any(String) });
      expect(requests(world)).toBeLessThanOrEqual(4);
      const keys = new Set(world.provider.arrivals.map(({ request }) => request.key));
      expect(keys.size).toBe(1);
      expect(effects(world)).toBe(1);
    },
    { ...remembersKeys, fault: () => storedError },
  ));
