// The work of every contender: payment n of a seed, as tool arguments of 493 bytes of JSON, and the
// endpoint's result of 250. Ids look random (as idempotency keys do), so that an index over them
// is touched at a random leaf for each new action.
import { hash } from 'node:crypto';

export const argumentsBytes = 493;
export const resultBytes = 250;
export const benchSeed = 1;

export interface PaymentArguments {
  readonly payment_id: string;
  readonly account: string;
  readonly amount_minor: number;
  readonly currency: string;
  readonly recipient: { readonly name: string; readonly iban: string };
  readonly lines: { readonly article: string; readonly quantity: number }[];
  readonly memo: string;
}

export interface PaymentResult {
  readonly status: string;
  readonly payment_id: string;
  readonly effect_id: string;
  readonly receipt: string;
}

export function paymentId(seed: number, n: number): string {
  return `pay_${hash('sha256', `${seed}:${n}`, 'base64url').slice(0, 22)}`;
}

export function paymentArguments(seed: number, n: number): PaymentArguments {
  return { ...unfilledArguments(paymentId(seed, n), n), memo: memoFiller };
}

export function paymentResult(id: string, effect: number): PaymentResult {
  return { ...unfilledResult(id, effect), receipt: receiptFiller };
}

function unfilledArguments(id: string, n: number): PaymentArguments {
  return {
    payment_id: id,
    account: 'acct_operations_eu_01',
    amount_minor: 100_000 + (n % 900_000),
    currency: 'EUR',
    recipient: { name: 'Example Supplies and Services', iban: 'DE02120300000000202051' },
    lines: [
      { article: 'SKU-1040-BLUE', quantity: 2 },
      { article: 'SKU-2210-GREY', quantity: 1 },
    ],
    memo: '',
  };
}

function unfilledResult(id: string, effect: number): PaymentResult {
  return {
    status: 'accepted',
    payment_id: id,
    effect_id: `eff_${effect.toString(36).padStart(10, '0')}`,
    receipt: '',
  };
}

const someId = paymentId(0, 0);
const memoFiller = fillTo(argumentsBytes, unfilledArguments(someId, 0));
const receiptFiller = fillTo(resultBytes, unfilledResult(someId, 0));

function fillTo(bytes: number, unfilled: unknown): string {
  const words = 'invoice for the month, paid on receipt; ';
  const missing = bytes - JSON.stringify(unfilled).length;
  return words.repeat(Math.ceil(missing / words.length)).slice(0, missing);
}
