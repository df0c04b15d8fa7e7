// Requests that do not fit are refused by name before anything is recorded; they are never recorded
// broken, and never answered with an error from inside.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { createLedger, defineTool, type Ledger } from './index.ts';

const pay = defineTool({
  name: 'pay',
  input: z.object({ invoice: z.string(), cents: z.number().optional() }),
  identity: ['invoice'],
  guarantee: 'manual',
  execute: ({ arguments: { invoice } }) => {
    if (invoice === 'doubtful') throw new Error('connection lost');
    return { paid: true };
  },
});
const invalid = 'action.request-invalid';

const opened = (): Promise<Ledger<{ pay: typeof pay }>> => createLedger({ tools: { pay } });
let ledger: Awaited<ReturnType<typeof opened>>;
beforeAll(async () => {
  ledger = await opened();
});
afterAll(() => ledger.close());

describe('the context of a call', () => {
  const of = (context: unknown): ReturnType<typeof ledger.tools.pay.call> =>
    ledger.tools.pay.call({ invoice: JSON.stringify(context) }, context as never);

  it.each<[string, object]>([
    ['callId', { run: 'r', callId: 'c' }],
    ['runId', { runId: 'r' }],
    ['waitMs', { run: 'r', waitMs: '5s' }],
    ['waitMs', { run: 'r', waitMs: -1 }],
    ['waitMs', { run: 'r', waitMs: NaN }],
    ['waitMs', { run: 'r', waitMs: Infinity }],
    ['signal', { run: 'r', signal: {} }],
    ['signal', { run: 'r', signal: new AbortController() }],
    ['signal', { run: 'r', signal: null }],
    ['tenant', { run: 'r', tenant: null }],
    ['run', { run: 5 }],
  ])('with a wrong %s is refused: %p', async (member, context) => {
    const before = await ledger.store.head();
    const answer = await of(context);
    expect(answer).toMatchObject({ state: 'refused', code: invalid, detail: { member } });
    expect(answer.reason).toContain(`"${member}"`);
    expect(await ledger.store.head()).toBe(before);
  });

  it('that is none is refused', async () => {
    expect(await of('r1')).toMatchObject({ code: invalid, detail: { member: 'origin' } });
  });

  it.each([
    [{ run: 'u1', call: undefined, turn: undefined }, { run: 'u1' }],
    [{ run: 'u2', callId: undefined, key: undefined, waitMs: undefined }, { run: 'u2' }],
  ])('%p is recorded without what is undefined', async (context, call) => {
    const { actionId = '' } = await of(context);
    const [planned] = await ledger.store.readStream(`action-${actionId}`);
    expect(JSON.parse(planned?.data ?? '')).toMatchObject({ call });
    expect(Object.keys((JSON.parse(planned?.data ?? '') as { call: object }).call)).toEqual([
      'run',
    ]);
  });

  it('fits with each of its members', async () => {
    const { signal } = new AbortController();
    const ids = { conversation: 'c', run: 'r9', turn: 't', call: 'c1' };
    expect(await of({ ...ids, by: 'ann', waitMs: 1_000, signal })).toMatchObject({ word: 'done' });
  });

  it('is checked in propose and explain alike', async () => {
    const call = { tool: 'pay', arguments: { invoice: '1' }, tenant: 'default' };
    for (const origin of [undefined, null, 'r', { runId: 'r' }] as never[]) {
      expect(await ledger.propose({ ...call, origin })).toMatchObject({ code: invalid });
      expect(await ledger.explain({ ...call, origin })).toMatchObject({ code: invalid });
    }
    const { actionId = '' } = await ledger.propose({
      ...call,
      arguments: { invoice: 'p' },
      origin: { run: 'r', call: undefined } as never,
    });
    const [planned] = await ledger.store.readStream(`action-${actionId}`);
    expect(planned?.data).toContain('"call":{"run":"r"}');
  });
});

const cycle: unknown[] = [];
cycle.push(cycle);
const noJson: readonly (readonly [string, unknown])[] = [
  ['NaN', { cents: NaN }],
  ['a BigInt', 5n],
  ['a Date', { at: new Date(0) }],
  ['a cycle', cycle],
];

