// What waits for the end of a pause costs next to nothing meanwhile, and goes on at once when it ends.
import { describe, expect, it } from '@jest/globals';
import { amongProcesses, type Core } from '@action-ledger/application';
import { createExecutor } from '@action-ledger/executor';
import { createReconciler } from '@action-ledger/reconciler';
import { defineTool, inDoubt, type Tool } from '@action-ledger/tools';
import { z } from 'zod';
import { inServices, minute, propose, second } from './world.ts';

const waiting = 20;

function payTool(sent: string[], isInDoubt: () => boolean): Tool {
  return defineTool({
    name: 'pay',
    input: z.object({ invoice: z.string() }),
    guarantee: 'idempotent',
    keyWindow: '24h',
    timeoutMs: second,
    inFlightMs: second,
    execute: ({ arguments: { invoice }, beforeSend }) => {
      beforeSend();
      sent.push(invoice);
      return isInDoubt() ? inDoubt('the answer was lost') : { paid: invoice };
    },
  });
}

async function proposeMany(core: Core): Promise<void> {
  for (let n = 0; n < waiting; n += 1) await propose(core, 'pay', { invoice: `${n}` });
}

const because = { tool: 'pay', by: 'ann', reason: 'the provider is down' };

async function pause({ ledger }: Core): Promise<() => Promise<void>> {
  const paused = await ledger.pause(because);
  const revisionSeen = 'revision' in paused ? paused.revision : NaN;
  return async () => {
    await ledger.resume({ ...because, revisionSeen });
  };
}

describe('what is paused', () => {
  it('is sent at once when another process resumes it', async () => {
    const sent: string[] = [];
    const tool = payTool(sent, () => false);
    await inServices({ tools: [tool], crew: amongProcesses }, async (world) => {
      const caller = await world.openCaller();
      await proposeMany(caller);
      const resume = await pause(caller);
      await world.run(createExecutor(world.depsOf('executor')));
      await world.runtime.advance(10 * second);
      expect(sent).toEqual([]);
      await resume();
      await world.runtime.advance(second);
      expect(sent).toHaveLength(waiting);
    });
  });

  it('is not read meanwhile where it is in doubt, and sent again at once when it is resumed', async () => {
    const sent: string[] = [];
    let isInDoubt = true;
    const tool = payTool(sent, () => isInDoubt);
    await inServices({ tools: [tool], crew: amongProcesses }, async (world) => {
      const caller = await world.openCaller();
      await caller.begin('send');
      await proposeMany(caller);
      await world.runtime.settle();
      await caller.end('send');
      isInDoubt = false;
      const resume = await pause(caller);
      const reads = { count: 0 };
      const store: typeof world.store = {
        ...world.store,
        readStream: (stream, from) => {
          if (stream.startsWith('action-')) reads.count += 1;
          return world.store.readStream(stream, from);
        },
      };
      await world.run(createReconciler(world.depsOf('reconciler', { store })));
      await world.runtime.advance(minute);
      const before = reads.count;
      await world.runtime.advance(40 * second);
      expect(reads.count - before).toBeLessThan(waiting + 1);
      expect(sent).toHaveLength(waiting);
      await resume();
      await world.runtime.advance(second);
      expect(sent).toHaveLength(2 * waiting);
    });
  });
});
