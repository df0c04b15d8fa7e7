import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type Normalization } from './declaration.ts';
import { normalizeText, normalizeValue } from './normalize.ts';

describe('normalizeText', () => {
  it.each<[readonly Normalization[], string, string]>([
    [[], ' Cafe\u0301  X ', ' Cafe\u0301  X '],
    [['nfc'], 'cafe\u0301', 'caf\u00e9'],
    [['trim'], '\t a  b\n', 'a  b'],
    [['lowercase'], 'ADA@EX.Test', 'ada@ex.test'],
    [['collapse-whitespace'], ' a \n\t b ', ' a b '],
    [['collapse-whitespace', 'trim'], ' a \n b ', 'a b'],
    [['nfc', 'lowercase'], 'CAFE\u0301', 'caf\u00e9'],
    [['nfc', 'lowercase'], '\u212a', 'k'],
    // Composed only as a small letter.
    [['nfc', 'lowercase'], 'H\u0331', '\u1e96'],
  ])('%j makes of %j %j', (by, text, normal) => {
    expect(normalizeText(text, by)).toBe(normal);
    expect(normalizeText(text, [...by].reverse())).toBe(normal);
  });

  it('done twice changes nothing', () => {
    const kinds = fc.subarray<Normalization>(['nfc', 'trim', 'lowercase', 'collapse-whitespace']);
    const texts = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({
        unit: fc.constantFrom(' ', '\n', '\u0301', 'e', '\u0130', '\u212a', '\u03a3', 'A'),
      }),
    );
    fc.assert(
      fc.property(texts, kinds, (text, by) => {
        const normal = normalizeText(text, by);
        expect(normalizeText(normal, by)).toBe(normal);
      }),
      { numRuns: 1000 },
    );
  });
});

describe('normalizeValue', () => {
  it('reaches the texts in arrays, and nothing else', () => {
    expect(normalizeValue(['A', ['B'], { c: 'C' }, 1, null], ['lowercase'])).toEqual([
      'a',
      ['b'],
      { c: 'C' },
      1,
      null,
    ]);
    expect(normalizeValue({ a: 'A' }, ['lowercase'])).toEqual({ a: 'A' });
    expect(normalizeValue('A', [])).toBe('A');
  });
});
