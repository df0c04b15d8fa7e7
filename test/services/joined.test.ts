// Calls that join at a process that only records, while another carries the action out: an ending without
// effect is theirs whenever they come again.
import { expect, it } from '@jest/globals';
import { amongProcesses } from '@action-ledger/application';
import { createExecutor } from '@action-ledger/executor';
import { defineTool, refused } from '@action-ledger/tools';
import { z } from 'zod';
import { inServices, second } from './world.ts';

const call = (id: string) => ({
  tool: 'book',
  arguments: { seat: '7a' },
  tenant: 'acme',
  origin: { run: 'run-1', turn: id, call: id },
});

it('F131 a call that joined at a gateway, delivered again after a failure → the recorded ending', () => {
  let refuse = (): void => undefined;
  const isOver = new Promise<void>((resolve) => (refuse = resolve));
  const book = defineTool({
    name: 'book',
    input: z.object({ seat: z.string() }),
    guarantee: 'manual',
    execute: async ({ beforeSend }) => {
      beforeSend();
      await isOver;
      return refused('sold out');
    },
  });
  return inServices({ tools: [book], crew: amongProcesses }, async (world) => {
    const { ledger } = await world.openCaller();
    await world.run(createExecutor(world.depsOf('executor')));
    const { actionId } = await ledger.propose({ ...call('1'), waitMs: 0 });
    await world.runtime.settle();
    const waiting = ledger.propose({ ...call('2'), waitMs: 20 * second });
    await ledger.propose({ ...call('3'), waitMs: 0 });
    refuse();
    await world.runtime.settle();
    expect(await waiting).toMatchObject({ actionId, state: 'failed' });
    for (const id of ['2', '3'])
      expect(await ledger.propose({ ...call(id), waitMs: 0 })).toMatchObject({
        actionId,
        state: 'failed',
        repeat: true,
      });
    const ending = ['ActionFailed', 'CallJoined', 'CallJoined'];
    expect((await world.types(actionId)).slice(3)).toEqual(ending);
  });
});
