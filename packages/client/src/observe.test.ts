// Observe mode: what the ledger would have done is on record, and every call goes out, once, with a
// downstream key of its own. The answer is the tool's own result.
import { hash } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { verifyLedger } from '@action-ledger/application';
import { createMemoryEventStore, type EventStore, StoreFault } from '@action-ledger/event-store';
import { defineTool, refused } from '@action-ledger/tools';
import { createLedger } from './create-ledger.ts';

const input = z.object({ order: z.string(), cents: z.int().optional() });
interface Sent {
  readonly order: string;
  readonly key: string;
  readonly action: string;
}
let sent: Sent[] = [];
let whileSending: (() => Promise<void>) | undefined;
beforeEach(() => {
  sent = [];
  whileSending = undefined;
});

const execute = async ({
  arguments: { order },
  actionId: action,
  downstreamKey: key,
  beforeSend,
}: {
  readonly actionId: string;
  readonly arguments: z.infer<typeof input>;
  readonly downstreamKey: string;
  readonly beforeSend: () => void;
}) => {
  beforeSend();
  sent.push({ order, key, action });
  const number = sent.length;
  await whileSending?.();
  if (order === 'lost') throw new Error('socket hang up');
  return order === 'no' ? refused('no') : { number };
};
const shared = { input, identity: ['order'], execute } as const;
const tools = {
  refund: defineTool({ ...shared, name: 'refund', guarantee: 'idempotent', keyWindow: '24h' }),
  hex: defineTool({ ...shared, name: 'hex', guarantee: 'manual', downstreamKey: 'hex' }),
  asked: defineTool({ ...shared, name: 'asked', guarantee: 'manual', approval: true }),
  denied: defineTool({
    ...shared,
    name: 'denied',
    guarantee: 'manual',
    policy: { version: 'v1', decide: () => ({ effect: 'deny', reason: 'not today' }) },
  }),
};
const run = { run: 'r' };

async function observed() {
  const memory = createMemoryEventStore();
  const away = new StoreFault('store.held', 'never', 'away');
  const state = { isAway: false };
  const store: EventStore = {
    ...memory,
    append: (...given) => (state.isAway ? Promise.reject(away) : memory.append(...given)),
  };
  const open = (observe: boolean) =>
    createLedger({
      tools,
      store: { ...store, close: () => Promise.resolve() },
      observe,
      pauseOnBurst: { unknowns: 1, withinMs: 60_000 },
    });
  return { store, state, open, ledger: await open(true) };
}

const sha256 = (text: string): string => hash('sha256', text, 'base64url');

