import { describe, expect, it } from '@jest/globals';
import { type PlayCall, type PlayRun } from '@action-ledger/sandbox';
import { createCallTally } from './call-tally.ts';
import { type Delivered } from './delivery.ts';

const run: PlayRun = { tenant: 'r', domain: 'd', calls: [] };
const call: PlayCall = {
  kind: 'unknown',
  seq: 3,
  recordedTool: 'pay',
  arguments: {},
  origin: { conversation: 'c', run: 'r', turn: '1', call: 'k' },
  answer: { kind: 'accepted', text: null },
};
const succeeded = (actionId: string, repeat = false): Delivered => ({
  word: repeat ? 'already-done' : 'done',
  state: 'succeeded',
  repeat,
  actionId,
});
const refusal = (code: string): Delivered => ({
  word: 'refused',
  state: 'refused',
  repeat: false,
  code,
  reason: 'no',
});

describe('what callers are told', () => {
  it('opens an action the first time that a run hears of it, even as a repeat', () => {
    const tally = createCallTally();
    const each = tally.openRun(run);
    // Its first answer died with the worker.
    each.answered(call, succeeded('a', true));
    each.answered(call, succeeded('a', true));
    each.answered(call, { ...succeeded('b'), word: 'in-progress', state: 'planned' });
    each.read();
    expect(tally.counts).toMatchObject({
      runs: 1,
      calls: 4,
      reads: 1,
      opened: 2,
      suppressed: 1,
      deferred: 1,
    });
  });

  it('tells refusals apart', () => {
    const tally = createCallTally();
    const each = tally.openRun(run);
    each.answered(call, { ...refusal('key.other-arguments'), word: 'other-arguments' });
    each.answered(call, refusal('tool.unknown'));
    each.answered(call, refusal('epochs.exhausted'));
    each.answered(call, refusal('arguments.invalid'));
    each.answered(
      { ...call, answer: { kind: 'refused', reason: 'x' } },
      refusal('arguments.invalid'),
    );
    expect(tally.counts).toMatchObject({ conflicts: 1, unknownTools: 1, exhausted: 1, invalid: 2 });
    expect(tally.takenByTheWorldCount()).toBe(1);
    expect(tally.takenByTheWorld).toEqual([{ run: 'r', seq: 3, tool: 'pay', reason: 'no' }]);
  });

  it('counts what it delivers again apart, and reports where that opens an action', () => {
    const tally = createCallTally();
    const each = tally.openRun(run);
    each.answered(call, succeeded('a'));
    each.redelivered(succeeded('a', true));
    each.redelivered(refusal('tool.unknown'));
    expect(tally.wrongRedeliveries).toEqual([]);
    each.redelivered(succeeded('b'));
    expect(tally.counts).toMatchObject({ calls: 1, suppressed: 0, redelivered: 3 });
    expect(tally.wrongRedeliveries).toEqual(['b']);
  });
});
