// Names of keys and of subjects may hold what separates: no two pairs are one holder.
import { expect, it } from '@jest/globals';
import { workerOf } from './caller-worker.ts';

it.each(['/', ' ', ',', '"', '","'])('tells keys apart whose names hold %j', (mark) => {
  const one = workerOf({ name: 'ci' }, `deploy${mark}w1`);
  const other = workerOf({ name: `ci${mark}deploy` }, 'w1');
  expect(one).not.toBe(other);
  expect(workerOf({ name: 'ci' }, `deploy${mark}w1`)).toBe(one);
});
