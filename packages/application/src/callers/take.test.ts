// Who is handed a dispatch: whoever proposed it, or whoever takes it on when it is due. Never two.
import { afterEach, describe, expect, it } from '@jest/globals';
import { StoreFault } from '@action-ledger/event-store';
import { type CallerWorld, callerWorld, handed, paying } from '../../test-support/caller-world.ts';
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

const inOneAppend = ['ActionPlanned', 'ActionClaimed', 'ActionDispatched'];

describe('a proposal that its caller carries out', () => {
  it('is planned, claimed and dispatched in one append, and handed out', async () => {
    const { typesOf, propose, action, store, runtime } = await open();
    const { answer, dispatch } = await propose('agent/1');
    expect(answer).toMatchObject({ word: 'in-progress', state: 'dispatched', repeat: false });
    const id = answer.actionId ?? '';
    expect(await typesOf(id)).toEqual(inOneAppend);
    expect((await store.readStream(`action-${id}`))[0]?.position).toBeDefined();
    const now = runtime.clock.wallMs();
    expect(dispatch).toMatchObject({
      attempt: 1,
      timeoutMs: 30_000,
      deadlineAt: now + 30_000,
      inFlightMs: 60_000,
      leaseUntil: now + 40_000,
      arguments: { invoice: 'A', cents: 500 },
      origin: { run: 'r-1', call: 'c-1' },
    });
    const { claim, downstreamKey } = await action(id);
    expect(claim).toMatchObject({ worker: 'agent/1', caller: true, revision: dispatch?.claim });
    expect(dispatch?.downstreamKey).toBe(downstreamKey);
  });

  it('said again because the answer was lost, it is the same dispatch', async () => {
    const { propose, typesOf } = await open();
    const first = await propose('agent/1');
    expect(await propose('agent/1')).toEqual(first);
    expect(await typesOf(first.answer.actionId ?? '')).toEqual(inOneAppend);
  });

  it('FW01 of two at once, one is handed it and the other attaches', async () => {
    const { propose, typesOf } = await open();
    const both = await Promise.all([propose('agent/1'), propose('agent/2')]);
    expect(both.filter(({ dispatch }) => dispatch !== undefined)).toHaveLength(1);
    expect(both.map(({ answer }) => answer.word)).toEqual(['in-progress', 'in-progress']);
    expect(new Set(both.map(({ answer }) => answer.actionId)).size).toBe(1);
    expect(await typesOf(both[0].answer.actionId ?? '')).toEqual(inOneAppend);
  });

  it('with other arguments under its identity it is refused', async () => {
    const { propose } = await open();
    await propose('agent/1');
    const { answer, dispatch } = await propose('agent/2', { cents: 501 });
    expect([answer.word, dispatch]).toEqual(['other-arguments', undefined]);
  });

  it('of a tool that the ledger carries out, or that nobody has declared, is refused', async () => {
    const { callers } = await open();
    const asked = { tenant: 'default', origin: { run: 'r' }, execute: { worker: 'agent/1' } };
    const own = await callers().propose({ ...asked, tool: 'greet', arguments: { whom: 'ann' } });
    expect(own).toEqual({
      answer: expect.objectContaining({ word: 'refused', code: 'tool.served-here' }),
    });
    const other = await callers().propose({ ...asked, tool: 'fly', arguments: {} });
    expect(other.answer).toMatchObject({ word: 'refused', code: 'tool.unknown' });
  });

  it('of another tenant, whose callers have not declared it, is of no tool', async () => {
    const { callers } = await open();
    const { answer } = await callers().propose({
      tool: 'pay',
      tenant: 'acme',
      arguments: { invoice: 'A', cents: 500 },
      origin: { run: 'r' },
      execute: { worker: 'agent/1' },
    });
    expect(answer).toMatchObject({ code: 'tool.unknown' });
  });
});

