import { describe, expect, it } from '@jest/globals';
import { redact, secretTexts } from './secrets.ts';

const args = {
  card: { number: '4242424242424242', cvc: 123, holder: '' },
  pin: 'a.c',
  tries: [77],
  open: 'x',
};
const secrets = secretTexts(args, ['card', 'pin', 'tries', 'missing.path']);

it('finds every text and number at or below the secret fields, the longest first', () => {
  expect(secrets).toEqual(['4242424242424242', '123', 'a.c', '77']);
});

describe('a secret', () => {
  it.each<[string, unknown, unknown]>([
    ['long, anywhere in a text', 'n4242424242424242n', 'n[secret]n'],
    ['short, as a word', 'cvc=123, pin (a.c)', 'cvc=[secret], pin ([secret])'],
    ['short, as a number', { n: [123, 1234] }, { n: ['[secret]', 1234] }],
    ['short, inside an unrelated id', 're_91234 abc', 're_91234 abc'],
    ['in the name of a member', { 'card 4242424242424242': 1 }, { 'card [secret]': 1 }],
  ])('%s', (_title, value, expected) => {
    expect(redact(value, secrets)).toEqual(expected);
  });

  it('ends at a cycle', () => {
    const cycle: Record<string, unknown> = { a: 'x' };
    cycle['self'] = cycle;
    expect(JSON.stringify(redact(cycle, secrets))).toContain('[secret]');
  });
});
