import { describe, expect, it } from '@jest/globals';
import { formatNumber, formatTable } from './table.ts';

describe('formatTable', () => {
  it('aligns words left and numbers right, as wide as the widest cell', () => {
    const table = formatTable(
      [{ title: 'contender', align: 'left' }, { title: 'actions/s' }, { title: 'p50' }],
      [
        ['http', '12,345,678', '0.1'],
        ['sqlite-grouped', '9', '10.25'],
      ],
    );
    expect(table.split('\n')).toEqual([
      'contender        actions/s    p50',
      '--------------  ----------  -----',
      'http            12,345,678    0.1',
      'sqlite-grouped           9  10.25',
    ]);
  });

  it('keeps its head without rows, and leaves missing cells empty', () => {
    expect(formatTable([{ title: 'a' }], [])).toBe('a\n-');
    expect(formatTable([{ title: 'a' }, { title: 'b' }], [['1']])).toBe('a  b\n-  -\n1');
  });
});

describe('formatNumber', () => {
  it.each([
    [1234.5, 0, '1,235'],
    [0.1249, 2, '0.12'],
    [2, 2, '2.00'],
    [undefined, 2, '–'],
    [NaN, 0, '–'],
  ])('%p with %i digits is %p', (value, digits, expected) => {
    expect(formatNumber(value, digits)).toBe(expected);
  });
});
