import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createRecentMap } from './recent-map.ts';

describe('a map of what was set lately', () => {
  it('keeps at least the last half of its entries, and never more than all', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(30)), (keys) => {
        const map = createRecentMap<number>({ entriesMax: 10 });
        for (const [value, key] of keys.entries()) map.set(`${key}`, value);
        const distinct = [...new Set(keys.toReversed())];
        const held = distinct.filter((key) => map.get(`${key}`) !== undefined);
        expect(held.slice(0, 5)).toEqual(distinct.slice(0, 5));
        expect(held.length).toBeLessThanOrEqual(10);
        for (const key of held) expect(map.get(`${key}`)).toBe(keys.lastIndexOf(key));
      }),
    );
  });

  it('keeps less where the entries are large', () => {
    const map = createRecentMap<string>({ entriesMax: 1_000, sizeMax: 20 });
    for (let n = 0; n < 100; n += 1) map.set(`${n}`, 'x', 2);
    const held = Array.from({ length: 100 }, (_, n) => n).filter((n) => map.get(`${n}`));
    expect(held.length).toBeGreaterThanOrEqual(5);
    expect(held.length).toBeLessThanOrEqual(10);
    expect(held.at(-1)).toBe(99);
  });

  it('forgets what is deleted, however old', () => {
    const map = createRecentMap<number>({ entriesMax: 4 });
    map.set('a', 1);
    map.set('b', 2);
    map.set('c', 3);
    map.delete('a');
    map.delete('c');
    expect([map.get('a'), map.get('b'), map.get('c')]).toEqual([undefined, 2, undefined]);
  });
});
