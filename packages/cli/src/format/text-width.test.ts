import { describe, expect, it } from '@jest/globals';
import { cutText, padText, textWidth, wrapProse, wrapText } from './text-width.ts';

describe('textWidth', () => {
  it.each([
    ['abc', 3],
    ['日本', 4],
    ['e\u0301', 1],
    ['🚀', 2],
    ['', 0],
  ])('of %j is %i', (text, width) => {
    expect(textWidth(text)).toBe(width);
  });
});

describe('cutText', () => {
  it('cuts to the width, wide characters included', () => {
    expect(cutText('abcdef', 4)).toBe('abc…');
    expect(cutText('日本語', 4)).toBe('日…');
    expect(cutText('abcd', 4)).toBe('abcd');
  });
});

describe('padText', () => {
  it('pads on the side away from the alignment', () => {
    expect(padText('ab', 4)).toBe('ab  ');
    expect(padText('ab', 4, 'right')).toBe('  ab');
    expect(padText('abc', 2)).toBe('abc');
  });
});

describe('wrapText', () => {
  it('breaks between words', () => {
    expect(wrapText('one two three', 8)).toEqual(['one two', 'three']);
  });

  it('breaks a word that is longer than a line', () => {
    expect(wrapText('id abcdefghij', 4)).toEqual(['id', 'abcd', 'efgh', 'ij']);
  });

  it('breaks JSON after a comma', () => {
    expect(wrapText('{"order":"A-17","cents":2500}', 20)).toEqual([
      '{"order":"A-17",',
      '"cents":2500}',
    ]);
  });

  it('leaves code in backticks whole, where it fits into a line', () => {
    expect(wrapProse('run `npm run x` now', 10)).toEqual(['run `npm', 'run x` now']);
    expect(wrapProse('then run `npm x` now', 12)).toEqual(['then run', '`npm x` now']);
  });

  it('comes to an end where not even one character fits', () => {
    expect(wrapText('日本', 1)).toEqual(['日', '本']);
  });
});