describe('an action that nobody has taken on', () => {
  it('is named to callers that have its tool, and is theirs who takes it', async () => {
    const { leave, work, callers, typesOf } = await open();
    const actionId = await leave();
    expect(await typesOf(actionId)).toEqual(['ActionPlanned']);
    expect(await work({ tools: ['other'] })).toEqual([]);
    const named = [{ kind: 'send', actionId, tool: 'pay' }];
    expect(await work()).toEqual(named);
    // Only named: an answer that is lost commits to nothing.
    expect(await work()).toEqual(named);
    const dispatch = await callers().take(actionId, { worker: 'agent/1' });
    expect(dispatch).toMatchObject({ attempt: 1, arguments: { invoice: 'A', cents: 500 } });
    expect(await work()).toEqual([]);
    expect(await callers().take(actionId, { worker: 'agent/1' })).toEqual(dispatch);
    expect(await callers().take(actionId, { worker: 'agent/2' })).toBeUndefined();
    expect(await typesOf(actionId)).toEqual(inOneAppend);
  });

  it('FW01 is handed to one of two that take it at once', async () => {
    const { leave, callers, typesOf } = await open();
    const actionId = await leave();
    const both = await Promise.all(
      ['agent/1', 'agent/2'].map((worker) => callers().take(actionId, { worker })),
    );
    expect(both.filter((each) => each !== undefined)).toHaveLength(1);
    expect(await typesOf(actionId)).toEqual(inOneAppend);
  });

  it('is nothing to callers of another tenant', async () => {
    const { leave, work } = await open();
    await leave();
    expect(await work({ tenant: 'acme' })).toEqual([]);
  });

  it('wakes a caller that waits for work', async () => {
    const { leave, work } = await open();
    const waiting = work({ waitMs: 20_000 });
    const actionId = await leave();
    expect(await waiting).toEqual([{ kind: 'send', actionId, tool: 'pay' }]);
  });

  it('is not waited for longer than was said, nor after the caller has gone', async () => {
    const { work, runtime } = await open();
    const waiting = work({ waitMs: 20_000 });
    await runtime.advance(20_000);
    expect(await waiting).toEqual([]);
    const gone = new AbortController();
    const left = work({ waitMs: 20_000, signal: gone.signal });
    gone.abort();
    expect(await left).toEqual([]);
  });

  it('is known again after a restart of the ledger', async () => {
    const { leave, restart, work, callers } = await open();
    const actionId = await leave();
    await restart();
    expect(await work()).toEqual([{ kind: 'send', actionId, tool: 'pay' }]);
    expect(await callers().take(actionId, { worker: 'agent/1' })).toBeDefined();
  });
});

describe('an action that turns out to be damaged', () => {
  it('is offered to nobody any more', async () => {
    const { leave, work, ledger, action, store } = await open();
    const actionId = await leave();
    expect(await work()).toHaveLength(1);
    const { revision: revisionSeen } = await action(actionId);
    const there = { ...store };
    const damaged = new StoreFault('store.corrupt', 'never', 'damaged');
    Object.assign(store, {
      append: (...given: Parameters<typeof there.append>) =>
        given[0] === `action-${actionId}` ? Promise.reject(damaged) : there.append(...given),
    });
    const cancel = { actionId, revisionSeen, by: 'ann', reason: 'not needed' };
    expect(await ledger().cancel(cancel)).toMatchObject({ kind: 'broken' });
    expect(await work()).toEqual([]);
  });
});

describe('what guards a send guards it here', () => {
  it('people are asked first', async () => {
    const { propose, work, callers, ledger, runtime, action } = await open([
      paying({ approval: true }),
    ]);
    const { answer, dispatch } = await propose('agent/1');
    expect([answer.word, dispatch]).toEqual(['waiting-for-approval', undefined]);
    const actionId = answer.actionId ?? '';
    expect(await work()).toEqual([]);
    expect(await callers().take(actionId, { worker: 'agent/1' })).toBeUndefined();
    const { argumentsHash } = await action(actionId);
    await ledger().vote({ actionId, argumentsHash, voter: 'ann', vote: 'approve' });
    await runtime.advance(0);
    expect(await work()).toEqual([{ kind: 'send', actionId, tool: 'pay' }]);
    expect(await callers().take(actionId, { worker: 'agent/1' })).toMatchObject({ attempt: 1 });
  });

  it('while its tool is paused nothing is handed out', async () => {
    const { leave, callers, ledger } = await open();
    const actionId = await leave();
    await ledger().pause({ tool: 'pay', by: 'ann', reason: 'a review' });
    expect(await callers().take(actionId, { worker: 'agent/1' })).toBeUndefined();
    const [pause] = ledger().pauses();
    await ledger().resume({
      tool: 'pay',
      by: 'ann',
      reason: 'reviewed',
      revisionSeen: pause?.revision ?? 0,
    });
    expect(await callers().take(actionId, { worker: 'agent/1' })).toBeDefined();
  });

  it('its time over, it expires', async () => {
    const { leave, callers, runtime, action } = await open([paying({ validFor: '1h' })]);
    const actionId = await leave();
    await runtime.advance(3_600_000);
    expect(await callers().take(actionId, { worker: 'agent/1' })).toBeUndefined();
    expect((await action(actionId)).status).toBe('expired');
  });

  it('one at a time, where the tool says so', async () => {
    const { propose, work, outcome, callers } = await open([paying({ load: { concurrent: 1 } })]);
    const first = await handed(world as CallerWorld, 'agent/1');
    const { answer, dispatch } = await propose('agent/2', { invoice: 'B' });
    expect([answer.state, dispatch]).toEqual(['ready', undefined]);
    const actionId = answer.actionId ?? '';
    expect(await callers().take(actionId, { worker: 'agent/2' })).toBeUndefined();
    await outcome(first);
    await world?.runtime.advance(0);
    expect(await work()).toEqual([{ kind: 'send', actionId, tool: 'pay' }]);
    expect(await callers().take(actionId, { worker: 'agent/2' })).toBeDefined();
  });
});

