import { describe, expect, it } from '@jest/globals';
import { fold } from '../../test-support/given.ts';
import {
  day,
  event,
  hour,
  inStatus,
  minute,
  resent,
  rules,
  second,
} from '../../test-support/samples.ts';
import { absentAfterMs, backoffMs, checkIntervalMs, inFlightMs } from './waits.ts';

describe('backoff', () => {
  it('is full jitter under an exponential ceiling with an end', () => {
    expect([1, 2, 3, 4].map((attempt) => backoffMs(rules, attempt, 1))).toEqual([
      500, 1000, 2000, 4000,
    ]);
    expect(backoffMs(rules, 3, 0)).toBe(0);
    expect(backoffMs(rules, 3, 0.25)).toBe(500);
    expect(backoffMs(rules, 1_000, 1)).toBe(minute);
  });

  it('is never shorter than what the provider asks for, within reason', () => {
    expect(backoffMs(rules, 1, 1, 90 * second)).toBe(90 * second);
    expect(backoffMs(rules, 4, 1, 1)).toBe(4000);
    expect(backoffMs(rules, 1, 0, 1.5)).toBe(2);
    expect(backoffMs(rules, 1, 0, Infinity)).toBe(30 * day);
    expect(backoffMs(rules, 1, 1, Number.NaN)).toBe(500);
    expect(backoffMs(rules, 1, 1, -hour)).toBe(500);
  });
});

describe('checks', () => {
  it('come from 5 s to 1 h apart', () => {
    expect(checkIntervalMs(rules, 0)).toBe(5 * second);
    expect(checkIntervalMs(rules, 1_000)).toBe(hour);
  });
});

describe('the bounds in flight', () => {
  it('are those of attempts that nobody answered', () => {
    expect(inFlightMs(fold(inStatus.unknown))).toBe(minute);
    const answered = event('ActionOutcomeUnknown', { answered: true });
    expect(inFlightMs(fold([...inStatus.dispatched, answered]))).toBe(0);
    expect(inFlightMs(fold([...inStatus.unknown, event('ActionReconciled')]))).toBe(0);
  });

  it('keep an absent waiting for those that were answered as well, and for the settle time', () => {
    const answered = fold([
      ...resent,
      event('ActionOutcomeUnknown', { attempt: 2, answered: true }),
    ]);
    expect(absentAfterMs(answered, { ...rules, settleMs: second })).toBe(minute + second);
  });
});
