// What disturbs the intake: a store that is away, pauses, others that join and leave, and what comes at once.
// It waits, keeps the order of each key, and records everything once.
import { describe, expect, it } from '@jest/globals';
import { StoreFault } from '@action-ledger/event-store';
import { createFaultyEventStore, type FaultPlan } from '@action-ledger/testkit';
import { actions, intakeOf, invoices, lagOf, payTool, publish, putAside } from './intake-world.ts';
import { inServices, minute, propose, second, type ServicesWorld } from './world.ts';

const three = [{ invoice: 'i-1' }, { invoice: 'i-2' }, { invoice: 'i-3' }];

describe('while it cannot be recorded', () => {
  const tools = [payTool()];

  function failing(): { readonly plan: FaultPlan; fails: 'not at all' | 'before' | 'after' } {
    const state: ReturnType<typeof failing> = {
      fails: 'not at all',
      plan: {
        beforeAppend: ({ stream }) => {
          if (state.fails === 'before' && stream.startsWith('action-'))
            throw new StoreFault('store.unavailable', 'safe', 'away (injected)');
        },
        afterAppend: (_call, result) => {
          if (state.fails === 'after')
            throw new StoreFault('store.unavailable', 'unsafe', 'no answer (injected)');
          return result;
        },
      },
    };
    return state;
  }

  it.each([
    ['before', 'it waits', 3],
    ['after', 'what the stream holds is on record', 0],
  ] as const)(
    'FW13 the store fails %s it appends → %s, nothing is put aside, and it goes on in order',
    (fails, _what, waits) => {
      const state = failing();
      const storeOf = (store: ServicesWorld['store']) => createFaultyEventStore(store, state.plan);
      return inServices({ tools, partitions: 1, storeOf }, async (world) => {
        const intake = await world.run(intakeOf(world, { stuckAfterMs: minute }));
        await publish(world, { invoice: 'i-0' });
        await world.runtime.settle();
        state.fails = fails;
        await publish(world, ...three);
        await world.runtime.advance(3 * minute);
        expect(await lagOf(world)).toBe(waits);
        // To start it anew would bring no store back.
        expect(intake.health().condition).toBe('live');
        state.fails = 'not at all';
        await world.runtime.advance(10 * second);
        expect(await invoices(world)).toEqual(['i-0', 'i-1', 'i-2', 'i-3']);
        expect(await lagOf(world)).toBe(0);
        expect(await putAside(world)).toEqual([]);
        expect(intake.health()).toMatchObject({ condition: 'live', deadLetters: 0 });
      });
    },
  );

  it.each([
    ['everything is paused → it waits', {}, 1],
    ['its tenant is paused → it is put aside', { tenant: 'acme' }, 0],
    ['its tool is paused → it is put aside', { tool: 'pay' }, 0],
  ])('%s', (_what, scope, waits) =>
    inServices({ tools, partitions: 1 }, async (world) => {
      const caller = await world.openCaller();
      await world.run(intakeOf(world));
      const by = { by: 'vera', reason: 'audit' };
      const pause = await caller.ledger.pause({ ...scope, ...by });
      await world.runtime.settle();
      await publish(world, {});
      await world.runtime.advance(minute);
      expect(await lagOf(world)).toBe(waits);
      expect(await putAside(world)).toHaveLength(1 - waits);
      const revisionSeen = 'revision' in pause ? pause.revision : NaN;
      await caller.ledger.resume({ ...scope, ...by, revisionSeen });
      await world.runtime.advance(minute);
      expect(await lagOf(world)).toBe(0);
      expect(await invoices(world)).toHaveLength(waits);
    }),
  );
});