describe('a dispatch that is asked for again is handed out only while it may be sent', () => {
  const again = async (
    { propose, callers }: CallerWorld,
    actionId: string,
  ): Promise<readonly unknown[]> => [
    (await propose('agent/1')).dispatch,
    await callers().take(actionId, { worker: 'agent/1' }),
  ];
  const neither = [undefined, undefined];

  it('FW31 not after a cancel', async () => {
    const opened = await open();
    const { actionId, dispatch } = await handed(opened, 'agent/1');
    expect(await again(opened, actionId)).toEqual([dispatch, dispatch]);
    const { revision: revisionSeen } = await opened.action(actionId);
    await opened.ledger().cancel({ actionId, revisionSeen, by: 'ann', reason: 'not needed' });
    expect(await again(opened, actionId)).toEqual(neither);
    expect((await opened.action(actionId)).status).toBe('dispatched');
  });

  it('not while its tool is paused', async () => {
    const opened = await open();
    const { actionId } = await handed(opened, 'agent/1');
    await opened.ledger().pause({ tool: 'pay', by: 'ann', reason: 'a review' });
    expect(await again(opened, actionId)).toEqual(neither);
  });

  it('not after its deadline', async () => {
    const opened = await open();
    const { actionId, dispatch } = await handed(opened, 'agent/1');
    await opened.runtime.advance(dispatch.timeoutMs - 1);
    const left = { timeLeftMs: 1, leaseLeftMs: dispatch.leaseMs - dispatch.timeoutMs + 1 };
    const later = { ...dispatch, ...left };
    expect(await again(opened, actionId)).toEqual([later, later]);
    await opened.runtime.advance(1);
    expect(await again(opened, actionId)).toEqual(neither);
  });

  it('with the times that were recorded, whatever is declared since', async () => {
    const opened = await open();
    const { actionId, dispatch } = await handed(opened, 'agent/1');
    const declarations = [paying({ timeoutMs: 600_000 })];
    const declared = { tenant: 'default', by: 'agent', declarations };
    expect(await opened.callers().register(declared)).toHaveLength(1);
    await opened.runtime.advance(12_000);
    const left = { timeLeftMs: 18_000, leaseLeftMs: 28_000 };
    const later = { ...dispatch, ...left };
    expect(await again(opened, actionId)).toEqual([later, later]);
    const held = { actionId, worker: 'agent/1', claim: dispatch.claim };
    const extend = (): ReturnType<CallerDoor['extend']> => opened.callers().extend(held);
    const leaseLeftMs = dispatch.leaseMs;
    const kept = { kind: 'kept', leaseLeftMs };
    expect(await extend()).toEqual({ ...kept, leaseUntil: dispatch.leaseUntil + 12_000 });
    await opened.runtime.advance(12_000);
    // An extended lease is no longer one: the next extension lasts as long as the first.
    const extended = { ...dispatch, leaseUntil: dispatch.leaseUntil + 12_000 };
    const last = { ...extended, timeLeftMs: 6_000, leaseLeftMs: 28_000 };
    expect(await again(opened, actionId)).toEqual([last, last]);
    expect(await extend()).toEqual({ ...kept, leaseUntil: dispatch.leaseUntil + 24_000 });
  });

  it('not when its success is known already', async () => {
    const opened = await open();
    const { actionId } = await handed(opened, 'agent/1');
    const report = { source: 'webhook', claims: 'success', proven: true } as const;
    await opened.ledger().report(actionId, { ...report, data: { refund: 'r-77' } });
    expect(await again(opened, actionId)).toEqual(neither);
  });

  it('FW29 not when an epoch before turns out to have succeeded', async () => {
    const opened = await open();
    const first = await handed(opened, 'agent/0');
    const no = { kind: 'no effect', retryable: false, reason: 'refused' } as const;
    await opened.outcome(first, { outcome: no });
    const next = 'c-2';
    const { answer, dispatch } = await opened.propose('agent/1', {}, next);
    expect([answer.epoch, dispatch?.attempt]).toEqual([1, 1]);
    const report = { source: 'webhook', claims: 'success', proven: true } as const;
    await opened.ledger().report(first.actionId, report);
    expect((await opened.propose('agent/1', {}, next)).dispatch).toBeUndefined();
    expect(
      await opened.callers().take(answer.actionId ?? '', { worker: 'agent/1' }),
    ).toBeUndefined();
  });
});

