// A service that is stopped while it starts, or cannot start: it lets go of what it has taken up, and does
// nothing afterwards.
import { describe, expect, it } from '@jest/globals';
import { amongProcesses, type Core } from '@action-ledger/application';
import { LogFault } from '@action-ledger/event-log';
import { type EventStore, StoreFault } from '@action-ledger/event-store';
import { createExecutor } from '@action-ledger/executor';
import { stopTimes } from '@action-ledger/process';
import { createFaultyEventStore } from '@action-ledger/testkit';
import { defineTool } from '@action-ledger/tools';
import { z } from 'zod';
import { inServices, propose, second, type ServicesWorld } from './world.ts';

const tools = [
  defineTool({
    name: 'pay',
    input: z.object({ invoice: z.string() }),
    guarantee: 'manual',
    execute: () => ({}),
  }),
];

function createGate() {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return {
    opened,
    open: () => {
      open();
    },
  };
}

async function stopWhileItStarts(
  world: ServicesWorld,
  deps: Parameters<typeof createExecutor>[0],
  goOn: () => void,
): Promise<void> {
  const executor = createExecutor(deps);
  const started = executor.start();
  await world.runtime.settle();
  const stopped = executor.stop();
  await world.runtime.settle();
  goOn();
  await world.runtime.settle();
  await Promise.all([started, stopped]);
  expect(executor.health().condition).toBe('stopped');
}

/** It answers to nothing, not even to being aborted. */
const deaf = defineTool({
  name: 'deaf',
  input: z.object({ invoice: z.string() }),
  guarantee: 'manual',
  execute: ({ beforeSend }) => {
    beforeSend();
    return new Promise(() => {});
  },
});

/** @returns after how many seconds */
async function stoppedAfter(world: ServicesWorld, stopped: Promise<void>): Promise<number> {
  const ended: true[] = [];
  void stopped.then(() => ended.push(true));
  for (let s = 0; s < 120; s += 1) {
    if (ended.length > 0) return s;
    await world.runtime.advance(second);
  }
  throw new Error('it did not stop');
}

describe('a service', () => {
  it('has stopped in the time of its process, though a call, its handler and its follower hang', () =>
    inServices({ tools: [deaf], crew: amongProcesses }, async (world) => {
      const caller = await world.openCaller();
      const { drainMs, stopWithinMs, wholeMs } = stopTimes;
      const gate = createGate();
      let isHanging = false;
      const hang = (): Promise<void> | undefined => (isHanging ? gate.opened : undefined);
      const store: EventStore = {
        ...world.store,
        readStream: async (...asked) => {
          await hang();
          return world.store.readStream(...asked);
        },
        append: async (...given) => {
          await hang();
          return world.store.append(...given);
        },
      };
      const deps = world.depsOf('executor', { store, drainMs });
      const executor = await world.run(createExecutor({ ...deps, drainMs, stopWithinMs }));
      await propose(caller, 'deaf', { invoice: '1' });
      await world.runtime.settle();
      isHanging = true;
      await propose(caller, 'deaf', { invoice: '2' });
      await world.runtime.settle();
      const afterMs = (await stoppedAfter(world, executor.stop())) * second;
      gate.open();
      expect(afterMs).toBeGreaterThan(drainMs + 5 * second);
      expect(afterMs).toBeLessThan(wholeMs);
    }));

  it('that is stopped while its core is opened sends nothing afterwards', () =>
    inServices({ tools }, async (world) => {
      const caller = await world.openCaller();
      const gate = createGate();
      const store = {
        ...world.store,
        readAll: async (request: Parameters<typeof world.store.readAll>[0]) => {
          await gate.opened;
          return world.store.readAll(request);
        },
      };
      await stopWhileItStarts(world, world.depsOf('executor', { store }), gate.open);
      const { actionId } = await propose(caller, 'pay', { invoice: '1' });
      await world.runtime.advance(10 * second);
      expect(await world.types(actionId)).toEqual(['ActionPlanned']);
    }));

  it('that is stopped while it takes up its duty on a shared core lays it down', () =>
    inServices({ tools }, async (world) => {
      const core = await world.openCaller();
      const gate = createGate();
      const begin: Core['begin'] = async (duty) => {
        await core.begin(duty);
        await gate.opened;
      };
      const deps = { ...world.depsOf('executor'), core: { core: { ...core, begin } } };
      await stopWhileItStarts(world, deps, gate.open);
      expect(core.has('send')).toBe(false);
    }));

  it('that cannot follow the log has no duty', () =>
    inServices({ tools }, async (world) => {
      const core = await world.openCaller();
      const fault = new LogFault('log.unknown-topic', 'never', 'there is none');
      const log = { ...world.log, consume: () => Promise.reject(fault) };
      const executor = createExecutor({ ...world.depsOf('executor'), core: { core }, log });
      await expect(executor.start()).rejects.toBe(fault);
      expect(core.has('send')).toBe(false);
    }));

  it('whose store was away when it started can be started once that is back', () => {
    let isAway = false;
    const away = ({ kind }: { readonly kind: string }): void => {
      if (isAway && kind === 'stream')
        throw new StoreFault('store.unavailable', 'safe', 'away (injected)');
    };
    return inServices(
      { tools, storeOf: (store) => createFaultyEventStore(store, { beforeRead: away }) },
      async (world) => {
        const first = await world.openCaller('first');
        await first.begin('send');
        await propose(first, 'pay', { invoice: '1' });
        await world.runtime.settle();
        const core = await world.openCaller('second');
        const executor = createExecutor({ ...world.depsOf('executor'), core: { core } });
        isAway = true;
        await expect(executor.start()).rejects.toThrow('away');
        isAway = false;
        await executor.start();
        expect(core.has('send')).toBe(true);
        await executor.stop();
      },
    );
  });
});