describe('observe mode', () => {
  it('lets every call out with a key of its own, and says what it would have done', async () => {
    const { ledger, store, open } = await observed();
    const { refund, asked, denied } = ledger.tools;
    const first = await refund.call({ order: 'A' }, run);
    expect(first).toMatchObject({
      word: 'done',
      repeat: false,
      guarantee: 'observed',
      observed: { would: 'send' },
      result: { number: 1 },
    });
    const met = first.actionId;
    const second = await refund.call({ order: 'A' }, { ...run, turn: '2', call: 'c2' });
    expect(second).toMatchObject({ word: 'done', repeat: false, result: { number: 2 } });
    expect(second.observed).toEqual({ would: 'duplicate', action: met, reason: 'succeeded' });
    const third = await refund.call({ order: 'A', cents: 2 }, run);
    expect(third.observed).toEqual({ would: 'conflict', action: met, reason: 'cents' });
    const byKey = { ...run, key: 'k' };
    await refund.call({ order: 'K' }, byKey);
    expect((await refund.call({ order: 'K2' }, byKey)).observed?.would).toBe('conflict');
    expect((await asked.call({ order: 'A' }, byKey)).observed?.would).toBe('conflict');
    expect((await asked.call({ order: 'A' }, run)).observed).toEqual({ would: 'approval' });
    expect((await denied.call({ order: 'A' }, run)).observed).toEqual({
      would: 'denied',
      reason: 'not today',
    });
    await ledger.pause({ tool: 'refund', by: 'ann', reason: 'trouble' });
    const paused = await refund.call({ order: 'P' }, run);
    expect(paused).toMatchObject({ word: 'done', observed: { would: 'paused' } });

    expect(sent.map(({ order }) => order)).toEqual(['A', 'A', 'A', 'K', 'K2', 'A', 'A', 'A', 'P']);
    expect(new Set(sent.map(({ key }) => key)).size).toBe(9);
    expect(ledger.observed()).toMatchObject({
      calls: 9,
      heldBack: 7,
      would: { send: 2, duplicate: 1, conflict: 3, approval: 1, denied: 1, paused: 1, refused: 0 },
      unrecorded: 0,
    });
    expect(ledger.observed({ tool: 'asked', limit: 1 })).toMatchObject({ calls: 2, heldBack: 2 });
    expect(ledger.sideEntries(10).filter(({ kind }) => kind === 'observed')).toHaveLength(7);
    const verified = await verifyLedger(store, { sha256 });
    expect(verified).toMatchObject({ brokenInvariants: [], observed: { calls: 9, heldBack: 7 } });
    await ledger.close();

    const enforced = await open(false);
    await enforced.resume({ tool: 'refund', by: 'ann', reason: 'over', revisionSeen: 0 });
    expect(await enforced.tools.refund.call({ order: 'A' }, run)).toMatchObject({
      word: 'already-done',
      repeat: true,
      result: { number: 1 },
    });
    expect(sent).toHaveLength(9);
    await enforced.close();
  });

  it('sends nothing again by itself and pauses nothing where an outcome is not known', async () => {
    const { ledger, store } = await observed();
    const lost = await ledger.tools.refund.call({ order: 'lost' }, run);
    expect(lost).toMatchObject({ word: 'checking', state: 'unknown', guarantee: 'observed' });
    const again = await ledger.tools.refund.call({ order: 'lost' }, run);
    expect(again.observed).toEqual({
      would: 'duplicate',
      action: lost.actionId,
      reason: 'unknown',
    });
    ledger.sweep();
    const rested = await ledger.rest(lost.actionId ?? '', 1_000);
    expect(rested?.watch?.owner).toBe('operator');
    expect(sent).toHaveLength(2);
    expect(ledger.pauses()).toEqual([]);
    expect((await verifyLedger(store, { sha256 })).brokenInvariants).toEqual([]);
    await ledger.close();
  });

  it('lets calls out at once that meet one under way, and takes a request said again for the same', async () => {
    const { ledger } = await observed();
    let end: () => void = () => undefined;
    const ended = new Promise<void>((resolve) => (end = resolve));
    whileSending = () => (sent.length < 2 ? ended : Promise.resolve());
    const proposal = { tool: 'refund', arguments: { order: 'A' }, tenant: 'default', origin: run };
    const first = ledger.propose({ ...proposal, request: 'one' });
    while (sent.length === 0) await new Promise(setImmediate);
    const second = await ledger.propose({ ...proposal, request: 'two' });
    expect(second).toMatchObject({ word: 'done', result: { number: 2 } });
    const saidAgain = ['one', 'two'].map((request) => ledger.propose({ ...proposal, request }));
    end();
    expect((await first).result).toEqual({ number: 1 });
    const results = await Promise.all(saidAgain);
    expect(results.map(({ result }) => result)).toEqual([{ number: 1 }, { number: 2 }]);
    expect(JSON.stringify(results)).not.toContain('"request"');
    expect(sent).toHaveLength(2);
    await ledger.close();
  });

  it('knows a request again that went out beside an action, though another epoch would open by now', async () => {
    const { ledger } = await observed();
    let end: () => void = () => undefined;
    const ended = new Promise<void>((resolve) => (end = resolve));
    whileSending = () => (sent.length < 2 ? ended : Promise.resolve());
    const proposal = { tool: 'refund', arguments: { order: 'no' }, tenant: 'default' };
    const first = ledger.propose({ ...proposal, origin: { ...run, call: 'c1' } });
    while (sent.length === 0) await new Promise(setImmediate);
    const second = { ...proposal, origin: { ...run, call: 'c2' }, request: 'r' };
    const beside = await ledger.propose(second);
    expect(beside.observed?.would).toBe('duplicate');
    end();
    expect((await first).state).toBe('failed');
    expect(await ledger.propose(second)).toMatchObject({ actionId: beside.actionId });
    expect(sent).toHaveLength(2);
    await ledger.close();
  });

  it('lets out without a record what cannot be recorded, but nothing that is no call of the tool', async () => {
    const { ledger, state } = await observed();
    state.isAway = true;
    const answer = await ledger.tools.refund.call({ order: 'A' }, run);
    expect(answer).toMatchObject({
      word: 'done',
      state: 'passed-through',
      guarantee: 'observed',
      observed: { would: 'refused' },
      result: { number: 1 },
    });
    const unnamed = await ledger.tools.refund.call({ order: 'B' });
    expect(unnamed).toMatchObject({ word: 'done', state: 'passed-through' });
    const misfit = await ledger.tools.refund.call({ order: 1 } as never, run);
    expect(misfit).toMatchObject({ state: 'refused', code: 'arguments.invalid' });
    expect(sent).toHaveLength(2);
    expect(ledger.observed()).toMatchObject({ calls: 0, unrecorded: 2 });
    await ledger.close();
  });

  it('lets a request out once without a record, however often it is said', async () => {
    const { ledger } = await observed();
    let end: () => void = () => undefined;
    whileSending = () => new Promise((resolve) => (end = resolve));
    const asked = { tool: 'refund', tenant: 'default', origin: {}, request: 'r', waitMs: 0 };
    const proposal = { ...asked, arguments: { order: 'A' } };
    const first = await ledger.propose(proposal);
    expect(first).toMatchObject({ word: 'in-progress', state: 'passed-through' });
    const again = ledger.propose({ ...proposal, waitMs: 60_000 });
    expect((await ledger.propose(proposal)).word).toBe('in-progress');
    end();
    expect(await again).toMatchObject({ word: 'done', repeat: false, result: { number: 1 } });
    expect((await ledger.propose(proposal)).result).toEqual({ number: 1 });
    expect(sent).toHaveLength(1);
    whileSending = undefined;
    const others = [{ request: 's' }, { arguments: { order: 'lost' } }, { tool: 'hex' }];
    for (const other of others) await ledger.propose({ ...proposal, ...other, waitMs: 60_000 });
    expect(sent).toHaveLength(4);
    await ledger.close();
  });

  it('gives what is not recorded names of its own, and says that nobody checks its doubt', async () => {
    const { ledger } = await observed();
    const lost = await ledger.tools.hex.call({ order: 'lost' });
    expect(lost).toMatchObject({ word: 'checking', state: 'passed-through' });
    expect(lost.messageForModel).toMatch(
      /^Outcome not known, do not retry \(nobody checks it; .*\)/,
    );
    await ledger.tools.hex.call({ order: 'lost' });
    expect(sent[0]?.key).toMatch(/^[0-9a-f]{64}$/);
    expect(new Set(sent.map(({ action }) => action)).size).toBe(2);
    await ledger.close();
  });

  it('observes the tools and tenants that are named, and no others', async () => {
    const observe = { tools: ['refund'], tenants: ['trial'] };
    const ledger = await createLedger({ tools, observe });
    expect((await ledger.tools.refund.call({ order: 'A' }, run)).guarantee).toBe('observed');
    expect((await ledger.tools.denied.call({ order: 'A' }, run)).state).toBe('denied');
    const trial = await ledger.tools.denied.call({ order: 'A' }, { ...run, tenant: 'trial' });
    expect(trial.observed?.would).toBe('denied');
    await ledger.close();
    const misspelt = createLedger({ tools, observe: { tools: ['refunds'] } });
    await expect(misspelt).rejects.toThrow('"refunds"');
  });
});
