// One external id belongs to one action, whichever of the processes is told of it first.
import { describe, expect, it } from '@jest/globals';
import { amongProcesses, type Core } from '@action-ledger/application';
import { type EventStore, StoreFault } from '@action-ledger/event-store';
import { createReconciler } from '@action-ledger/reconciler';
import {
  createToolSet,
  defineTool,
  inDoubt,
  type LookupVerdict,
  type Tool,
} from '@action-ledger/tools';
import { z } from 'zod';
import { inServices, minute, propose, second, type ServicesWorld } from './world.ts';

/** @param lookUp by the number of the invoice; default: it hangs */
function payTool(
  lookUp: (invoice: string) => Promise<LookupVerdict> = () => new Promise(() => {}),
): Tool {
  return defineTool({
    name: 'pay',
    input: z.object({ invoice: z.string() }),
    guarantee: 'lookup',
    timeoutMs: 10 * second,
    execute: ({ beforeSend }) => {
      beforeSend();
      return inDoubt('the answer was lost');
    },
    lookup: ({ arguments: { invoice } }) => lookUp(invoice),
  });
}

const found: LookupVerdict = { verdict: 'found', externalId: 'p-1', result: { paid: true } };

/** A reconciler that is answered of this invoice alone, when the test says so. */
async function reconcilerOf(world: ServicesWorld, mine: string, store: EventStore = world.store) {
  let answer = (): void => undefined;
  const answered = new Promise<LookupVerdict>((resolve) => {
    answer = () => {
      resolve(found);
    };
  });
  const tool = payTool((invoice) => (invoice === mine ? answered : new Promise(() => {})));
  const tools = createToolSet([tool]);
  const deps = world.depsOf(`reconciler-${mine}`, { tools, store });
  return { answer, reconciler: await world.run(createReconciler(deps)) };
}

async function idsTaken({ store }: ServicesWorld): Promise<number> {
  const events = await store.readAll({ after: 0, max: 1_000 });
  return events.filter(({ type }) => type === 'ExternalIdTaken').length;
}

async function statusOf({ ledger }: Core, actionId: string | undefined): Promise<string> {
  const loaded = await ledger.load(actionId ?? '');
  return loaded.kind === 'action' ? loaded.action.status : loaded.kind;
}

/** Two actions whose outcome is not known, and a core that does nothing about it. */
async function inDoubtBoth(world: ServicesWorld) {
  const core = await world.openCaller();
  await core.begin('send');
  const one = await propose(core, 'pay', { invoice: '1' });
  const two = await propose(core, 'pay', { invoice: '2' });
  await world.runtime.advance(second);
  await core.end('send');
  const statuses = async (): Promise<readonly string[]> => [
    await statusOf(core, one.actionId),
    await statusOf(core, two.actionId),
  ];
  expect(await statuses()).toEqual(['unknown', 'unknown']);
  return { core, one: one.actionId ?? '', two: two.actionId ?? '', statuses };
}

/** Its process dies between the id and the verdict. */
function dyingAfterIds(store: EventStore): EventStore {
  let isDead = false;
  return {
    ...store,
    append: async (stream, expected, events) => {
      if (isDead) throw new StoreFault('store.unavailable', 'never', 'gone');
      isDead = stream.startsWith('external-id-');
      return store.append(stream, expected, events);
    },
  };
}

const proof = { source: 'webhook', claims: 'success', proven: true, externalId: 'p-1' } as const;

describe('an external id of which several processes are told', () => {
  it('goes to one of two actions that are looked up at once', () =>
    inServices({ tools: [payTool()], crew: amongProcesses }, async (world) => {
      const { statuses } = await inDoubtBoth(world);
      const both = [await reconcilerOf(world, '1'), await reconcilerOf(world, '2')];
      await world.runtime.advance(5 * second);
      world.holdLog();
      for (const { answer } of both) answer();
      await world.runtime.settle();
      expect([...(await statuses())].sort()).toEqual(['succeeded', 'unknown']);
      expect(await idsTaken(world)).toBe(1);
    }));

  it('goes to one of two actions of which a webhook and a lookup tell at once', () =>
    inServices({ tools: [payTool()], crew: amongProcesses }, async (world) => {
      const { core, two, statuses } = await inDoubtBoth(world);
      const { answer } = await reconcilerOf(world, '1');
      await world.runtime.advance(5 * second);
      world.holdLog();
      answer();
      await core.ledger.report(two, proof);
      await world.runtime.settle();
      expect([...(await statuses())].sort()).toEqual(['succeeded', 'unknown']);
    }));

  it('is taken up again by its action after a crash, and by no other', () =>
    inServices({ tools: [payTool()], crew: amongProcesses }, async (world) => {
      const { core, two, statuses } = await inDoubtBoth(world);
      const died = await reconcilerOf(world, '1', dyingAfterIds(world.store));
      await world.runtime.advance(5 * second);
      died.answer();
      await world.runtime.settle();
      expect(await idsTaken(world)).toBe(1);
      const stopped = died.reconciler.stop();
      await world.runtime.advance(minute);
      await stopped;
      await core.ledger.report(two, proof);
      expect(await statuses()).toEqual(['unknown', 'unknown']);
      const { answer } = await reconcilerOf(world, '1');
      answer();
      await world.runtime.advance(minute);
      expect(await statuses()).toEqual(['succeeded', 'unknown']);
      expect(await idsTaken(world)).toBe(1);
    }));

  it('costs nothing where it is on record, nor where nobody else appends', async () => {
    await inServices({ tools: [payTool()], crew: amongProcesses }, async (world) => {
      const { core, one } = await inDoubtBoth(world);
      await core.ledger.report(one, proof);
      await core.ledger.report(one, { ...proof, id: 'again' });
      await core.ledger.report('A'.repeat(43) + '.0', { ...proof, externalId: 'p-2' });
      expect(await idsTaken(world)).toBe(1);
    });
    await inServices({ tools: [payTool()] }, async (world) => {
      const { core, one } = await inDoubtBoth(world);
      await core.ledger.report(one, proof);
      expect(await idsTaken(world)).toBe(0);
    });
  });
});