describe('what a caller has in hand when the ledger is opened again', () => {
  it('takes its room: nothing else of the tool, or the entity, is handed out until it is told of', async () => {
    const opened = await open([paying({ load: { oneAtATime: ['cents'] } })]);
    const first = await handed(opened, 'agent/1');
    await opened.restart();
    const { answer, dispatch } = await opened.propose('agent/2', { invoice: 'B' });
    expect([answer.state, dispatch]).toEqual(['ready', undefined]);
    await opened.outcome(first);
    await opened.runtime.advance(0);
    const actionId = answer.actionId ?? '';
    expect(await opened.work()).toEqual([{ kind: 'send', actionId, tool: 'pay' }]);
    expect(await opened.callers().take(actionId, { worker: 'agent/2' })).toBeDefined();
  });
});

describe('a claim that the store does not take', () => {
  it('gives back the room that it had, so that others of the tool go on', async () => {
    const { leave, callers, store } = await open([paying({ load: { concurrent: 1 } })]);
    const [first, second] = [await leave(), await leave({ invoice: 'B' })];
    const there = { ...store };
    const away = new StoreFault('store.unavailable', 'never', 'away');
    Object.assign(store, { append: () => Promise.reject(away) });
    await expect(callers().take(first, { worker: 'agent/1' })).rejects.toThrow('away');
    Object.assign(store, there);
    expect(await callers().take(second, { worker: 'agent/2' })).toBeDefined();
  });
});

describe('a remark whose append is in doubt until its action has ended', () => {
  it('takes no room that the action gave back, so that others of the tool go on', async () => {
    const opened = await open([paying({ load: { concurrent: 1 } })]);
    const { store, runtime, ledger, outcome, leave, callers } = opened;
    const first = await handed(opened, 'agent/1');
    const there = { ...store };
    Object.assign(store, {
      append: async (...given: Parameters<typeof there.append>) => {
        Object.assign(store, there);
        await there.append(...given);
        throw new StoreFault('store.unavailable', 'unsafe', 'no answer came');
      },
    });
    const remark = { source: 'support', claims: 'note', proven: false } as const;
    const said = ledger().report(first.actionId, remark);
    await runtime.settle();
    await outcome(first);
    await runtime.advance(1_000);
    expect(await said).toMatchObject({ kind: 'done' });
    expect(
      await callers().take(await leave({ invoice: 'B' }), { worker: 'agent/2' }),
    ).toBeDefined();
  });
});

describe('secret arguments', () => {
  const secret = [paying({ secret: ['invoice'], identity: ['cents'] })];

  it('stay where they are: only whoever holds them is offered the action', async () => {
    const { leave, work, action, callers } = await open(secret);
    const actionId = await leave({ invoice: 'digest:1' });
    expect(JSON.stringify(await action(actionId))).not.toContain('digest:1');
    expect(await work()).toEqual([]);
    expect(await work({ holding: [actionId] })).toEqual([{ kind: 'send', actionId, tool: 'pay' }]);
    expect(await callers().take(actionId, { worker: 'agent/1' })).toBeUndefined();
    expect(await callers().take(actionId, { worker: 'agent/2', holding: true })).toBeDefined();
  });

  it('of a step are waited for where its action was never created: its program says them again', async () => {
    const { ledger, store, runtime } = await open(secret);
    const { workflows } = ledger();
    const started = await workflows.start({ tenant: 'default', id: 'w' });
    const { id } = started.kind === 'started' ? started.workflow : { id: '' };
    const take = () =>
      workflows.step(id, {
        step: 'pay',
        tool: 'pay',
        arguments: { invoice: 'digest:1', cents: 500 },
        compensate: 'impossible',
        waitMs: 0,
      });
    const there = { ...store };
    const away = new StoreFault('store.unavailable', 'safe', 'away');
    const append: typeof there.append = (stream, ...rest) =>
      stream.startsWith('action-') ? Promise.reject(away) : there.append(stream, ...rest);
    Object.assign(store, { append });
    const first = take();
    await runtime.advance(60_000);
    expect((await first).kind).toBe('waiting');
    Object.assign(store, there);
    await runtime.advance(10_000);
    expect(await workflows.show(id)).toMatchObject({ status: 'running', steps: [{ step: 'pay' }] });
    expect(await take()).toMatchObject({ kind: 'waiting', answer: { state: 'ready' } });
  });
});
