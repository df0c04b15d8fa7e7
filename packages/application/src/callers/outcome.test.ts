// Whose word settles an attempt of a caller: its holder's, said in time. All else is kept beside it.
import { afterEach, describe, expect, it } from '@jest/globals';
import {
  type CallerWorld,
  callerWorld,
  handed,
  paying,
  succeeded,
} from '../../test-support/caller-world.ts';
import { type CallerDoor } from './caller-door.ts';

let world: CallerWorld | undefined;

async function open(...given: Parameters<typeof callerWorld>): Promise<CallerWorld> {
  world = await callerWorld(...given);
  return world;
}

afterEach(async () => {
  await world?.close();
  world = undefined;
});

const leaseMs = 40_000;
const inOneAppend = ['ActionPlanned', 'ActionClaimed', 'ActionDispatched'];

describe('an outcome that the holder reports', () => {
  it('settles the action, and is what every later call gets', async () => {
    const opened = await open();
    const held = await handed(opened, 'agent/1');
    const told = await opened.outcome(held);
    expect(told).toMatchObject({
      kind: 'outcome',
      answer: { word: 'done', result: { refund: 'r-77' }, externalId: 'r-77' },
    });
    expect(await opened.typesOf(held.actionId)).toEqual([...inOneAppend, 'ActionSucceeded']);
    const { answer, dispatch } = await opened.propose('agent/2');
    expect([answer.word, answer.result, dispatch]).toEqual([
      'already-done',
      { refund: 'r-77' },
      undefined,
    ]);
  });

  it('wakes whoever waits for the action', async () => {
    const opened = await open();
    const held = await handed(opened, 'agent/1');
    const waiting = opened.ledger().propose({
      tool: 'pay',
      tenant: 'default',
      arguments: { invoice: 'A', cents: 500 },
      origin: { run: 'r-1', call: 'c-2' },
      waitMs: 20_000,
    });
    await opened.outcome(held);
    expect(await waiting).toMatchObject({ state: 'succeeded', result: { refund: 'r-77' } });
  });

  it('a refusal ends it, one to be tried again is offered after its pause', async () => {
    const opened = await open();
    const { work, outcome, runtime, callers } = opened;
    const first = await handed(opened, 'agent/1');
    const no = { kind: 'no effect', retryable: false, reason: 'the card is blocked' } as const;
    expect(await outcome(first, { outcome: no })).toMatchObject({
      answer: { word: 'failed-without-effect', reason: 'the card is blocked' },
    });
    const second = await handed(opened, 'agent/1b', { invoice: 'B' });
    const busy = { ...no, retryable: true, reason: 'busy' } as const;
    expect(await outcome(second, { outcome: busy })).toMatchObject({ answer: { state: 'ready' } });
    expect(await work()).toEqual([]);
    await runtime.advance(60_000);
    expect(await work()).toMatchObject([{ kind: 'send', actionId: second.actionId }]);
    const again = await callers().take(second.actionId, { worker: 'agent/2' });
    expect(again).toMatchObject({ attempt: 2, downstreamKey: second.dispatch.downstreamKey });
  });

  it('a doubt makes it unknown, and is looked into', async () => {
    const opened = await open();
    const held = await handed(opened, 'agent/1');
    const doubt = { kind: 'in doubt', reason: 'socket hang up', answered: false } as const;
    expect(await opened.outcome(held, { outcome: doubt })).toMatchObject({
      kind: 'outcome',
      answer: { word: 'checking', state: 'unknown', owner: 'reconciler' },
    });
  });

  it('twice is once: the second time nothing is written', async () => {
    const opened = await open();
    const held = await handed(opened, 'agent/1');
    const first = await opened.outcome(held);
    expect(await opened.outcome(held)).toEqual(first);
    expect(await opened.typesOf(held.actionId)).toEqual([...inOneAppend, 'ActionSucceeded']);
  });

  it('twice at once is once', async () => {
    const opened = await open();
    const held = await handed(opened, 'agent/1');
    const both = await Promise.all([opened.outcome(held), opened.outcome(held)]);
    expect(both.map(({ kind }) => kind)).toEqual(['outcome', 'outcome']);
    expect(await opened.typesOf(held.actionId)).toEqual([...inOneAppend, 'ActionSucceeded']);
  });

  it('said otherwise the second time is kept as evidence; the first one stands', async () => {
    const opened = await open();
    const held = await handed(opened, 'agent/1');
    await opened.outcome(held);
    const other = { ...succeeded, result: { refund: 'r-78' } } as const;
    const told = await opened.outcome(held, { outcome: other });
    expect(told).toMatchObject({ kind: 'evidence', answer: { result: { refund: 'r-77' } } });
    const { outcome, evidence } = await opened.action(held.actionId);
    expect(outcome?.result).toEqual({ refund: 'r-77' });
    expect(evidence).toMatchObject([{ source: 'attempt 1, agent/1', data: { refund: 'r-78' } }]);
    await opened.outcome(held, { outcome: other });
    expect((await opened.action(held.actionId)).evidence).toHaveLength(1);
  });

  it('is refused where so much was said of the action that nothing more is recorded', async () => {
    const opened = await open();
    const held = await handed(opened, 'agent/1');
    await opened.outcome(held);
    for (let note = 0; note < 18; note += 1) {
      const source = `provider ${note}`;
      const report = { source, claims: 'note', proven: false, data: 'x'.repeat(60_000) } as const;
      await opened.ledger().report(held.actionId, report);
    }
    const before = await opened.typesOf(held.actionId);
    const outcome = { ...succeeded, result: 'x'.repeat(60_000) } as const;
    const told = await opened.outcome({ ...held, worker: 'agent/2' }, { outcome });
    expect(await opened.typesOf(held.actionId)).toEqual(before);
    expect(told).toMatchObject({ kind: 'refusal', code: 'action.evidence-full' });
  });

  it('is cut to size, and says so', async () => {
    const opened = await open();
    const held = await handed(opened, 'agent/1');
    const large = { kind: 'succeeded', result: { text: 'x'.repeat(100_000) } } as const;
    const told = await opened.outcome(held, { outcome: large });
    expect(told).toMatchObject({ kind: 'outcome', answer: { state: 'succeeded' } });
    const { outcome } = await opened.action(held.actionId);
    expect(JSON.stringify(outcome).length).toBeLessThan(70_000);
    expect(outcome?.digest).toBeDefined();
  });
});

