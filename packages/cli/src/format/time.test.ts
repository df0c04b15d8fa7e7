import { describe, expect, it } from '@jest/globals';
import { dateTime, duration, isoTime, parseTime, timeOfDay } from './time.ts';

const at = Date.UTC(2026, 2, 1, 12, 30, 5, 7);

describe('times', () => {
  it('are shown in UTC', () => {
    expect(dateTime(at)).toBe('2026-03-01 12:30:05');
    expect(dateTime(at, { ms: true })).toBe('2026-03-01 12:30:05.007');
    expect(timeOfDay(at)).toBe('12:30:05.007');
  });

  it('that cannot be shown do not break the page', () => {
    expect(isoTime(Number.NaN)).toBe('no valid time');
    expect(isoTime(1e20)).toBe('no valid time');
  });
});

describe('duration', () => {
  it.each([
    [0, '0 ms'],
    [0.25, '0.25 ms'],
    [250, '250 ms'],
    [1_500, '1.5 s'],
    [90_000, '1.5 min'],
    [86_400_000, '24 h'],
    [3 * 86_400_000, '3 d'],
    [-2_000, '-2 s'],
  ])('of %d ms is %s', (ms, text) => {
    expect(duration(ms)).toBe(text);
  });
});

describe('parseTime', () => {
  it.each([
    '2026-03-01T12:30:05.007Z',
    '2026-03-01 12:30:05.007',
    '2026-03-01T13:30:05.007+01:00',
    String(at),
  ])('reads %s', (text) => {
    expect(parseTime(text)).toBe(at);
  });

  it('takes a date for its first moment, and a time without seconds', () => {
    expect(parseTime('2026-03-01')).toBe(Date.UTC(2026, 2, 1));
    expect(parseTime('2026-03-01 12:30')).toBe(Date.UTC(2026, 2, 1, 12, 30));
  });

  it.each(['yesterday', '', '12:30', '2026-13-01', '2026', '1e12', '2026-03-01T12:30:05 CET'])(
    'refuses %j',
    (text) => {
      expect(parseTime(text)).toBeUndefined();
    },
  );
});
