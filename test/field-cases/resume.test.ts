// A run is resumed from a checkpoint, by a redelivery, or by a recovery: what it has done stays done.
import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { declined, lateArrival, reqLost, slow } from '@action-ledger/sandbox';
import {
  call,
  effects,
  eventTypes,
  hour,
  inCase,
  keyed,
  minute,
  overStores,
  patience,
  type Process,
  replayed,
  requests,
  second,
  type World,
  type WorldOptions,
  writeTool,
} from './case.ts';

type Port = Parameters<WorldOptions['tools']>[0];

const input = z.object({ text: z.string() });
const args = { text: 'the report' };
const send =
  (more: object = {}) =>
  (port: Port) => [writeTool(port, { name: 'send', input, ...more })];

async function untilDead(world: World, process: Process): Promise<void> {
  for (let waited = 0; !process.isDead() && waited < hour; waited += second)
    await world.advance(second);
  expect(process.isDead()).toBe(true);
}

overStores((store) => {
  it('F030 claim expires while the call still runs: redelivered at the end of its lease → in progress, then replayed', () =>
    inCase(
      send({ timeoutMs: 250 * second, inFlightMs: 300 * second, leaseMs: 180 * second }),
      async (world) => {
        const { begin, call: callNow, ledger } = await world.start();
        const first = begin(args, { ...call(), ...patience });
        await world.advance(180 * second);
        const redelivered = await callNow(args, { ...call(), waitMs: second });
        expect(redelivered).toMatchObject({ word: 'in-progress', repeat: true });
        expect(await world.during(first)).toMatchObject({ word: 'done' });
        expect(await callNow(args, call())).toMatchObject(replayed);
        const { attempts } = await world.action(redelivered.actionId);
        expect(attempts).toHaveLength(1);
        expect(ledger.sideEntries(10).map(({ kind }) => kind)).toEqual(['duplicate', 'duplicate']);
        expect(effects(world)).toBe(1);
      },
      { store, fault: () => slow(200 * second) },
    ));

  it('F030 killed with the effect done, resumed from the checkpoint → unknown, looked up, done once', () =>
    inCase(
      send(),
      async (world) => {
        const dying = await world.start({ diesAt: 'replied' });
        void dying.begin(args, call());
        await untilDead(world, dying);
        const next = await world.restart();
        const early = await next.call(args, { ...call(), waitMs: 100 });
        expect(early.actionId).toBeDefined();
        expect(await next.call(args, { ...call(), ...patience })).toMatchObject({
          state: 'succeeded',
          repeat: true,
        });
        expect(await eventTypes(world, early.actionId)).toEqual([
          'ActionPlanned',
          'ActionClaimed',
          'ActionDispatched',
          'ActionOutcomeUnknown',
          'ActionReconciled',
        ]);
        expect(effects(world)).toBe(1);
      },
      { store },
    ));

  it('F031 partial step replayed: the calls that worked are not made again, though their ids changed', () => {
    const steps = ['send_email', 'update_db', 'notify'];
    let lost = 0;
    return inCase(
      (port) => steps.map((name) => writeTool(port, { name, input })),
      async (world) => {
        const first = await world.start();
        for (const [index, name] of steps.entries())
          await first.call(args, { ...call(`call_${index}`), waitMs: second }, name);
        const next = await world.restart();
        const words = [];
        for (const [index, name] of steps.entries()) {
          const context = { ...call(`call_${index + 10}`, '2'), ...patience };
          words.push((await next.call(args, context, name)).word);
        }
        expect(words).toEqual(['already-done', 'already-done', 'already-done']);
        expect(steps.map((name) => effects(world, name))).toEqual([1, 1, 1]);
      },
      {
        store,
        fault: ({ tool }) => {
          if (tool !== 'notify') return undefined;
          lost += 1;
          return lost === 1 ? reqLost : undefined;
        },
      },
    );
  });

  it('F039 step can never finish in time: killed after the effect, three times over → one effect', () =>
    inCase(
      send(),
      async (world) => {
        const report = keyed('report-2026-07-01');
        for (let run = 0; run < 3; run += 1) {
          const runner = await world.restart({ diesAt: 'replied' });
          void runner.begin(args, { ...report, run: `run-${run}` });
          await world.advance(minute);
        }
        const last = await world.restart();
        expect(await last.call(args, { ...report, run: 'run-3', ...patience })).toMatchObject({
          state: 'succeeded',
          repeat: true,
        });
        expect(requests(world)).toBe(1);
      },
      { store },
    ));

  it('F041 replay cache keyed by log position: only what failed is dispatched again, in any order', () => {
    const texts = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
    const isAuthorised = { now: false };
    return inCase(
      send(),
      async (world) => {
        const first = await world.start();
        const all = (process: Process, turn: string, order: readonly string[]) =>
          world.during(
            Promise.all(order.map((text) => process.begin({ text }, call(`${turn}${text}`, turn)))),
          );
        const before = await all(first, '1', texts);
        expect(before.map(({ state }) => state).sort()).toEqual([
          ...Array<string>(4).fill('failed'),
          ...Array<string>(3).fill('succeeded'),
        ]);
        isAuthorised.now = true;
        const again = await all(await world.restart(), '2', texts.toReversed());
        expect(again.filter(({ repeat }) => repeat)).toHaveLength(3);
        expect(again.every(({ state }) => state === 'succeeded')).toBe(true);
        expect(effects(world)).toBe(7);
        expect(requests(world)).toBe(7 + 4);
      },
      {
        store,
        fault: ({ arguments: { text } }) =>
          !isAuthorised.now && typeof text === 'string' && 'bdeg'.includes(text)
            ? declined('unauthorised')
            : undefined,
      },
    );
  });
});

