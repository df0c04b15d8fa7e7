// The executor in a process of its own: what others have recorded is claimed and sent, once, by whoever has
// the tool and room for it.
import { describe, expect, it } from '@jest/globals';
import { amongProcesses, type ServiceDeps } from '@action-ledger/application';
import { actionTopics, type EventLog } from '@action-ledger/event-log';
import { openEmbeddedEventLog } from '@action-ledger/event-log-embedded';
import { StoreFault } from '@action-ledger/event-store';
import { createCompensator } from '@action-ledger/compensator';
import { createExecutor } from '@action-ledger/executor';
import { createReconciler } from '@action-ledger/reconciler';
import { createFaultyEventStore, type FaultPlan } from '@action-ledger/testkit';
import { createToolSet, defineTool, type Tool } from '@action-ledger/tools';
import { z } from 'zod';
import { inServices, minute, propose, second } from './world.ts';

interface Calls {
  readonly begun: string[];
  /** Ends the call. */
  readonly answer: (invoice: string) => void;
}

/** `slow…` answers when the test says so. */
function payTool(calls: Calls & { readonly waiting: Map<string, () => void> }): Tool {
  return defineTool({
    name: 'pay',
    input: z.object({ invoice: z.string() }),
    guarantee: 'manual',
    execute: async ({ arguments: { invoice }, beforeSend }) => {
      beforeSend();
      calls.begun.push(invoice);
      if (invoice.startsWith('slow'))
        await new Promise<void>((resolve) => calls.waiting.set(invoice, resolve));
      return { paid: invoice };
    },
  });
}

const other = defineTool({
  name: 'other',
  input: z.object({ invoice: z.string() }),
  guarantee: 'manual',
  execute: () => ({}),
});

/** The first value takes until the test says so. */
function slowValue() {
  let answer = (): void => undefined;
  const answered = new Promise<void>((resolve) => (answer = resolve));
  const tool = defineTool({
    name: 'set',
    input: z.object({ account: z.string(), seats: z.int() }),
    identity: ['account'],
    guarantee: 'natural',
    execute: async ({ arguments: { seats }, beforeSend }) => {
      beforeSend();
      if (seats === 1) await answered;
      return { seats };
    },
  });
  return { answer, tool };
}

function createCalls() {
  const waiting = new Map<string, () => void>();
  return { begun: [] as string[], waiting, answer: (invoice: string) => waiting.get(invoice)?.() };
}

async function lagOf({ log }: { readonly log: EventLog }): Promise<number> {
  const lags = await log.lag('executor', [actionTopics.events]);
  return lags.reduce((sum, { lag }) => sum + lag, 0);
}

/** Not told who else acts on the store. */
function alone(deps: ServiceDeps): ServiceDeps {
  if (!('own' in deps.core)) return deps;
  const { crew: _, ...own } = deps.core.own;
  return { ...deps, core: { own } };
}

const set = (calls = createCalls()) => ({ calls, tools: [payTool(calls), other] });

