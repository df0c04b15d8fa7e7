import { expect, it } from '@jest/globals';
import { formatDownstreamKey } from './downstream-key.ts';

const key = '_-8'.repeat(14) + 'A';

it.each([
  ['base64url', key],
  ['hex', Buffer.from(key, 'base64url').toString('hex')],
  ['uuid', 'ffef3ffb-cffe-43ff-bcff-ef3ffbcffef3'],
] as const)('formats a key as %s', (format, text) => {
  expect(formatDownstreamKey(format, key)).toBe(text);
});

it("formats a key by a tool's own function, and refuses what a header could not carry", () => {
  expect(formatDownstreamKey((own) => `al-${own.slice(0, 10)}`, key)).toBe('al-_-8_-8_-8_');
  expect(() => formatDownstreamKey(() => 'two words', key)).toThrow(/printable ASCII/);
  expect(() => formatDownstreamKey(() => '', key)).toThrow(/printable ASCII/);
});