it('F033 unrelated wake-up re-dispatches a running step: it runs on, and the repeat is told so', () =>
  inCase(
    (port) => [
      writeTool(port, { name: 'send', input }),
      writeTool(port, { name: 'publish', input, approval: true }),
    ],
    async (world) => {
      const { begin, call: callNow, ledger } = await world.start();
      const first = begin(args, call());
      await world.advance(second);
      const { actionId = '' } = await callNow(args, call('call_2'), 'publish');
      const { argumentsHash } = await world.action(actionId);
      await ledger.vote({ actionId, voter: 'vera', vote: 'approve', argumentsHash });
      ledger.sweep();
      const again = await callNow(args, { ...call('call_3', '2'), waitMs: second }, 'send');
      expect(again).toMatchObject({ word: 'in-progress', repeat: true });
      await world.during(first);
      const { attempts } = await world.action(again.actionId);
      expect(attempts).toHaveLength(1);
      expect(world.provider.arrivals.filter(({ request }) => request.tool === 'send')).toHaveLength(
        1,
      );
    },
    { fault: () => slow(10 * second) },
  ));

describe('F035 startup recovery adopts live work', () => {
  it.each([
    ['dispatched with its plan', {}],
    ['claimed after its undo window', { undoWindow: '1s' }],
  ] as const)('a sweep 5 ms after the live claim of an action %s → skipped', (_how, more) =>
    inCase(
      send(more),
      async (world) => {
        const process: Process = await world.start({
          onPoint: (point) => {
            if (point === 'claimed') process.ledger.sweep();
          },
        });
        const answer = process.begin(args, call());
        for (let sweeps = 0; sweeps < 400; sweeps += 1) {
          await world.advance(5);
          process.ledger.sweep();
          for (const actionId of process.ledger.openActions()) {
            const { revision: revisionSeen } = await world.action(actionId);
            void process.ledger.checkNow({ actionId, by: 'ann', revisionSeen });
          }
        }
        const { actionId } = await world.during(answer);
        const types = await eventTypes(world, actionId);
        expect(types.filter((type) => type === 'ActionClaimed')).toHaveLength(1);
        expect(types).not.toContain('ClaimEnded');
        expect(types).not.toContain('ActionOutcomeUnknown');
        expect(requests(world)).toBe(1);
      },
      { fault: () => slow(second) },
    ),
  );
});

