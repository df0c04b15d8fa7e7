// What a log does to the services that follow it, over many actions: it is read again from its start, its
// offsets jump, and everything is told of to all at once. The streams decide, so nothing comes of it.
import { describe, expect, it } from '@jest/globals';
import { createCompensator } from '@action-ledger/compensator';
import { actionTopics } from '@action-ledger/event-log';
import { createExecutor } from '@action-ledger/executor';
import { createReconciler } from '@action-ledger/reconciler';
import { defineTool, type Tool } from '@action-ledger/tools';
import { z } from 'zod';
import { inServices, minute, propose, second, type ServicesWorld } from './world.ts';

function payTool(sent: string[], more: Partial<Parameters<typeof defineTool>[0]> = {}): Tool {
  return defineTool({
    name: 'pay',
    input: z.object({ invoice: z.string() }),
    guarantee: 'manual',
    execute: ({ arguments: args, beforeSend }) => {
      beforeSend();
      const { invoice } = args as { readonly invoice: string };
      sent.push(invoice);
      if (invoice.startsWith('lost')) throw new Error('the connection broke');
      return { paid: invoice };
    },
    ...more,
  });
}

const numbered = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, number) => `i-${number}`);

async function claims({ store }: ServicesWorld): Promise<number> {
  return store.events().filter(({ type }) => type === 'ActionClaimed').length;
}

describe('F115 rebuild fires side effects', () => {
  it('300 actions done, some in doubt, one asked: read from the start with all at work → nothing', () => {
    const sent: string[] = [];
    const asks = payTool(sent, { name: 'publish', approval: true });
    return inServices({ tools: [payTool(sent), asks] }, async (world) => {
      const caller = await world.openCaller();
      const create = [createExecutor, createReconciler, createCompensator] as const;
      const services = create.map((each, number) => each(world.depsOf(`service-${number}`)));
      for (const service of services) await world.run(service);
      await Promise.all(
        [...numbered(300), 'lost 1', 'lost 2'].map((invoice) =>
          propose(caller, 'pay', { invoice }),
        ),
      );
      await propose(caller, 'publish', { invoice: 'asked' });
      await world.runtime.advance(minute);
      expect(sent).toHaveLength(302);
      const before = world.store.events().length;
      const told = world.notices.length;
      for (const service of services) await service.stop();
      for (const group of ['executor', 'reconciler', 'compensator'])
        await world.log.reset({ group, topics: [actionTopics.events], to: 'start' });
      for (const service of services) await service.start();
      await world.runtime.advance(minute);
      const lags = await world.log.lag('executor', [actionTopics.events]);
      expect(lags.every(({ lag }) => lag === 0)).toBe(true);
      expect(sent).toHaveLength(302);
      expect(world.store.events()).toHaveLength(before);
      expect(world.notices).toHaveLength(told);
    });
  });
});

describe('F109 checkpoint ahead of handled events', () => {
  it('the offsets of a group jump over what it has not handled → its look at the streams finds it', () => {
    const sent: string[] = [];
    return inServices({ tools: [payTool(sent)] }, async (world) => {
      const caller = await world.openCaller();
      const executor = await world.run(createExecutor(world.depsOf('executor')));
      await executor.stop();
      for (const invoice of numbered(20)) await propose(caller, 'pay', { invoice });
      await world.log.reset({ group: 'executor', topics: [actionTopics.events], to: 'now' });
      await executor.start();
      await world.runtime.advance(second);
      expect([...sent].sort()).toEqual([...numbered(20)].sort());
    });
  });
});

describe('F117 select-then-claim', () => {
  it('50 actions, 6 executors with cores of their own that see all of them at once → 50 claims, one effect each', () => {
    const sent: string[] = [];
    return inServices({ tools: [payTool(sent)], partitions: 12 }, async (world) => {
      const caller = await world.openCaller();
      world.holdLog();
      for (const invoice of numbered(50)) await propose(caller, 'pay', { invoice });
      const executors = numbered(6).map((name) => createExecutor(world.depsOf(name)));
      await Promise.all(executors.map((executor) => world.run(executor)));
      await world.tellLog();
      await world.runtime.advance(minute);
      expect([...sent].sort()).toEqual([...numbered(50)].sort());
      expect(await claims(world)).toBe(50);
      expect(world.faults).toEqual([]);
    });
  });
});
