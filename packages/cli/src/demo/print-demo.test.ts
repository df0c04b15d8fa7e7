import { describe, expect, it } from '@jest/globals';
import { createStyle } from '../format/style.ts';
import { type CaseResult } from './demo-case.ts';
import { renderDemo } from './print-demo.ts';

const result: CaseResult = {
  number: 1,
  title: 'The model asks again in a later turn',
  tool: 'refund',
  guarantee: 'idempotent',
  steps: [{ happened: 'the model refunds', answered: 'Done now.' }, { happened: 'it crashes' }],
  effects: { wanted: 1, counted: 1, withoutLedger: 2 },
  wrong: [],
  ok: true,
};

function page(changes: Partial<CaseResult>, columns: number): string {
  const each = { ...result, ...changes };
  const { effects, ok } = each;
  const demo = { cases: [each], effects, ok, seconds: 0.3 };
  return renderDemo(demo, { style: createStyle(false), columns });
}

describe('renderDemo', () => {
  it('tells what happened, what was answered and what was counted', () => {
    const text = page({}, 100);
    expect(text).toContain('    the model refunds\n      → Done now.\n    it crashes\n');
    expect(text).toContain('✓ 1 effect, as wanted   without a ledger: 2');
    expect(text).toContain('1 case, each as wanted.');
  });

  it.each([80, 100, 120])('keeps to a page of %i columns', (columns) => {
    const long = {
      happened: 'what happens takes many words '.repeat(6),
      answered: 'x'.repeat(150),
    };
    const lines = page({ steps: [long] }, columns).split('\n');
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(columns);
  });

  it('says what went wrong', () => {
    const text = page({ ok: false, wrong: ['2 effects, but 1 wanted'] }, 100);
    expect(text).toContain('✗ WRONG: 2 effects, but 1 wanted');
    expect(text).toContain('1 of 1 case went wrong.');
  });

  it('gives luck its due', () => {
    const effects = { wanted: 1, counted: 1, withoutLedger: 1 };
    expect(page({ effects }, 100)).toContain('without a ledger: 1, by luck');
  });
});
