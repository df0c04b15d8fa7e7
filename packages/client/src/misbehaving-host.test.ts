// Functions of the host that throw, reject or return what nobody understands: no call is rejected, no
// process ends, every gate stays closed, and `onFault` hears of it.
import { afterEach, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { createLedger, type CreateLedgerOptions, defineTool, type Ledger } from './index.ts';

/** Whatever a program without types may give. */
type Options = Partial<Record<keyof CreateLedgerOptions<never>, unknown>>;
type Declared = object;

/** An unknown outcome is checked for longer than a test should wait. */
const proposed = { tool: 'pay', arguments: { invoice: '1' }, tenant: 'default', waitMs: 300 };
const rejected = (): Promise<never> => Promise.reject(new Error('secret-7'));
const thrown = (): never => {
  throw new Error('secret-7');
};

type Case = [what: string, given: () => unknown];

/** What they returned where nothing of the kind is expected. */
const amiss: readonly Case[] = [
  ['nothing', () => undefined],
  ['null', () => null],
  ['a word', () => 'deny'],
  ['a promise', () => Promise.resolve({ effect: 'allow' })],
  ['a promise that rejects', rejected],
  ['another object', () => ({ kind: 'deny' })],
];

interface Stage {
  readonly ledger: Ledger;
  readonly faults: (readonly [string, unknown])[];
  readonly sent: () => number;
  readonly call: (run?: string) => ReturnType<Ledger['propose']>;
}

const open: Ledger[] = [];

async function stage(declared: Declared, options: Options = {}): Promise<Stage> {
  const faults: [string, unknown][] = [];
  let sent = 0;
  const pay = defineTool({
    name: 'pay',
    input: z.object({ invoice: z.string() }),
    guarantee: 'manual',
    execute: () => {
      sent += 1;
      return { paid: true };
    },
    ...declared,
  });
  const ledger = await createLedger({
    tools: [pay],
    onFault: (where, fault) => faults.push([where, fault]),
    ...(options as object),
  });
  open.push(ledger);
  const call = (run = 'r'): ReturnType<Ledger['propose']> =>
    ledger.propose({ ...proposed, origin: { run } });
  return { ledger, faults, sent: () => sent, call };
}

/** Rejections that nobody handles are told after the microtasks; Node would end the process. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

afterEach(async () => {
  await turn();
  for (const ledger of open.splice(0)) await ledger.close();
});

describe('a policy', () => {
  const policy = (decide: () => unknown): Declared => ({
    policy: { version: '1', decide },
  });

  it.each<Case>([
    ...amiss,
    ['false', () => false],
    ['one member more', () => ({ effect: 'allow', unless: 'weekend' })],
    ['another effect', () => ({ effect: 'Allow' })],
    ['a reason that is no text', () => ({ effect: 'allow', reason: 5 })],
  ])('that returns %s denies', async (_what, decide) => {
    const { call, faults, sent } = await stage(policy(decide));
    expect(await call()).toMatchObject({
      word: 'refused',
      state: 'denied',
      reason: 'the policy answered nothing that can be understood',
    });
    expect(sent()).toBe(0);
    expect(faults[0]).toEqual(['policy of pay', expect.any(TypeError)]);
    await turn();
  });

  it('that throws denies, and its error is for onFault alone', async () => {
    const { call, faults, sent } = await stage(policy(thrown));
    const answer = await call();
    expect(answer).toMatchObject({ state: 'denied', reason: 'the policy failed' });
    expect(JSON.stringify(answer)).not.toContain('secret-7');
    expect(sent()).toBe(0);
    expect(faults[0]).toEqual(['policy of pay', new Error('secret-7')]);
  });

  it.each(['allow', 'deny'] as const)('that says %s is followed', async (effect) => {
    const { call, faults, sent } = await stage(policy(() => ({ effect, reason: undefined })));
    await call();
    expect(sent()).toBe(effect === 'allow' ? 1 : 0);
    expect(faults).toEqual([]);
  });
});

describe('a condition for approval', () => {
  const asks = (when: () => unknown): Declared => ({ approval: { when } });

  it.each<Case>([...amiss, ['an error', thrown]])('that gives %s asks', async (_what, when) => {
    const { call, faults, sent } = await stage(asks(when));
    expect(await call()).toMatchObject({ word: 'waiting-for-approval' });
    expect(sent()).toBe(0);
    expect(faults[0]).toEqual(['approval of pay', expect.any(Error)]);
    await turn();
  });

  it.each([true, false])('that says %p is followed', async (said) => {
    const { call, faults } = await stage(asks(() => said));
    expect(await call()).toMatchObject({ word: said ? 'waiting-for-approval' : 'done' });
    expect(faults).toEqual([]);
  });
});

describe('isPaused', () => {
  it.each<Case>([...amiss, ['an error', thrown]])('that gives %s pauses', async (_what, said) => {
    const { call, faults, sent } = await stage({}, { isPaused: said });
    for (const run of ['r1', 'r2']) {
      expect(await call(run)).toMatchObject({
        word: 'refused',
        code: 'ledger.paused',
        reason: expect.stringContaining('The pause function failed'),
      });
    }
    expect(sent()).toBe(0);
    expect(faults).toEqual([['isPaused', expect.any(Error)]]);
    await turn();
  });

  it('that says so refuses, and does not invite another try', async () => {
    const { call } = await stage({}, { isPaused: () => true });
    expect((await call()).messageForModel).toBe(
      'Refused, do not retry (This tool is paused. Nothing was recorded).',
    );
  });
});

describe('a hook', () => {
  it.each([
    ['throws', thrown],
    ['rejects', rejected],
  ])('onNotice that %s is told', async (_how, onNotice) => {
    const { call, faults } = await stage({ approval: true }, { onNotice: onNotice });
    expect(await call()).toMatchObject({ word: 'waiting-for-approval' });
    await turn();
    expect(faults).toEqual([['onNotice', new Error('secret-7')]]);
  });

  it.each([
    ['throws', thrown],
    ['rejects', rejected],
  ])('onPoint that %s is told', async (_how, onPoint) => {
    const { call, faults, sent } = await stage({}, { onPoint });
    expect(await call()).toMatchObject({ word: 'done' });
    expect(sent()).toBe(1);
    await turn();
    expect(faults[0]).toEqual(['onPoint', new Error('secret-7')]);
  });

  it.each([
    ['throws', thrown],
    ['rejects', rejected],
  ])('onSideEntries that %s is told', async (_how, onSideEntries) => {
    const { call, faults } = await stage({}, { onSideEntries: onSideEntries });
    await call();
    expect(await call()).toMatchObject({ word: 'already-done' });
    await turn();
    await turn();
    expect(faults).toEqual([['onSideEntries', new Error('secret-7')]]);
  });

  it.each([
    ['throws', thrown],
    ['rejects', rejected],
  ])('onFault that %s is survived', async (_how, onFault) => {
    const { call } = await stage({}, { isPaused: thrown, onFault: onFault });
    expect(await call()).toMatchObject({ code: 'ledger.paused' });
    await turn();
  });
});

describe('a lookup', () => {
  it.each([
    ['true', () => true, 'returned true'],
    ['nothing', () => undefined, 'returned undefined'],
    ['no verdict', () => ({ found: true }), 'an object without verdict: found'],
    ['another verdict', () => ({ verdict: 'yes' }), 'the verdict "yes"'],
  ])('that returns %s settles nothing, and is told', async (_what, lookup, came) => {
    const { call, faults, ledger } = await stage({
      guarantee: 'lookup',
      lookup,
      execute: thrown,
    });
    const { actionId = '', word, revision = -1 } = await call();
    expect(word).toBe('checking');
    await ledger.checkNow({ actionId, by: 'ann', revisionSeen: revision });
    expect(await ledger.load(actionId)).toMatchObject({ action: { status: 'unknown' } });
    const [where, fault] = faults[0] ?? [];
    expect(where).toBe(`lookup of ${actionId}`);
    expect(String(fault)).toContain(came);
    expect(String(fault)).toContain("it must return { verdict: 'found', externalId?, result? }");
  });
});
