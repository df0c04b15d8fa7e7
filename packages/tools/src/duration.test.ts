import { expect, it } from '@jest/globals';
import { parseDuration } from './duration.ts';

it.each([
  [250, 250],
  ['500ms', 500],
  ['30s', 30_000],
  ['10min', 600_000],
  ['24h', 86_400_000],
  ['30d', 2_592_000_000],
  ['1.5h', 5_400_000],
])('%p is %p ms', (duration, milliseconds) => {
  expect(parseDuration(duration)).toBe(milliseconds);
});

it.each([
  '',
  '5',
  '5 min',
  '5m',
  '-5s',
  '1e3s',
  's',
  '0.1ms',
  '99999d',
  -1,
  1.5,
  NaN,
  Infinity,
  null,
  undefined,
  {},
])('%p is no duration', (duration) => {
  expect(parseDuration(duration)).toBeUndefined();
});