describe('F037 zombie owner', () => {
  /** Its next append of such an event waits until it is let go. */
  const stall = ({ script }: Process, type: string): { readonly wake: () => void } => {
    let wake = (): void => undefined;
    const until = new Promise<void>((resolve) => {
      wake = resolve;
    });
    script.onAppend({ kind: 'asked late', until }, ({ events }) => events[0]?.type === type);
    return {
      wake: () => {
        wake();
      },
    };
  };

  it('its failure comes after another has taken over → evidence, and the other goes on', () =>
    inCase(
      send(),
      async (world) => {
        const zombie = await world.start();
        const failing = stall(zombie, 'ActionFailed');
        void zombie.begin(args, call());
        await world.advance(second);
        const next = await world.start();
        await world.advance(second);
        const [lost] = await world.actions();
        expect(lost?.status).toBe('unknown');
        failing.wake();
        await world.advance(second);
        const woken = await world.action(lost?.id);
        expect(woken).toMatchObject({ status: 'unknown', evidence: [{ claims: 'refusal' }] });
        // The lookup finds nothing, and only then it is sent again.
        expect(await next.call(args, { ...call(), ...patience })).toMatchObject({
          state: 'succeeded',
        });
        expect(effects(world)).toBe(1);
      },
      { fault: ({ attempt }) => (attempt === 1 ? declined('no') : undefined) },
    ));

  it('its success comes while nobody holds the claim → evidence, and (DESIGN.md section 5) proof of the success', () =>
    // The case wants a stale success kept as evidence only. A success that is proven by our own key is
    // the one report that also settles the action; a refusal, above, settles nothing.
    inCase(send(), async (world) => {
      const zombie = await world.start();
      const succeeding = stall(zombie, 'ActionSucceeded');
      void zombie.begin(args, call());
      await world.advance(second);
      const next = await world.start();
      await world.advance(second);
      const [parked] = await world.actions();
      expect(parked).toMatchObject({ status: 'succeeded' });
      succeeding.wake();
      await world.advance(second);
      const after = await world.action(parked?.id);
      expect(after.outcome).toEqual(parked?.outcome);
      expect(after.evidence).toMatchObject([{ claims: 'success', source: 'attempt 1' }]);
      expect(await next.call(args, call('call_2', '2'))).toMatchObject(replayed);
      expect(effects(world)).toBe(1);
    }));

  it('it wakes with its claim in hand, before the send → nothing is sent under the old claim', () =>
    inCase(send({ undoWindow: '1s' }), async (world) => {
      const zombie = await world.start();
      const dispatching = stall(zombie, 'ActionDispatched');
      void zombie.begin(args, call());
      await world.advance(2 * second);
      const next = await world.start();
      expect(await next.call(args, call('call_2', '2'))).toMatchObject({ state: 'succeeded' });
      dispatching.wake();
      await world.advance(minute);
      expect(requests(world)).toBe(1);
      const [action] = await world.actions();
      expect(action?.attempts).toHaveLength(1);
    }));
});

describe('F043 killed attempt lands later', () => {
  it.each(['idempotent', 'lookup', 'manual'] as const)('of a tool with guarantee %s', (guarantee) =>
    inCase(
      send({ guarantee }),
      async (world) => {
        const killed = await world.start();
        void killed.begin(args, call());
        await world.advance(100);
        const next = await world.restart();
        const [dispatched] = (await world.actions()).flatMap(({ attempts }) => attempts);
        await world.advance(4 * second);
        expect(effects(world)).toBe(0);
        await world.advance(2 * second);
        expect(effects(world)).toBe(1);
        const answer = await next.call(args, { ...call(), ...patience });
        const [action] = await world.actions();
        for (const { dispatchedAt } of action?.attempts.slice(1) ?? [])
          expect(dispatchedAt - (dispatched?.dispatchedAt ?? 0)).toBeGreaterThanOrEqual(minute);
        expect(answer).toMatchObject(
          guarantee === 'manual'
            ? { word: 'checking', owner: 'operator' }
            : { state: 'succeeded', repeat: true },
        );
        expect(effects(world)).toBe(1);
      },
      {
        behaviour: () => (guarantee === 'idempotent' ? { keyWindowMs: 24 * hour } : {}),
        fault: ({ attempt }) => (attempt === 1 ? lateArrival(5 * second) : undefined),
      },
    ),
  );
});
