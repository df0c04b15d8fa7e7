// Scenes of a program and of people with a ledger. Each checks what must have come of it, and gives all that
// was said, to be compared.
import { expect } from '@jest/globals';
import { fromOutcome } from '@action-ledger/client';
import { type World } from './world.ts';

type Scene = (world: World) => Promise<readonly unknown[]>;

const call = (invoice: string, name = 'c-1', cents = 500) => ({
  tool: 'pay',
  arguments: { invoice, cents },
  origin: { run: 'run-1', call: name },
});
const seen = { reason: 'looked into', revisionSeen: 0 };

export const scenes: Readonly<Record<string, Scene>> = {
  'a call, its repeats, and another call': async ({ as, provider }) => {
    const ann = await as('ann');
    const pay = ann.tool<object>('pay');
    const context = { run: 'run-1', turn: '1', call: 'c-1' };
    const said = [
      await pay.call({ invoice: 'A', cents: 500 }, context),
      await pay.call({ invoice: 'A', cents: 500 }, context),
      await pay.call({ invoice: 'A', cents: 500, note: 'again' }, { ...context, call: 'c-2' }),
      await pay.call({ invoice: 'A', cents: 900 }, { ...context, call: 'c-3' }),
      await pay.call({ invoice: 'B', cents: 500 }, { ...context, key: 'own key/ä', waitMs: 5_000 }),
      await pay.call({ invoice: 'C', cents: 500 }, { ...context, key: 'own key/ä' }),
    ];
    expect(said.map(({ word }) => word)).toEqual([
      'done',
      'already-done',
      'already-done',
      'other-arguments',
      'done',
      'other-arguments',
    ]);
    expect(provider.effects()).toHaveLength(2);
    return [...said, await ann.load(said[0]?.actionId ?? ''), await ann.list({ limit: 10 })];
  },

  'calls that are refused': async ({ as, provider }) => {
    const ann = await as('ann');
    provider.next('refused');
    const said = [
      await ann.propose(call('A')),
      await ann.propose(call('A')),
      await ann.propose({ ...call('B'), tool: 'denied' }),
      await ann.propose({ ...call('B'), tool: 'none' }),
      await ann.propose({ tool: 'pay', arguments: { invoice: 'A' }, origin: { run: 'r' } }),
      await ann.propose({
        tool: 'pay',
        arguments: { invoice: null, cents: 1 },
        origin: { run: 'r' },
      }),
      await ann.propose({ tool: 'pay', arguments: { invoice: 'A', cents: 5 } }),
      await ann.propose({ ...call('A'), key: '' }),
      await ann.propose({ ...call('A'), key: 'a\nb' }),
    ];
    expect(said.map(({ word }) => word)).not.toContain('done');
    expect(provider.effects()).toEqual([]);
    return said;
  },

  'a read': async ({ as }) => {
    const ann = await as('ann');
    const balance = ann.tool<object>('balance');
    return [await balance.call({ account: 'a' }), await balance.call({ account: 'gone' })];
  },

  'a secret argument': async ({ as }) => {
    const ann = await as('ann');
    const proposal = {
      ...call('A'),
      tool: 'secret',
      arguments: { invoice: 'A', cents: 5, note: 's' },
    };
    const { actionId, ...answer } = await ann.propose(proposal);
    const {
      argumentsHash: _keyed,
      arguments: stored,
      ...action
    } = actionIn(await ann.load(actionId ?? ''));
    expect(JSON.stringify([answer, stored, action])).not.toContain('"s"');
    return [answer.word, action.status, (await ann.propose(proposal)).word];
  },

  'a wait that is over, and one that is ended': async ({ as, provider }) => {
    const ann = await as('ann');
    provider.next('hang', 'hang');
    const late = await ann.propose({ ...call('A'), waitMs: 0 });
    const left = new AbortController();
    const leaving = ann.propose({ ...call('B'), waitMs: 60_000, signal: left.signal });
    while (provider.effects().length < 2) await new Promise(setImmediate);
    left.abort();
    const { repeat: _first, ...gone } = await leaving;
    const gonebefore = await ann.propose({ ...call('A'), waitMs: 60_000, signal: left.signal });
    expect([late.word, gone.word, gonebefore.word]).toEqual(Array(3).fill('in-progress'));
    provider.release();
    const rested = await ann.rest(late.actionId ?? '', 20_000);
    expect(rested?.status).toBe('succeeded');
    return [late, gone, gonebefore, rested];
  },

  'an approval': async ({ as, provider }) => {
    const [ann, bob] = [await as('ann'), await as('bob')];
    const waiting = await ann.propose({ ...call('A'), tool: 'approved' });
    expect(waiting.word).toBe('waiting-for-approval');
    const actionId = waiting.actionId ?? '';
    const { argumentsHash } = actionIn(await bob.load(actionId));
    const vote = { actionId, vote: 'approve', argumentsHash } as const;
    const said = [
      await ann.vote(vote),
      await bob.vote({ ...vote, argumentsHash: 'another' }),
      await bob.vote({ ...vote, revisionSeen: 0 }),
      await bob.list({ status: 'awaiting_approval', limit: 5 }),
      (await bob.vote(vote)).kind,
      (await bob.rest(actionId, 20_000))?.status,
      await bob.vote({ ...vote, vote: 'reject' }),
      await ann.propose({ ...call('A'), tool: 'approved' }),
    ];
    expect(provider.effects()).toHaveLength(1);
    return [waiting, ...said];
  },

  'a rejection, and a cancellation': async ({ as, provider }) => {
    const [ann, bob] = [await as('ann'), await as('bob')];
    const said: unknown[] = [];
    for (const invoice of ['A', 'B']) {
      const { actionId = '' } = await ann.propose({ ...call(invoice), tool: 'approved' });
      const { argumentsHash, revision } = actionIn(await bob.load(actionId));
      said.push(
        await bob.cancel({ actionId, reason: 'too early', revisionSeen: 0 }),
        invoice === 'A'
          ? await bob.vote({ actionId, vote: 'reject', argumentsHash, reason: 'no' })
          : await bob.cancel({ actionId, reason: 'ordered twice', revisionSeen: revision }),
        await ann.propose({ ...call(invoice), tool: 'approved' }),
      );
    }
    expect(provider.effects()).toEqual([]);
    return said;
  },

  'an edit': async ({ as, provider }) => {
    const [ann, bob] = [await as('ann'), await as('bob')];
    const { actionId = '', revision = 0 } = await ann.propose({ ...call('A'), tool: 'approved' });
    const edit = { actionId, reason: 'only four', revisionSeen: revision };
    const said = [
      await bob.edit({ ...edit, arguments: { invoice: 'A', cents: 500 } }),
      await bob.edit({ ...edit, arguments: { invoice: 'A', cents: 400 }, tool: 'pay' }),
      await bob.edit({ ...edit, arguments: { invoice: 'A' } }),
      await bob.edit({ ...edit, arguments: { invoice: 'A', cents: 400 } }),
      await ann.propose({ ...call('A'), tool: 'approved' }),
      await bob.load(actionId),
    ];
    expect(provider.effects()).toEqual([]);
    return said;
  },

  'an unknown that a person settles': async ({ as, provider }) => {
    const [ann, bob] = [await as('ann'), await as('bob')];
    provider.next('doubt', 'doubt');
    const unknown = await ann.propose(call('A'));
    expect(unknown.word).toBe('checking');
    const actionId = unknown.actionId ?? '';
    const { revision } = actionIn(await bob.load(actionId));
    const settle = { actionId, reason: 'in the statement', revisionSeen: revision };
    const said = [
      unknown,
      await bob.settle({ ...settle, verdict: 'absent' }),
      await bob.settle({ ...settle, revisionSeen: 0, verdict: 'found' }),
      (await bob.unknowns({ limit: 5 })).map(({ action, owner }) => ({ action, owner })),
      await bob.settle({ ...settle, verdict: 'found', externalId: 'tx-9', result: { seen: [1] } }),
      await bob.settle({ ...settle, verdict: 'found' }),
      await ann.propose(call('A')),
      await bob.unknowns({ limit: 5 }),
    ];
    const other = await ann.propose(call('B'));
    const forced = {
      actionId: other.actionId ?? '',
      reason: 'lost',
      revisionSeen: other.revision ?? 0,
    };
    return [
      ...said,
      await bob.settle({ ...forced, verdict: 'absent', forced: true }),
      await ann.propose(call('B')),
    ];
  },

  'evidence, and a repeat': async ({ as, provider }) => {
    const [ann, bob] = [await as('ann'), await as('bob')];
    provider.next('doubt');
    const { actionId = '' } = await ann.propose(call('A'));
    const note = { source: 'export', claims: 'note', proven: false, data: { row: 7 } } as const;
    const proof = {
      source: 'webhook',
      claims: 'success',
      proven: true,
      externalId: 'tx-7',
    } as const;
    const said = [
      await bob.report(actionId, note),
      await bob.report(actionId, proof),
      await bob.reportAbout({ ...note, tool: 'pay', externalId: 'tx-7', id: 'evt-1' }),
      await bob.reportAbout({ ...note, tool: 'pay', externalId: 'tx-7', id: 'evt-1' }),
      await bob.reportAbout({ ...note, tool: 'pay', externalId: 'of nobody yet' }),
      await bob.reportAbout({ ...note, downstreamKey: 'of nobody yet', action: actionId }),
    ];
    const { revision } = actionIn(await bob.load(actionId));
    const again = { of: actionId, reason: 'wanted twice', revisionSeen: revision };
    return [
      ...said,
      await bob.repeat({ ...again, revisionSeen: 0 }),
      await bob.repeat(again),
      await bob.repeat(again),
      await bob.repeat({ ...again, arguments: { invoice: 'A', cents: 7 } }),
      (await bob.load(actionId)).kind,
    ];
  },

  'reports by what the provider knows': async ({ as, provider }) => {
    const [ann, bob] = [await as('ann'), await as('bob')];
    provider.next('doubt');
    const { actionId = '' } = await ann.propose(call('A'));
    const { downstreamKey = '' } = actionIn(await bob.load(actionId));
    const proof = { source: 'webhook', claims: 'success', proven: true, id: 'evt-7' } as const;
    const early = { ...proof, tool: 'pay', externalId: 'tx-7', data: { paid: true } };
    const said = [await bob.reportAbout(early), await bob.waitingReports()];
    return [
      ...said,
      await bob.reportAbout({ ...proof, downstreamKey, externalId: 'tx-7' }),
      await bob.rest(actionId, 1_000),
      await bob.reportAbout({ ...proof, action: actionId, downstreamKey: 'another' }),
    ];
  },

  pauses: async ({ as }) => {
    const [ann, bob] = [await as('ann'), await as('bob')];
    const paused = await bob.pause({ tool: 'pay', reason: 'the bank is down' });
    const said = [await ann.propose(call('A')), await ann.pauses()];
    const resume = { tool: 'pay', reason: 'up again' };
    return [
      paused,
      ...said,
      await bob.resume({ ...resume, revisionSeen: 99 }),
      await bob.resume({ ...resume, revisionSeen: 'revision' in paused ? paused.revision : -1 }),
      await bob.resume({ ...resume, revisionSeen: 0 }),
      await ann.pauses(),
      (await ann.propose(call('A'))).word,
    ];
  },

  explanations: async ({ as }) => {
    const ann = await as('ann');
    const { tool, arguments: args, origin } = call('A');
    const asked = { tool, arguments: args, origin };
    const fresh = await ann.explain(asked);
    await ann.propose(call('A'));
    return [
      fresh,
      await ann.explain(asked),
      await ann.explain({ ...asked, arguments: { invoice: 'A', cents: 1 } }),
      await ann.explain({ ...asked, key: 'mine' }),
      await ann.explain({ ...asked, tool: 'none' }),
      await ann.explain({ ...asked, arguments: { invoice: 5 } }),
    ];
  },

  'what is not there, and what does not fit': async ({ as }) => {
    const ann = await as('ann');
    const { actionId = '' } = await ann.propose(call('A'));
    const none = actionId.replace(/^..../, 'none');
    const wrong = { actionId, ...seen, revisionSeen: 'x' } as never;
    return [
      await ann.load(none),
      await codeOf(ann.cancel({ actionId: none, ...seen })),
      await codeOf(ann.cancel({ actionId: 'no id/at all', ...seen })),
      await codeOf(ann.cancel(wrong)),
      await codeOf(ann.cancel({ actionId, reason: '', revisionSeen: 3 })),
      await codeOf(ann.settle({ actionId, verdict: 'maybe' as never, ...seen })),
      await codeOf(ann.vote({ actionId, vote: 'approve', argumentsHash: 'x' })),
      await codeOf(ann.closeIncident({ actionId, incident: 'none', ...seen, revisionSeen: 3 })),
      await codeOf(ann.checkNow({ actionId, revisionSeen: 3 })),
      await codeOf(ann.repeat({ of: none, ...seen })),
      await codeOf(ann.edit({ actionId: none, arguments: {}, ...seen })),
      await codeOf(ann.report(none, { source: 'x', claims: 'note', proven: false })),
      await codeOf(ann.pause({ reason: '' })),
    ];
  },

  'requests that are none': async ({ as }) => {
    const ann = await as('ann');
    const none = null as never;
    return [
      await codeOf(ann.propose(none)),
      await codeOf(ann.explain(none)),
      await codeOf(ann.vote(none)),
      await codeOf(ann.cancel(none)),
      await codeOf(ann.settle(none)),
      await codeOf(ann.closeIncident(none)),
      await codeOf(ann.checkNow(none)),
      await codeOf(ann.report('x', none)),
      await codeOf(ann.repeat(none)),
      await codeOf(ann.edit(none)),
      await codeOf(ann.workflow(none, () => 1)),
      await codeOf(ann.workflows.compensate('r', none)),
    ];
  },

  'arguments that are no plain JSON': async ({ as }) => {
    const ann = await as('ann');
    const cyclic: unknown[] = [];
    cyclic.push(cyclic);
    const values = [
      undefined,
      NaN,
      2 ** 60,
      'a\ud800',
      5n,
      new Date(0),
      () => 1,
      cyclic,
      { a: [1, , 2] },
    ];
    const said = [];
    for (const invoice of values) {
      const answer = await ann.propose({ tool: 'pay', arguments: { invoice, cents: 1 }, key: 'k' });
      said.push({ ...answer, tenant: '' });
    }
    return said;
  },

  'a workflow that is completed, and again': async ({ as, provider }) => {
    const ann = await as('ann');
    const trip = () =>
      ann.workflow({ id: 'trip-1', run: 'run-1', input: { to: 'Rome' } }, async (step) => {
        const compensate = {
          tool: ann.tool('unbook') as never,
          arguments: { order: fromOutcome('order') },
        };
        await step('hotel', ann.tool('book') as never, { invoice: 'H' }, { compensate });
        const balance = await step('balance', ann.tool('balance') as never, { account: 'a' });
        await step(
          'car',
          ann.tool('book') as never,
          { invoice: 'C' },
          { compensate: 'impossible' },
        );
        return { booked: true, balance };
      });
    const said = [await trip(), await trip()];
    expect(said.map(({ word }) => word)).toEqual(['done', 'already-done']);
    expect(provider.effects()).toHaveLength(2);
    return [...said, await ann.workflows.show('trip-1'), await ann.workflows.list({ limit: 5 })];
  },

  'a workflow that fails, and what it has done': async ({ as, provider }) => {
    const ann = await as('ann');
    const options = {
      tool: ann.tool('unbook') as never,
      arguments: { order: fromOutcome('order') },
    };
    const failed = await ann.workflow({ id: 'trip-2' }, async (step) => {
      await step('hotel', ann.tool('book') as never, { invoice: 'H' }, { compensate: options });
      provider.next('refused');
      await step('car', ann.tool('book') as never, { invoice: 'C' }, { compensate: options });
    });
    expect(failed.status).toBe('compensated');
    const threw = await ann.workflow({ id: 'trip-3' }, async (step) => {
      await step('hotel', ann.tool('book') as never, { invoice: 'I' }, { compensate: options });
      throw new Error('the traveller is ill');
    });
    expect(threw.status).toBe('compensated');
    return [
      { ...failed, thrown: String(failed.thrown) },
      { ...threw, thrown: String(threw.thrown) },
      await ann.workflows.show('trip-3'),
    ];
  },

  'a workflow that waits, and one that has changed': async ({ as, provider }) => {
    const ann = await as('ann');
    const waiting = () =>
      ann.workflow({ id: 'trip-4' }, async (step) => {
        await step(
          'pay',
          ann.tool('approved') as never,
          { invoice: 'P', cents: 5 },
          { compensate: 'impossible' },
        );
      });
    const first = await waiting();
    expect(first.word).toBe('waiting-for-approval');
    const changed = await ann.workflow({ id: 'trip-4' }, async (step) => {
      await step(
        'other',
        ann.tool('book') as never,
        { invoice: 'X' },
        { compensate: 'impossible' },
      );
    });
    const otherArguments = await ann.workflow({ id: 'trip-4' }, async (step) => {
      await step(
        'pay',
        ann.tool('approved') as never,
        { invoice: 'Q', cents: 5 },
        { compensate: 'impossible' },
      );
    });
    const unsaid = await ann.workflow({ id: 'trip-5' }, async (step) => {
      await step('book', ann.tool('book') as never, { invoice: 'X' });
    });
    const bad = await ann.workflow({ id: 'trip-6' }, async (step) => {
      await step('book', ann.tool('book') as never, { invoice: 5 }, { compensate: 'impossible' });
    });
    const otherInput = await ann.workflow({ id: 'trip-4', input: 7 }, () => 1);
    expect(provider.effects()).toEqual([]);
    const said = [
      first,
      changed,
      otherArguments,
      unsaid,
      { ...bad, thrown: String(bad.thrown) },
      { ...otherInput, tenant: '' },
    ];
    return [...said, await waiting()];
  },

  'steps by hand, and a workflow that a person undoes': async ({ as, provider }) => {
    const [ann, bob] = [await as('ann'), await as('bob')];
    const started = await ann.workflows.start({ id: 'trip-7', conversation: 'c' });
    const id = started.kind === 'started' ? started.workflow.id : '';
    const compensate = { tool: 'unbook', arguments: { order: { $from: 'outcome.order' } } };
    const hotel = { step: 'hotel', tool: 'book', arguments: { invoice: 'H' }, compensate };
    const said: unknown[] = [
      started,
      await ann.workflows.start({ id: 'trip-7', conversation: 'c' }),
      await ann.workflows.start({}),
      await ann.workflows.step(id, hotel),
      await ann.workflows.step(id, hotel),
      await ann.workflows.complete(id, { date: new Date(0), n: 1 }),
      await ann.workflows.step(id, { ...hotel, step: 'another' }),
    ];
    const { revision = 0 } = (await bob.workflows.show('trip-7')) as { revision?: number };
    const undo = { reason: 'the hotel is closed', revisionSeen: revision };
    said.push(
      await bob.workflows.compensate('trip-7', { ...undo, revisionSeen: 0 }),
      'code' in (await bob.workflows.compensate('trip-7', undo)) ? 'refused' : 'asked',
      (await bob.workflows.rest(id, 20_000)) ?? 'broken',
      await bob.workflows.show('none'),
    );
    expect(provider.effects()).toHaveLength(2);
    return said;
  },
};

function actionIn(loaded: Awaited<ReturnType<Awaited<ReturnType<World['as']>>['load']>>) {
  if (loaded.kind === 'broken') throw new Error(loaded.reason);
  return loaded.action;
}

async function codeOf(asked: Promise<unknown>): Promise<unknown> {
  const { code, kind, state } = (await asked) as { code?: string; kind?: string; state?: string };
  return { code, kind, state };
}