describe('FW12 what comes from anyone else', () => {
  it('another name, claim or attempt settles nothing; its success is only noted', async () => {
    const opened = await open();
    const held = await handed(opened, 'agent/1');
    await opened.outcome(held, { worker: 'agent/2' });
    await opened.outcome(held, { claim: held.dispatch.claim + 1 });
    const { status, evidence } = await opened.action(held.actionId);
    expect(status).toBe('dispatched');
    expect(evidence.map(({ claims, source }) => [claims, source])).toEqual([
      ['note', 'attempt 1, agent/2'],
      ['note', 'attempt 1, agent/1'],
    ]);
    expect(await opened.outcome(held, { attempt: 2 })).toMatchObject({
      kind: 'refusal',
      code: 'action.claim-lost',
    });
    expect(await opened.outcome(held)).toMatchObject({ kind: 'outcome' });
  });

  it('after the lease, a refusal settles nothing: it is evidence of an attempt in doubt', async () => {
    const opened = await open([paying({ guarantee: 'manual' })]);
    const held = await handed(opened, 'agent/1');
    await opened.runtime.advance(leaseMs);
    expect((await opened.action(held.actionId)).status).toBe('unknown');
    const no = { kind: 'no effect', retryable: false, reason: 'refused' } as const;
    expect(await opened.outcome(held, { outcome: no })).toMatchObject({
      kind: 'evidence',
      answer: { word: 'checking', state: 'unknown' },
    });
    const { status, evidence } = await opened.action(held.actionId);
    expect(status).toBe('unknown');
    expect(evidence).toMatchObject([{ claims: 'refusal', data: 'refused' }]);
  });

  it('after the lease, a success that is cut says so to every later call', async () => {
    const opened = await open();
    const held = await handed(opened, 'agent/1');
    await opened.runtime.advance(leaseMs);
    const large = { kind: 'succeeded', result: { text: 'x'.repeat(100_000) } } as const;
    const told = await opened.outcome(held, { outcome: large });
    expect(told).toMatchObject({ kind: 'evidence', answer: { digest: expect.any(String) } });
    expect((await opened.action(held.actionId)).outcome?.notes).toHaveLength(1);
  });

  it('after the lease, the success of its own attempt is evidence that proves it', async () => {
    const opened = await open();
    const held = await handed(opened, 'agent/1');
    await opened.runtime.advance(leaseMs);
    const told = await opened.outcome(held);
    expect(told).toMatchObject({ kind: 'evidence', answer: { state: 'succeeded' } });
    expect(await opened.typesOf(held.actionId)).toEqual([
      ...inOneAppend,
      'ActionOutcomeUnknown',
      'EvidenceRecorded',
      'ActionSucceeded',
    ]);
    expect(await opened.work()).toEqual([]);
  });

  it('of no action at all is refused', async () => {
    const opened = await open();
    const held = await handed(opened, 'agent/1');
    const nowhere = held.actionId.replace(/\.0$/, '.7');
    const unknown = { kind: 'refusal', code: 'action.unknown' };
    expect(await opened.outcome(held, { actionId: nowhere })).toMatchObject(unknown);
    expect(await opened.outcome(held, { actionId: 'nothing' })).toMatchObject(unknown);
    const claim = { worker: 'agent/1', claim: 1 };
    expect(await opened.callers().extend({ actionId: nowhere, ...claim })).toMatchObject(unknown);
  });
});

