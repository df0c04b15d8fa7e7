import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isLongerThan, utf8Length } from './utf8-length.ts';

const units = fc.array(fc.nat(0xffff), { maxLength: 20 });
const anyText = units.map((codes) => String.fromCharCode(...codes));

describe('utf8Length', () => {
  it.each([
    ['\u007f', 1],
    ['\u0080', 2],
    ['\u07ff', 2],
    ['\u0800', 3],
    ['\uffff', 3],
    ['\u{10000}', 4],
    ['\ud800', 3],
    ['\udc00\ud800', 6],
  ])('counts %j as %i', (text, bytes) => {
    expect(utf8Length(text)).toBe(bytes);
  });

  it('counts what an encoder writes', () => {
    const texts = fc.oneof(anyText, fc.string({ unit: 'binary' }));
    fc.assert(
      fc.property(texts, (text) => {
        expect(utf8Length(text)).toBe(new TextEncoder().encode(text).length);
      }),
    );
  });

  it('decides alike where it does not count', () => {
    fc.assert(
      fc.property(anyText, fc.nat(70), (text, bytesMax) => {
        expect(isLongerThan(text, bytesMax)).toBe(utf8Length(text) > bytesMax);
      }),
    );
  });
});
