import { describe, expect, it } from '@jest/globals';
import { createSystemRuntime } from '@action-ledger/runtime';
import { type DemoCase } from './demo-case.ts';
import { runDemo } from './run-demo.ts';

const doubled: DemoCase = {
  title: 'A case that counts wrong',
  guarantee: 'manual',
  effectsWanted: 1,
  play: async (stage) => {
    const tool = stage.tool({ name: 'send', fields: ['to'], guarantee: 'manual', scope: 'call' });
    const { call } = await stage.open([tool]);
    await call('once', 'send', { to: 'a' }, { run: 'r', turn: '1', call: '1' });
    await call('twice', 'send', { to: 'a' }, { run: 'r', turn: '1', call: '2' });
  },
  without: async (agent) => {
    await agent.call('send', { to: 'a' });
  },
};

const thrown: DemoCase = { ...doubled, play: () => Promise.reject(new Error('out of order')) };

describe('runDemo', () => {
  it('says so where the provider counts other effects than were wanted', async () => {
    const { ok, cases } = await runDemo(createSystemRuntime(), [doubled]);
    expect(ok).toBe(false);
    expect(cases[0]).toMatchObject({
      effects: { wanted: 1, counted: 2, withoutLedger: 1 },
      wrong: ['2 effects, but 1 wanted'],
    });
  });

  it('takes a case that breaks for wrong, whatever it had counted', async () => {
    const { ok, cases } = await runDemo(createSystemRuntime(), [thrown]);
    expect(ok).toBe(false);
    expect(cases[0]?.wrong).toContain('out of order');
  });
});
