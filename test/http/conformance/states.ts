// A world with something in every state, so that commands find what they are for: actions that succeeded, failed,
// wait for people, run, are unknown; incidents, workflows, pauses, keys. And what a generator must know of it.
import { z } from 'zod';
import { roles } from '@action-ledger/access';
import { type Action, type Workflow } from '@action-ledger/domain';
import { defineTool, inDoubt, succeeded, type Tool } from '@action-ledger/tools';
import { type Ask, type Said, type World } from '../world.ts';

export const all = `acme:${roles.join('+')}`;
export const foreign = `umbrella:${roles.join('+')}`;
export const ann = 'acme:proposer+approver+operator:ann';

/** Beside those of every world: what needs approval only above an amount, what can be undone, and looked up. */
export const moreTools = [
  defineTool({
    name: 'sometimes',
    input: z.object({ invoice: z.string(), cents: z.number().int() }),
    identity: ['invoice'],
    guarantee: 'manual',
    approval: { votes: 1, when: ({ cents }: { cents: number }) => cents > 100 },
    execute: ({ beforeSend }) => {
      beforeSend();
      return succeeded({ paid: true });
    },
  }),
  defineTool({
    name: 'book',
    input: z.object({ what: z.string() }),
    guarantee: 'manual',
    execute: ({ arguments: { what }, beforeSend }) => {
      beforeSend();
      return succeeded({ id: `b-${what}` }, { externalId: `b-${what}` });
    },
  }),
  defineTool({
    name: 'release',
    input: z.object({ id: z.string() }),
    guarantee: 'manual',
    execute: ({ beforeSend }) => {
      beforeSend();
      return null;
    },
  }),
  defineTool({
    name: 'looked',
    input: z.object({ invoice: z.string() }),
    guarantee: 'lookup',
    lookup: () => ({ verdict: 'ambiguous', reason: 'two of them' }),
    execute: ({ beforeSend }) => {
      beforeSend();
      return inDoubt('no answer');
    },
  }),
] as readonly Tool[];

export const undo = { tool: 'release', arguments: { id: { $from: 'outcome.id' } } };

export interface Known {
  readonly actions: readonly Action[];
  readonly workflows: readonly Workflow[];
  readonly keys: readonly string[];
}

export async function knownIn(world: World): Promise<Known> {
  const actions: Action[] = [];
  for (const { action } of world.ledger.list({ limit: 60 })) {
    const loaded = await world.ledger.load(action);
    if (loaded.kind === 'action') actions.push(loaded.action);
  }
  const workflows: Workflow[] = [];
  for (const { workflow, tenant } of world.ledger.workflows.list({ limit: 20 })) {
    const shown = await world.ledger.workflows.show(workflow, { tenant });
    if (!('code' in shown)) workflows.push(shown);
  }
  const keys = (await world.keys.list()).map(({ id }) => id);
  return { actions, workflows, keys };
}

export interface Hands {
  readonly ask: (request: Ask) => Promise<Said>;
  readonly propose: (tool: string, args: object, more?: object, as?: string) => Promise<Said>;
  readonly step: (id: string, body: object) => Promise<Said>;
}

export function handsOf(world: World, ask: Hands['ask'] = world.ask): Hands {
  return {
    ask,
    propose: (tool, args, more = {}, as = all) =>
      ask({ url: '/v1/actions', body: { tool, arguments: args, run: 'first', ...more }, as }),
    step: (id, body) => ask({ url: `/v1/workflows/${id}/steps`, body }),
  };
}

export async function prepare(world: World): Promise<void> {
  const { ask, propose, step } = handsOf(world);
  const { nextSends } = world;
  await propose('pay', { invoice: 'a', cents: 500 });
  for (const invoice of ['b', 'c']) await propose('approved', { invoice, cents: 500 });
  for (const invoice of ['d', 'd2']) {
    nextSends('doubt');
    await propose('pay', { invoice, cents: 500 });
  }
  nextSends('refused');
  await propose('pay', { invoice: 'e', cents: 500 });
  await propose('approved', { invoice: 'f', cents: 500 }, {}, foreign);
  await propose('sometimes', { invoice: 'g', cents: 500 });
  await ask({ url: '/v1/keys', body: { name: 'bot', roles: ['proposer'] }, as: 'acme:owner' });
  for (const id of ['w-0', 'w-1', 'w-2', 'w-3']) {
    await ask({ url: '/v1/workflows', body: { id, input: 1 } });
    await step(id, { step: 's-1', tool: 'book', arguments: { what: id }, compensate: undo });
  }
  await ask({ url: '/v1/workflows/w-1/complete', body: { result: 1 } });
  await ask({ url: '/v1/workflows/w-2/fail', body: { reason: 'no more' } });
  await step('w-3', { step: 's-2', tool: 'approved', arguments: { invoice: 'w', cents: 5 } });
}