describe('what people bring to be recorded', () => {
  let actionId = '';
  const settle = async (result: unknown): ReturnType<typeof ledger.settle> => {
    const loaded = await ledger.load(actionId);
    const revisionSeen = loaded.kind === 'action' ? loaded.action.revision : -1;
    const by = { by: 'ann', reason: 'seen', verdict: 'found' as const, revisionSeen };
    return ledger.settle({ actionId, ...by, result: result as never });
  };
  const report = (more: object): ReturnType<typeof ledger.report> =>
    ledger.report(actionId, { source: 'bank', claims: 'note', proven: false, ...more });

  beforeAll(async () => {
    ({ actionId = '' } = await ledger.tools.pay.call({ invoice: 'doubtful' }, { run: 'r' }));
  });

  it.each(noJson)('%s as a result is refused', async (_what, result) => {
    const refused = { kind: 'refusal', code: invalid, detail: { member: 'result' } };
    expect(await settle(result)).toMatchObject(refused);
  });

  it.each(noJson)('%s as data is refused', async (_what, data) => {
    const refused = { kind: 'refusal', code: invalid, detail: { member: 'data' } };
    expect(await report({ data })).toMatchObject(refused);
  });

  it.each([
    ['proven', { proven: 'yes' }],
    ['attempt', { attempt: 0 }],
    ['neverHadEffect', { neverHadEffect: 1 }],
  ])('a report with a wrong %s is refused', async (member, more) => {
    expect(await report(more)).toMatchObject({ code: invalid, detail: { member } });
  });

  it('members that are undefined count as missing', async () => {
    const more = { data: { a: 1, b: undefined }, attempt: undefined, type: 'Cancel' };
    expect(await report(more)).toMatchObject({ kind: 'done' });
    expect(await settle({ id: 're_1', note: undefined })).toMatchObject({ kind: 'done' });
    const events = await ledger.store.readStream(`action-${actionId}`);
    expect(events.map(({ type }) => type)).not.toContain('ActionCancelled');
    expect(events.find(({ type }) => type === 'EvidenceRecorded')?.data).toContain(
      '"data":{"a":1}',
    );
    expect(await ledger.load(actionId)).toMatchObject({
      action: { status: 'succeeded', outcome: { result: { id: 're_1' } } },
    });
  });
});

describe('an action that does not exist', () => {
  const whole = `${'x'.repeat(43)}.0`;
  const commands = (actionId: string): Readonly<Record<string, () => Promise<object>>> => {
    const by = { by: 'ann', reason: 'asked', revisionSeen: 3 };
    return {
      vote: () => ledger.vote({ actionId, voter: 'ann', vote: 'approve', argumentsHash: 'x' }),
      cancel: () => ledger.cancel({ actionId, ...by }),
      settle: () => ledger.settle({ actionId, verdict: 'absent', ...by }),
      repeat: () => ledger.repeat({ of: actionId, tenant: 'default', ...by }),
      edit: () => ledger.edit({ actionId, arguments: { invoice: '2' }, ...by }),
      report: () => ledger.report(actionId, { source: 'bank', claims: 'success', proven: true }),
      closeIncident: () => ledger.closeIncident({ actionId, incident: 'x', ...by }),
    };
  };
  const said = (answer: object): string => {
    const { message, reason } = answer as { readonly message?: string; readonly reason?: string };
    return message ?? reason ?? '';
  };

  it.each(Object.keys(commands('')))('is unknown to %s', async (name) => {
    const before = await ledger.store.head();
    const answer = (await commands(whole)[name]?.()) ?? {};
    expect(answer).toMatchObject({ code: 'action.unknown' });
    expect(said(answer)).toBe(`There is no action ${whole} here.`);
    for (const given of ['xxxxxxxx', `action-${whole}`]) {
      const short = (await commands(given)[name]?.()) ?? {};
      expect(short).toMatchObject({ code: 'action.unknown' });
      expect(said(short)).toContain('the full id is needed');
      expect(said(short)).not.toContain('action action-');
    }
    expect(await ledger.store.head()).toBe(before);
  });
});

describe('other arguments', () => {
  it('are told by what differs, and that nothing was done', async () => {
    await ledger.tools.pay.call({ invoice: 'o', cents: 5 }, { run: 'r' });
    const { messageForModel } = await ledger.tools.pay.call(
      { invoice: 'o', cents: 6 },
      { run: 'r', call: 'c2' },
    );
    expect(messageForModel).toBe(
      'This key was used for different arguments (the action on record has another cents; nothing was done by this call).',
    );
  });
});
