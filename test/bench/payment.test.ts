import { describe, expect, it } from '@jest/globals';
import {
  argumentsBytes,
  paymentArguments,
  paymentId,
  paymentResult,
  resultBytes,
} from './payment.ts';

describe('payments of the bench', () => {
  it.each([0, 1, 899_999, 900_000, 123_456_789])('payment %i has 493 bytes of arguments', (n) => {
    expect(Buffer.byteLength(JSON.stringify(paymentArguments(7, n)))).toBe(argumentsBytes);
  });

  it.each([0, 35, 1_000_000])('effect %i answers with 250 bytes', (effect) => {
    const result = paymentResult(paymentId(7, 1), effect);
    expect(Buffer.byteLength(JSON.stringify(result))).toBe(resultBytes);
  });

  it('differs by number and by seed', () => {
    expect(new Set([paymentId(1, 1), paymentId(1, 2), paymentId(2, 1)]).size).toBe(3);
    expect(paymentId(1, 1)).toBe(paymentId(1, 1));
  });
});
