// Unknowns of the tools that callers have: any of them may look an effect up, one at a time, and what it
// finds counts by the same rules as a lookup of the ledger's own.
import { afterEach, describe, expect, it } from '@jest/globals';
import {
  type CallerWorld,
  callerWorld,
  type Handed,
  handed,
  paying,
} from '../../test-support/caller-world.ts';
import { type CallerDoor } from './caller-door.ts';
import { type VerdictRequest, type Work } from './work.ts';

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
const lookedUp = [paying({ guarantee: 'lookup' })];

/** Its caller has died: the lease ends, and nobody knows. */
async function inDoubt(opened: CallerWorld): Promise<Handed> {
  const held = await handed(opened, 'agent/1');
  await opened.runtime.advance(leaseMs + 5_000);
  return held;
}

async function lookup(opened: CallerWorld): Promise<Extract<Work, { kind: 'lookup' }>> {
  const [work] = await opened.work();
  if (work?.kind !== 'lookup') throw new Error(`no lookup: ${JSON.stringify(work)}`);
  return work;
}

const found = {
  verdict: 'found',
  result: { refund: 'r-77' },
  externalId: 'r-77',
} as const;
const absent = { verdict: 'absent' } as const;

describe('an attempt whose caller has died', () => {
  it('FW03 is looked up by any process that has the tool, and found: nothing is sent again', async () => {
    const opened = await open(lookedUp);
    const { actionId, dispatch } = await inDoubt(opened);
    const asked = await lookup(opened);
    expect(asked).toMatchObject({
      actionId,
      tool: 'pay',
      downstreamKey: dispatch.downstreamKey,
      arguments: { invoice: 'A', cents: 500 },
      attempts: [{ attempt: 1 }],
    });
    const told = await opened
      .callers()
      .verdict({ actionId, revisionRead: asked.revision, outcome: found });
    expect(told).toMatchObject({ kind: 'verdict', answer: { state: 'succeeded' } });
    const { answer, dispatch: none } = await opened.propose('agent/3');
    expect([answer.word, answer.result, none]).toEqual([
      'already-done',
      { refund: 'r-77' },
      undefined,
    ]);
    expect(await opened.work()).toEqual([]);
  });

  it('is asked of one caller at a time, and of the next when that one does not answer', async () => {
    const opened = await open(lookedUp);
    await inDoubt(opened);
    await lookup(opened);
    expect(await opened.work()).toEqual([]);
    await opened.runtime.advance(30_000);
    expect(await opened.work()).toEqual([]);
    await opened.runtime.advance(65_000);
    expect(await lookup(opened)).toMatchObject({ tool: 'pay' });
  });

  it('FW20 is absent only by a lookup after the waits; then it is sent again, once', async () => {
    const opened = await open(lookedUp);
    const { actionId } = await inDoubt(opened);
    const early = await lookup(opened);
    const verdict = (said: VerdictRequest): ReturnType<CallerDoor['verdict']> =>
      opened.callers().verdict(said);
    await verdict({ actionId, revisionRead: early.revision, outcome: absent });
    expect((await opened.action(actionId)).status).toBe('unknown');
    await opened.runtime.advance(70_000);
    const late = await lookup(opened);
    const told = await verdict({ actionId, revisionRead: late.revision, outcome: absent });
    expect(told).toMatchObject({ answer: { state: 'ready' } });
    await opened.runtime.advance(60_000);
    expect(await opened.work()).toMatchObject([{ kind: 'send', actionId }]);
    expect(await opened.callers().take(actionId, { worker: 'agent/2' })).toMatchObject({
      attempt: 2,
    });
  });

  it('FW20 an effect that is found for two actions at once is that of one', async () => {
    const opened = await open(lookedUp);
    await handed(opened, 'agent/1');
    await handed(opened, 'agent/2', { invoice: 'B' });
    await opened.runtime.advance(leaseMs + 5_000);
    const asked = await opened.work();
    const told = await Promise.all(
      asked.map(({ actionId, ...work }) =>
        opened.callers().verdict({
          actionId,
          revisionRead: 'revision' in work ? work.revision : -1,
          outcome: found,
        }),
      ),
    );
    const states = told.map((each) => ('answer' in each ? each.answer.state : each.kind));
    expect(states.toSorted()).toEqual(['succeeded', 'unknown']);
  });

  it('FW20 a verdict of whoever was asked first is not taken for that of whoever was asked since', async () => {
    const opened = await open(lookedUp);
    const { actionId } = await inDoubt(opened);
    const first = await lookup(opened);
    await opened.runtime.advance(100_000);
    const second = await lookup(opened);
    expect(second.revision).toBe(first.revision);
    const verdict = { actionId, outcome: absent };
    await opened.callers().verdict({ ...verdict, revisionRead: first.revision });
    expect((await opened.action(actionId)).status).toBe('unknown');
    await opened.runtime.advance(70_000);
    const third = await lookup(opened);
    const told = await opened.callers().verdict({ ...verdict, revisionRead: third.revision });
    expect(told).toMatchObject({ answer: { state: 'ready' } });
  });

  it('FW20 a verdict that names its lookup is judged by when that was handed out', async () => {
    const opened = await open(lookedUp);
    const { actionId } = await inDoubt(opened);
    const first = await lookup(opened);
    await opened.runtime.advance(100_000);
    const second = await lookup(opened);
    expect(second.revision).toBe(first.revision);
    const verdict = (of: string): ReturnType<CallerDoor['verdict']> =>
      opened.callers().verdict({
        actionId,
        revisionRead: second.revision,
        lookup: of,
        outcome: absent,
      });
    expect(await verdict(second.lookup)).toMatchObject({ answer: { state: 'ready' } });
  });

  it.each([
    ['that was handed out too early', 0],
    ['that nobody was asked', 1],
  ])('FW20 a verdict by a lookup %s proves no absence', async (_which, n) => {
    const opened = await open(lookedUp);
    const { actionId } = await inDoubt(opened);
    const first = await lookup(opened);
    await opened.runtime.advance(100_000);
    const { revision } = await lookup(opened);
    const named = [first.lookup, 'another'][n] ?? '';
    const told = await opened
      .callers()
      .verdict({ actionId, revisionRead: revision, lookup: named, outcome: absent });
    expect(told).toMatchObject({ answer: { state: 'unknown' } });
  });

  it('FW20 nor is one of whoever was asked before the ledger was started again', async () => {
    const opened = await open(lookedUp);
    const { actionId } = await inDoubt(opened);
    const first = await lookup(opened);
    await opened.restart();
    await opened.runtime.advance(100_000);
    const second = await lookup(opened);
    expect(second.revision).toBe(first.revision);
    const verdict = { actionId, outcome: absent };
    await opened.callers().verdict({ ...verdict, revisionRead: first.revision });
    expect((await opened.action(actionId)).status).toBe('unknown');
    await opened.runtime.advance(70_000);
    const third = await lookup(opened);
    const told = await opened.callers().verdict({ ...verdict, revisionRead: third.revision });
    expect(told).toMatchObject({ answer: { state: 'ready' } });
  });

  it('a verdict that was not asked for proves no absence, but finds', async () => {
    const opened = await open(lookedUp);
    const { actionId } = await inDoubt(opened);
    await opened.runtime.advance(70_000);
    const { revision } = await opened.action(actionId);
    const verdict = (said: VerdictRequest): ReturnType<CallerDoor['verdict']> =>
      opened.callers().verdict(said);
    await verdict({ actionId, revisionRead: revision, outcome: absent });
    const checked = await opened.action(actionId);
    expect(checked.status).toBe('unknown');
    expect(
      await verdict({ actionId, revisionRead: checked.revision, outcome: found }),
    ).toMatchObject({ answer: { state: 'succeeded' } });
  });

  it('FW27 a verdict of what has moved on meanwhile is refused', async () => {
    const opened = await open(lookedUp);
    const { actionId } = await inDoubt(opened);
    const asked = await lookup(opened);
    await opened.ledger().report(actionId, { source: 'a', claims: 'note', proven: false });
    const told = await opened
      .callers()
      .verdict({ actionId, revisionRead: asked.revision, outcome: found });
    expect(told).toMatchObject({ kind: 'refusal', code: 'action.stale-revision' });
    expect((await opened.action(actionId)).status).toBe('unknown');
  });

  it('FW22 what is found of an action that was settled as absent is not forgotten', async () => {
    const opened = await open([paying({ guarantee: 'manual' })]);
    const { actionId } = await inDoubt(opened);
    const asked = await lookup(opened);
    await opened.runtime.advance(100_000);
    const { revision: revisionSeen } = await opened.action(actionId);
    const by = { by: 'ann', reason: 'not there', revisionSeen };
    await opened.ledger().settle({ actionId, verdict: 'absent', ...by });
    const settled = await opened.action(actionId);
    expect(settled.status).not.toBe('unknown');
    const verdict = { actionId, revisionRead: asked.revision };
    expect(await opened.callers().verdict({ ...verdict, outcome: absent })).toMatchObject({
      kind: 'refusal',
      code: 'action.stale-revision',
    });
    expect((await opened.action(actionId)).revision).toBe(settled.revision);
    const told = await opened.callers().verdict({ ...verdict, outcome: found });
    expect(told).toMatchObject({ kind: 'verdict', answer: { state: 'succeeded' } });
    const after = await opened.action(actionId);
    expect(after).toMatchObject({ status: 'succeeded', outcome: { externalId: 'r-77' } });
    expect(after.incidents).toHaveLength(1);
    // Said again, it is on record already.
    expect(await opened.callers().verdict({ ...verdict, outcome: found })).toEqual(told);
    expect((await opened.action(actionId)).revision).toBe(after.revision);
    expect(await opened.work()).toEqual([]);
  });

  it('FW20 the effect of another action is not taken for its own', async () => {
    const opened = await open(lookedUp);
    const other = await handed(opened, 'agent/0', { invoice: 'B' });
    await opened.outcome(other);
    const { actionId } = await inDoubt(opened);
    const asked = await lookup(opened);
    await opened.callers().verdict({ actionId, revisionRead: asked.revision, outcome: found });
    expect((await opened.action(actionId)).status).toBe('unknown');
  });

  it('a lookup that fails says nothing about the effect', async () => {
    const opened = await open(lookedUp);
    const { actionId } = await inDoubt(opened);
    const asked = await lookup(opened);
    const outcome = { verdict: 'error', reason: 'the provider is away' } as const;
    const told = await opened
      .callers()
      .verdict({ actionId, revisionRead: asked.revision, outcome });
    expect(told).toMatchObject({ answer: { word: 'checking' } });
  });

  it('that the provider knows by our key is sent again, under the same key', async () => {
    const opened = await open([paying({}, false)]);
    const { actionId, dispatch } = await inDoubt(opened);
    await opened.runtime.advance(60_000);
    expect(await opened.work()).toMatchObject([{ kind: 'send', actionId }]);
    const again = await opened.callers().take(actionId, { worker: 'agent/2' });
    expect(again).toMatchObject({ attempt: 2, downstreamKey: dispatch.downstreamKey });
    // The first one wakes: its claim is gone, and the second attempt decides.
    expect(
      await opened.callers().extend({ actionId, worker: 'agent/1', claim: dispatch.claim }),
    ).toMatchObject({ code: 'action.claim-lost' });
  });

  it('that nothing can be asked about waits for a person', async () => {
    const opened = await open([paying({ guarantee: 'manual' }, false)]);
    const { actionId } = await inDoubt(opened);
    expect(await opened.work()).toEqual([]);
    expect((await opened.action(actionId)).watch).toMatchObject({ owner: 'operator' });
    expect(await opened.callers().take(actionId, { worker: 'agent/2' })).toBeUndefined();
  });

  it('is a person’s when no caller answers for a day, and is asked of callers still', async () => {
    const opened = await open(lookedUp);
    const { actionId } = await inDoubt(opened);
    expect((await opened.action(actionId)).watch).toMatchObject({ owner: 'reconciler' });
    await opened.runtime.advance(24 * 3_600_000);
    expect((await opened.action(actionId)).watch).toMatchObject({ owner: 'operator' });
    await opened.runtime.advance(2 * 3_600_000);
    expect(await lookup(opened)).toMatchObject({ actionId });
  });
});

describe('whose work it is', () => {
  it('is nothing to callers of another tenant, or without the tool', async () => {
    const opened = await open(lookedUp);
    await inDoubt(opened);
    expect(await opened.work({ tenant: 'acme' })).toEqual([]);
    expect(await opened.work({ tools: ['other'] })).toEqual([]);
    expect(await opened.work()).toHaveLength(1);
  });

  it('is no more than was asked for', async () => {
    const opened = await open();
    for (const invoice of ['A', 'B', 'C']) await opened.leave({ invoice });
    expect(await opened.work({ max: 2 })).toHaveLength(2);
  });

  it('a verdict on what the ledger itself looks after is refused', async () => {
    const opened = await open();
    const { actionId = '' } = await opened.ledger().propose({
      tool: 'greet',
      tenant: 'default',
      arguments: { whom: 'ann' },
      origin: { run: 'r' },
    });
    const told = await opened.callers().verdict({ actionId, revisionRead: 3, outcome: found });
    expect(told).toMatchObject({ kind: 'refusal', code: 'action.unknown' });
  });
});
