import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createDue } from './due.ts';

it('hands out in order whatever was added, in between too', () => {
  const moves = fc.array(fc.option(fc.nat(50)), { maxLength: 60 });
  fc.assert(
    fc.property(moves, (all) => {
      const due = createDue<{ readonly at: number; readonly nth: number }>(
        (one, other) => one.at < other.at || (one.at === other.at && one.nth < other.nth),
      );
      let left: { readonly at: number; readonly nth: number }[] = [];
      all.forEach((at, nth) => {
        if (at === null) {
          expect(due.first()).toBe(left[0]);
          left = left.slice(1);
          due.takeFirst();
        } else {
          const item = { at, nth };
          due.add(item);
          left = [...left, item].sort((a, b) => a.at - b.at || a.nth - b.nth);
        }
        expect(due.count(() => true)).toBe(left.length);
      });
    }),
  );
});
