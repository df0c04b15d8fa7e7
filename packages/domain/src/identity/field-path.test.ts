import { describe, expect, it } from '@jest/globals';
import { covers, readField } from './field-path.ts';

describe('readField', () => {
  const args = { order: { id: 'o-1', lines: [{ sku: 'a' }], note: null }, 'order.id': 'x' };

  it.each([
    ['order.id', 'o-1'],
    ['order.note', null],
    ['order.lines', [{ sku: 'a' }]],
    ['order.lines.0', undefined],
    ['order.lines.length', undefined],
    ['order.id.length', undefined],
    ['order.missing', undefined],
    ['missing.id', undefined],
    ['constructor', undefined],
    ['order.toString', undefined],
  ])('reads %s', (path, value) => {
    expect(readField(args, path)).toEqual(value);
  });
});

describe('covers', () => {
  it('holds for a path and what lies below it', () => {
    expect(covers(['a.b'], 'a.b')).toBe(true);
    expect(covers(['x', 'a.b'], 'a.b.c')).toBe(true);
    expect(covers(['a.b'], 'a.bc')).toBe(false);
    expect(covers(['a.b'], 'a')).toBe(false);
    expect(covers([], 'a')).toBe(false);
  });
});
