import { describe, expect, it } from '@jest/globals';
import { type TraceLine } from '../traces/trace-line.ts';
import { type DeclaredTool, type DeclaredTools } from './declare-tools.ts';
import { planRun, type PlayCall } from './play-plan.ts';

const pay: DeclaredTool = {
  name: 'bank.pay',
  description: '',
  parameters: { type: 'object' },
  scope: 'run',
  identity: 'all',
  free: [],
  sets: [],
  guarantee: 'manual',
  undoneBy: [],
  keep: [],
};
const tools: DeclaredTools = new Map([['bank', new Map([['pay', pay]])]]);

const line: TraceLine = {
  run: 'r1',
  conversation: 'c1',
  seq: 0,
  domain: 'bank',
  tool: 'pay',
  kind: 'write',
  arguments: { cents: 5 },
  result: 'paid',
  error: false,
  turn: 2,
};

function planned(...lines: readonly Partial<TraceLine>[]): readonly PlayCall[] {
  const whole = lines.map((more, seq) => ({ ...line, seq, ...more }));
  return planRun({ run: 'r1', domain: 'bank', lines: whole }, tools).calls;
}

describe('planRun', () => {
  it('makes the run a tenant, and keeps the order of its calls', () => {
    const plan = planRun({ run: 'r1', domain: 'bank', lines: [line, { ...line, seq: 1 }] }, tools);
    expect(plan).toMatchObject({ tenant: 'r1', domain: 'bank' });
    expect(plan.calls.map(({ seq }) => seq)).toEqual([0, 1]);
  });

  it('gives a call its origin, and its seq where the recorded id is missing', () => {
    const [named, unnamed] = planned({ call: 'call-9' }, {});
    expect(named?.origin).toEqual({ conversation: 'c1', run: 'r1', turn: '2', call: 'call-9' });
    expect(unnamed?.origin.call).toBe('1');
  });

  it('tells writes, reads and tools that nobody has apart', () => {
    const calls = planned({}, { kind: 'read', tool: 'balance' }, { tool: 'invented' });
    expect(calls.map(({ kind, recordedTool }) => [kind, recordedTool])).toEqual([
      ['write', 'pay'],
      ['read', 'balance'],
      ['unknown', 'invented'],
    ]);
    expect(calls[0]).toMatchObject({ tool: { name: 'bank.pay' }, arguments: { cents: 5 } });
  });

  it('takes an error for a refusal, and a missing result for a success', () => {
    const calls = planned({ error: true, result: 'no funds' }, { result: null }, {});
    expect(calls.map(({ answer }) => answer)).toEqual([
      { kind: 'refused', reason: 'no funds' },
      { kind: 'accepted', text: null },
      { kind: 'accepted', text: 'paid' },
    ]);
  });
});