describe('executor', () => {
  it('sends what a process without the duty has recorded, whose caller gets the outcome by the log', () => {
    const { calls, tools } = set();
    return inServices({ tools }, async (world) => {
      const caller = await world.openCaller();
      const answer = propose(caller, 'pay', { invoice: '1' }, 20 * second);
      await world.runtime.settle();
      expect(calls.begun).toEqual([]);
      await world.run(createExecutor(world.depsOf('executor')));
      // What it finds open when it starts is due at once.
      await world.runtime.advance(0);
      expect(await answer).toMatchObject({ word: 'done', repeat: false, result: { paid: '1' } });
      expect(await world.types((await answer).actionId)).toEqual([
        'ActionPlanned',
        'ActionClaimed',
        'ActionDispatched',
        'ActionSucceeded',
      ]);
    });
  });

  it('moves on in the log once the dispatch is on record: a long call holds nothing up', () => {
    const { calls, tools } = set();
    return inServices({ tools, partitions: 1 }, async (world) => {
      const caller = await world.openCaller();
      await world.run(createExecutor(world.depsOf('executor')));
      const { actionId } = await propose(caller, 'pay', { invoice: 'slow' });
      await world.runtime.settle();
      expect(await world.types(actionId)).toHaveLength(3);
      expect(await lagOf(world)).toBe(0);
      await propose(caller, 'pay', { invoice: '2' });
      await world.runtime.settle();
      expect(calls.begun).toEqual(['slow', '2']);
      calls.answer('slow');
    });
  });

  it('stays where it is in the log while the claim cannot be recorded, and claims once it can', () => {
    const { calls, tools } = set();
    let isAway = false;
    const plan: FaultPlan = {
      beforeAppend: ({ events }) => {
        if (isAway && events.some(({ type }) => type === 'ActionClaimed'))
          throw new StoreFault('store.unavailable', 'safe', 'The event store is away (injected).');
      },
    };
    return inServices(
      { tools, storeOf: (store) => createFaultyEventStore(store, plan) },
      async (world) => {
        const caller = await world.openCaller();
        await world.run(createExecutor(world.depsOf('executor')));
        isAway = true;
        await propose(caller, 'pay', { invoice: '1' });
        await world.runtime.advance(4 * second);
        expect(calls.begun).toEqual([]);
        expect(await lagOf(world)).toBeGreaterThan(0);
        isAway = false;
        await world.runtime.advance(30 * second);
        expect(calls.begun).toEqual(['1']);
        expect(await lagOf(world)).toBe(0);
      },
    );
  });

  it('reads an action once and appends three times to carry it out', () => {
    const { tools } = set();
    const reads: string[] = [];
    const appends: string[] = [];
    const plan: FaultPlan = {
      beforeRead: (call) => {
        if (call.kind === 'stream') reads.push(call.stream);
      },
      beforeAppend: ({ stream }) => {
        appends.push(stream);
      },
    };
    return inServices(
      {
        ...{ tools, crew: amongProcesses },
        storeOf: (store) => createFaultyEventStore(store, plan),
      },
      async (world) => {
        const caller = await world.openCaller();
        await world.run(createExecutor(world.depsOf('executor')));
        const { actionId = '' } = await propose(caller, 'pay', { invoice: 'i-1' });
        const stream = `action-${actionId}`;
        [reads, appends].forEach((calls) => (calls.length = 0));
        await world.runtime.settle();
        expect(await world.types(actionId)).toContain('ActionSucceeded');
        expect(reads.filter((each) => each === stream)).toHaveLength(1);
        expect(appends.filter((each) => each === stream)).toHaveLength(3);
      },
    );
  });

  it('looks once a second at a value that waits for the one before it, though its store takes its time', () => {
    const { answer, tool } = slowValue();
    const reads = new Map<string, number>();
    let pause = async (): Promise<void> => undefined;
    const plan: FaultPlan = {
      beforeRead: async (call) => {
        if (call.kind === 'stream') reads.set(call.stream, (reads.get(call.stream) ?? 0) + 1);
        await pause();
      },
    };
    return inServices(
      { tools: [tool], storeOf: (store) => createFaultyEventStore(store, plan) },
      async (world) => {
        const caller = await world.openCaller();
        await world.run(createExecutor(world.depsOf('executor')));
        const before = await propose(caller, 'set', { account: 'a', seats: 1 });
        await world.runtime.settle();
        const { actionId = '' } = await propose(caller, 'set', { account: 'a', seats: 2 });
        await world.runtime.settle();
        pause = () => new Promise((resolve) => void world.runtime.timers.after(5, resolve));
        reads.clear();
        await world.runtime.advance(10 * second);
        const looks = reads.get(`action-${before.actionId ?? ''}`) ?? 0;
        expect(looks).toBeGreaterThan(5);
        expect(looks).toBeLessThan(50);
        expect(await world.types(actionId)).toEqual(['ActionPlanned']);
        answer();
        await world.runtime.advance(5 * second);
        expect(await world.types(actionId)).toContain('ActionSucceeded');
      },
    );
  });

  it('stops within a bound though the store is away when an outcome is to be recorded', () => {
    const { calls, tools } = set();
    let isAway = false;
    const plan: FaultPlan = {
      beforeAppend: () => {
        if (isAway) throw new StoreFault('store.unavailable', 'safe', 'away (injected)');
      },
    };
    return inServices(
      { tools, storeOf: (store) => createFaultyEventStore(store, plan) },
      async (world) => {
        const caller = await world.openCaller();
        const executor = await world.run(createExecutor(world.depsOf('executor')));
        const { actionId = '' } = await propose(caller, 'pay', { invoice: 'slow' });
        await world.runtime.settle();
        isAway = true;
        calls.answer('slow');
        let isStopped = false;
        void executor.stop().then(() => (isStopped = true));
        await world.runtime.advance(2 * minute);
        expect(isStopped).toBe(true);
        expect(world.faults.join()).toContain(`outcome of ${actionId}: Error: It is not on record`);
        isAway = false;
      },
    );
  });

  it('waits for no lookup that the core it shares is about', () => {
    let findNow = (): void => undefined;
    const asked = new Promise<void>((resolve) => (findNow = resolve));
    const sought = defineTool({
      name: 'sought',
      input: z.object({ invoice: z.string() }),
      guarantee: 'lookup',
      execute: () => Promise.reject(new Error('the connection broke')),
      lookup: () => asked.then(() => ({ verdict: 'found' as const })),
    });
    return inServices({ tools: [sought] }, async (world) => {
      const core = await world.openCaller();
      // As far as what it did itself is known to it no more.
      const shared = { core: { ...core, isKnown: () => false } };
      await core.begin('reconcile');
      await world.run(createExecutor({ ...world.depsOf('executor'), core: shared }));
      const { actionId } = await propose(core, 'sought', { invoice: '1' });
      await world.runtime.advance(6 * second);
      expect((await world.types(actionId)).at(-1)).toBe('ActionOutcomeUnknown');
      expect(await lagOf(world)).toBe(0);
      findNow();
      await world.runtime.settle();
      expect((await world.types(actionId)).at(-1)).toBe('ActionReconciled');
    });
  });

  it('is not disturbed where others that share its core stop', () => {
    const { calls, tools } = set();
    return inServices({ tools }, async (world) => {
      const core = await world.openCaller();
      const depsOf = (name: string): ServiceDeps => ({
        ...world.depsOf(name),
        core: { core },
        drainMs: second,
      });
      await world.run(createExecutor(depsOf('executor')));
      const others = [createReconciler(depsOf('r')), createCompensator(depsOf('c'))];
      for (const each of others) await world.run(each);
      const { actionId } = await propose(core, 'pay', { invoice: 'slow' });
      await world.runtime.settle();
      const stopped = others.map((each) => each.stop());
      await world.runtime.advance(2 * second);
      await Promise.all(stopped);
      calls.answer('slow');
      await world.runtime.settle();
      expect((await world.types(actionId)).slice(2)).toEqual([
        'ActionDispatched',
        'ActionSucceeded',
      ]);
    });
  });

  it('takes no more than it has slots for, pauses meanwhile, and goes on when one is free', () => {
    const { calls, tools } = set();
    return inServices({ tools, partitions: 1 }, async (world) => {
      const caller = await world.openCaller();
      const executor = await world.run(createExecutor(world.depsOf('executor', { slotsMax: 1 })));
      for (const invoice of ['slow 1', 'slow 2', '3']) await propose(caller, 'pay', { invoice });
      await world.runtime.advance(10 * second);
      expect(calls.begun).toEqual(['slow 1']);
      expect(executor.health().condition).toBe('paused');
      calls.answer('slow 1');
      await world.runtime.advance(2 * second);
      expect(calls.begun).toEqual(['slow 1', 'slow 2']);
      calls.answer('slow 2');
      await world.runtime.advance(2 * second);
      expect(calls.begun).toEqual(['slow 1', 'slow 2', '3']);
      expect(executor.health().condition).toBe('live');
    });
  });

  it('leaves to others what it has no room for', () => {
    const { calls, tools } = set();
    return inServices({ tools }, async (world) => {
      const caller = await world.openCaller();
      const first = { ...world.depsOf('executor-1', { slotsMax: 1 }) };
      await world.run(createExecutor(first));
      for (const invoice of ['slow 1', 'slow 2']) await propose(caller, 'pay', { invoice });
      await world.runtime.settle();
      expect(calls.begun).toHaveLength(1);
      await world.run(createExecutor(world.depsOf('executor-2')));
      await world.runtime.advance(6 * second);
      expect(calls.begun).toEqual(['slow 1', 'slow 2']);
      calls.answer('slow 1');
      calls.answer('slow 2');
      await world.runtime.advance(6 * second);
      expect(calls.begun).toHaveLength(2);
    });
  });

  it('claims only tools that it has', () => {
    const { calls, tools } = set();
    return inServices({ tools }, async (world) => {
      const caller = await world.openCaller();
      const payOnly = { tools: createToolSet([payTool(calls)]) };
      await world.run(createExecutor(world.depsOf('executor', payOnly)));
      const { actionId } = await propose(caller, 'other', { invoice: '1' });
      await world.runtime.advance(20 * second);
      expect(await world.types(actionId)).toEqual(['ActionPlanned']);
      await world.run(createExecutor(world.depsOf('executor-2')));
      await world.runtime.advance(6 * second);
      expect(await world.types(actionId)).toContain('ActionSucceeded');
    });
  });

  it('is left no secret arguments, which nobody but the process that was told them has', () => {
    const sent: string[] = [];
    const secret = defineTool({
      name: 'secret',
      input: z.object({ invoice: z.string(), pin: z.string() }),
      secret: ['pin'],
      guarantee: 'manual',
      execute: ({ arguments: { pin }, beforeSend }) => {
        beforeSend();
        sent.push(pin);
        return {};
      },
    });
    return inServices({ tools: [secret] }, async (world) => {
      const caller = await world.openCaller();
      await world.run(createExecutor(world.depsOf('executor')));
      await world.run(createReconciler(world.depsOf('reconciler')));
      const refused = { word: 'refused', state: 'refused', code: 'tool.takes-secrets' };
      const args = { invoice: '1', pin: '4711' };
      expect(await propose(caller, 'secret', args, 20 * second)).toMatchObject(refused);
      expect((await world.store.readAll({ after: 0, max: 10 })).map(({ type }) => type)).toEqual([
        'ToolRegistered',
      ]);
      // A process that carries out itself takes them, and its answer is every process's.
      await caller.begin('send');
      expect(await propose(caller, 'secret', args, 20 * second)).toMatchObject({ word: 'done' });
      await caller.end('send');
      const again = await propose(caller, 'secret', args, 20 * second);
      expect(again).toMatchObject({ word: 'already-done', repeat: true });
      expect(sent).toEqual(['4711']);
    });
  });

  it('keeps its claim while another process looks, though nobody said that there are several', () => {
    const { calls, tools } = set();
    return inServices({ tools }, async (world) => {
      const caller = await world.openCaller();
      await world.run(createExecutor(alone(world.depsOf('executor'))));
      await world.run(createReconciler(alone(world.depsOf('reconciler'))));
      const { actionId } = await propose(caller, 'pay', { invoice: 'slow' });
      await world.runtime.advance(20 * second);
      expect((await world.types(actionId)).at(-1)).toBe('ActionDispatched');
      calls.answer('slow');
    });
  });

  it('is not told of what the core that it shares has done', () => {
    const { tools } = set();
    return inServices({ tools, partitions: 1 }, async (world) => {
      const core = await world.openCaller();
      const { runtime, store } = world;
      const log = await openEmbeddedEventLog({ path: ':memory:', store, runtime });
      const executor = createExecutor({ ...world.depsOf('executor'), core: { core }, log });
      await world.run(executor);
      await propose(core, 'pay', { invoice: '1' }, second);
      await runtime.advance(second);
      expect(executor.health().handled).toBe(0);
      expect(await lagOf({ log })).toBe(0);
    });
  });

  it('finds by its sweep what no log tells of, and is harmless when that comes late', () => {
    const { calls, tools } = set();
    return inServices({ tools }, async (world) => {
      const caller = await world.openCaller();
      await world.run(createExecutor(world.depsOf('executor')));
      world.holdLog();
      const answer = propose(caller, 'pay', { invoice: '1' }, 20 * second);
      await world.runtime.advance(6 * second);
      expect(calls.begun).toEqual(['1']);
      expect(await answer).toMatchObject({ word: 'done' });
      await world.tellLog();
      await world.runtime.advance(6 * second);
      expect(calls.begun).toEqual(['1']);
    });
  });

  it('shares a group: two of them send everything once', () => {
    const { calls, tools } = set();
    return inServices({ tools }, async (world) => {
      const caller = await world.openCaller();
      await world.run(createExecutor(world.depsOf('executor-1')));
      await world.run(createExecutor(world.depsOf('executor-2')));
      const all = Array.from({ length: 40 }, (_, n) => String(n));
      await Promise.all(all.map((invoice) => propose(caller, 'pay', { invoice })));
      await world.runtime.advance(20 * second);
      expect([...calls.begun].sort()).toEqual([...all].sort());
    });
  });

  it('waits for the calls under way when it stops, begins nothing more, and goes on when it is started', () => {
    const { calls, tools } = set();
    return inServices({ tools }, async (world) => {
      const caller = await world.openCaller();
      const executor = await world.run(createExecutor(world.depsOf('executor')));
      const { actionId } = await propose(caller, 'pay', { invoice: 'slow' });
      await world.runtime.settle();
      const stopped = executor.stop();
      await propose(caller, 'pay', { invoice: '2' });
      await world.runtime.advance(6 * second);
      expect(calls.begun).toEqual(['slow']);
      calls.answer('slow');
      await world.runtime.settle();
      await stopped;
      expect(await world.types(actionId)).toContain('ActionSucceeded');
      expect(executor.health().condition).toBe('stopped');
      await executor.start();
      await world.runtime.advance(second);
      expect(calls.begun).toEqual(['slow', '2']);
    });
  });
});
