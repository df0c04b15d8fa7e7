import { describe, expect, it } from '@jest/globals';
import { printable, printableJson } from './printable.ts';

const escape = String.fromCharCode(27);

describe('printable', () => {
  it.each([
    ['an escape sequence', `${escape}[2J gone`, '\\u001b[2J gone'],
    ['a C1 control', 'a\u009bb', 'a\\u009bb'],
    ['a turned reading direction', 'abc\u202edef', 'abc\\u202edef'],
    ['a line break', 'a\nb\r\tc', 'a\\nb\\r\\tc'],
    ['a lone surrogate', 'a\ud800b', 'a\\ud800b'],
  ])('shows %s as its code', (_, text, shown) => {
    expect(printable(text)).toBe(shown);
  });

  it('leaves words of any language as they are', () => {
    expect(printable('Zoë 日本語 🚀 a·b')).toBe('Zoë 日本語 🚀 a·b');
  });
});

describe('printableJson', () => {
  it('stays JSON that says the same', () => {
    const value = { text: `a${escape}b\u009bc\u2028d\n`, list: [1, null] };
    expect(JSON.parse(printableJson(value, 2))).toEqual(value);
    expect(printableJson(value)).not.toMatch(/[\u001b\u009b\u2028]/u);
  });

  it('keeps its own line breaks', () => {
    expect(printableJson({ a: 1 }, 2)).toBe('{\n  "a": 1\n}');
  });
});