describe('the lease of a caller', () => {
  it('is extended by its holder alone', async () => {
    const opened = await open();
    const { actionId, dispatch } = await handed(opened, 'agent/1');
    const { claim } = dispatch;
    await opened.runtime.advance(leaseMs / 2);
    const extended = await opened.callers().extend({ actionId, worker: 'agent/1', claim });
    const leaseUntil = opened.runtime.clock.wallMs() + leaseMs;
    expect(extended).toEqual({ kind: 'kept', leaseUntil, leaseLeftMs: leaseMs });
    const lost = { kind: 'refusal', code: 'action.claim-lost' };
    for (const other of [
      { worker: 'agent/2', claim },
      { worker: 'agent/1', claim: claim + 1 },
    ])
      expect(await opened.callers().extend({ actionId, ...other })).toMatchObject(lost);
    await opened.runtime.advance(leaseMs - 1);
    expect((await opened.action(actionId)).status).toBe('dispatched');
    await opened.runtime.advance(1);
    expect((await opened.action(actionId)).status).toBe('unknown');
    const late = await opened.callers().extend({ actionId, worker: 'agent/1', claim });
    expect(late).toMatchObject(lost);
  });

  it('ends at last, however often it is extended: somebody looks for the effect', async () => {
    const opened = await open();
    const { actionId, dispatch } = await handed(opened, 'agent/1');
    const held = { actionId, worker: 'agent/1', claim: dispatch.claim };
    const extend = (): ReturnType<CallerDoor['extend']> => opened.callers().extend(held);
    let last: unknown;
    for (let each = 0; each < 3; each += 1) {
      await opened.runtime.advance(leaseMs / 2);
      last = await extend();
    }
    // A minute after the dispatch, and ten seconds before the end of all.
    expect(last).toMatchObject({ leaseLeftMs: 10_000 });
    expect(await opened.action(actionId)).toMatchObject({
      status: 'dispatched',
      claim: { leaseUntil: dispatch.deadlineAt + leaseMs },
    });
    await opened.runtime.advance(10_000);
    expect(await extend()).toMatchObject({ kind: 'refusal', code: 'action.claim-lost' });
    expect(await opened.action(actionId)).toMatchObject({
      status: 'unknown',
      watch: { owner: 'reconciler' },
    });
  });

  it('extended once more at once, is what it was: nothing is written', async () => {
    const opened = await open();
    const { actionId, dispatch } = await handed(opened, 'agent/1');
    const held = { actionId, worker: 'agent/1', claim: dispatch.claim };
    await opened.runtime.advance(leaseMs / 2);
    const extended = await opened.callers().extend(held);
    await opened.runtime.advance(1_000);
    const leaseLeftMs = leaseMs - 1_000;
    expect(await opened.callers().extend(held)).toEqual({ ...extended, leaseLeftMs });
    expect(await opened.typesOf(actionId)).toEqual([...inOneAppend, 'ClaimExtended']);
  });

  it('extended while its end is looked at, goes on: what the holder is told holds', async () => {
    const opened = await open();
    const { actionId, dispatch } = await handed(opened, 'agent/1');
    await opened.runtime.advance(leaseMs - 1);
    const there = { ...opened.store };
    let answer = (): void => undefined;
    const held = new Promise<void>((resolve) => (answer = resolve));
    Object.assign(opened.store, {
      append: async (...given: Parameters<typeof there.append>) => {
        const appended = await there.append(...given);
        if (given[2].some(({ type }) => type === 'ClaimExtended')) await held;
        return appended;
      },
    });
    const extending = opened.callers().extend({
      actionId,
      worker: 'agent/1',
      claim: dispatch.claim,
    });
    await opened.runtime.advance(1);
    answer();
    const leaseUntil = dispatch.deadlineAt + leaseMs;
    expect(await extending).toMatchObject({ kind: 'kept', leaseUntil });
    expect((await opened.action(actionId)).status).toBe('dispatched');
    await opened.runtime.advance(leaseMs);
    expect((await opened.action(actionId)).status).toBe('unknown');
  });

  it('FW06 outlives the process of the ledger: its outcome is taken by the next one', async () => {
    const opened = await open();
    const held = await handed(opened, 'agent/1');
    await opened.restart();
    expect((await opened.action(held.actionId)).status).toBe('dispatched');
    expect(await opened.outcome(held)).toMatchObject({
      kind: 'outcome',
      answer: { state: 'succeeded' },
    });
  });

  it('ends also while the ledger is away', async () => {
    const opened = await open();
    const held = await handed(opened, 'agent/1');
    await opened.ledger().close();
    await opened.runtime.advance(leaseMs);
    await opened.restart();
    expect((await opened.action(held.actionId)).status).toBe('unknown');
  });
});
