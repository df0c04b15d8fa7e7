// A service that is stopped while it starts, or cannot start: it lets go of what it has taken up, and does
// nothing afterwards.
import { describe, expect, it } from '@jest/globals';
import { type Core } from '@action-ledger/application';
import { LogFault } from '@action-ledger/event-log';
import { StoreFault } from '@action-ledger/event-store';
import { createExecutor } from '@action-ledger/executor';
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

describe('a service', () => {
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