describe('side by side', () => {
  const tools = [payTool()];

  /** Appends of actions wait until they are let go, by invoice. */
  function held() {
    const waiting = new Map<string, () => void>();
    const plan: FaultPlan = {
      beforeAppend: async ({ stream, events }) => {
        if (!stream.startsWith('action-')) return;
        const invoice = /"invoice":"([^"]+)"/.exec(events[0]?.data ?? '')?.[1] ?? '';
        await new Promise<void>((resolve) => waiting.set(invoice, resolve));
      },
    };
    const storeOf = (store: ServicesWorld['store']) => createFaultyEventStore(store, plan);
    return {
      storeOf,
      waiting: () => [...waiting.keys()],
      letGo: (invoice: string) => {
        waiting.get(invoice)?.();
        waiting.delete(invoice);
      },
    };
  }

  it('proposals of one run are recorded in their order, of others meanwhile, within a bound', () => {
    const { storeOf, waiting, letGo } = held();
    return inServices({ tools, partitions: 1, storeOf }, async (world) => {
      await world.run(intakeOf(world, { atOnceMax: 2 }));
      await publish(
        world,
        ...['a-1', 'a-2'].map((invoice) => ({ invoice, run: 'a' })),
        ...['b-1', 'c-1'].map((invoice) => ({ invoice, run: invoice })),
      );
      await world.runtime.settle();
      expect(waiting()).toEqual(['a-1', 'b-1']);
      letGo('b-1');
      await world.runtime.settle();
      expect(waiting()).toEqual(['a-1', 'c-1']);
      letGo('c-1');
      await world.runtime.settle();
      // F101: what is behind it is on record, and nothing is committed before it is.
      expect(await lagOf(world)).toBe(4);
      letGo('a-1');
      await world.runtime.settle();
      expect(waiting()).toEqual(['a-2']);
      letGo('a-2');
      await world.runtime.settle();
      expect(await lagOf(world)).toBe(0);
      expect(await invoices(world)).toEqual(['b-1', 'c-1', 'a-1', 'a-2']);
    });
  });

  it('FW15 F101 another joins in mid-batch → what was not committed comes there, and nothing twice', () => {
    const { storeOf, waiting, letGo } = held();
    return inServices({ tools, partitions: 2, storeOf }, async (world) => {
      await world.run(intakeOf(world, { atOnceMax: 2 }));
      const runs = Array.from({ length: 12 }, (_, index) => `r-${index}`);
      await publish(world, ...runs.map((run) => ({ invoice: run, run })));
      await world.runtime.settle();
      await world.run(intakeOf(world, { atOnceMax: 2 }, {}, 'intake-2'));
      while (waiting().length > 0) {
        for (const invoice of waiting()) letGo(invoice);
        await world.runtime.advance(second);
      }
      expect([...(await invoices(world))].sort()).toEqual([...runs].sort());
      const types = (await actions(world)).map((action) => action.types);
      expect(types).toEqual(runs.map(() => ['ActionPlanned']));
      expect(await lagOf(world)).toBe(0);
      expect(await putAside(world)).toEqual([]);
    });
  });

  it('stops in mid-batch within its bound, and goes on where it was when it is started again', () => {
    const { storeOf, waiting, letGo } = held();
    return inServices({ tools, partitions: 1, storeOf }, async (world) => {
      const intake = await world.run(intakeOf(world, { atOnceMax: 1 }));
      await publish(world, ...three);
      await world.runtime.settle();
      const stopped = intake.stop();
      letGo('i-1');
      await world.runtime.settle();
      await stopped;
      expect(waiting()).toEqual([]);
      expect(await invoices(world)).toEqual(['i-1']);
      await intake.start();
      await world.runtime.settle();
      while (waiting().length > 0) {
        for (const invoice of waiting()) letGo(invoice);
        await world.runtime.settle();
      }
      expect(await invoices(world)).toEqual(['i-1', 'i-2', 'i-3']);
      expect(await lagOf(world)).toBe(0);
    });
  });

  it('meets what is proposed over HTTP at the same time', () =>
    inServices({ tools }, async (world) => {
      const caller = await world.openCaller();
      await world.run(intakeOf(world));
      await Promise.all([publish(world, {}), propose(caller, 'pay', { invoice: 'i-1' })]);
      await world.runtime.settle();
      expect(await invoices(world)).toEqual(['i-1']);
    }));
});
