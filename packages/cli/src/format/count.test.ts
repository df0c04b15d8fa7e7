import { expect, it } from '@jest/globals';
import { bytes, count } from './count.ts';

it('counts one and many', () => {
  expect(count(1, 'event')).toBe('1 event');
  expect(count(1_204, 'event')).toBe('1,204 events');
  expect(count(0, 'effect')).toBe('0 effects');
});

it.each([
  [0, '0 bytes'],
  [1023, '1023 bytes'],
  [1536, '1.5 KiB'],
  [200 * 1024 ** 2, '200 MiB'],
  [5 * 1024 ** 4, '5.0 TiB'],
])('%d bytes are %s', (number, text) => {
  expect(bytes(number)).toBe(text);
});
