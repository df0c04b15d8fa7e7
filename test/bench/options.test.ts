import { describe, expect, it } from '@jest/globals';
import { parseOptions, WrongOption } from './options.ts';

describe('parseOptions', () => {
  it('has defaults fit to quote', () => {
    expect(parseOptions([])).toMatchObject({
      contenders: ['http', 'sqlite-grouped', 'ledger', 'gateway'],
      works: ['W1', 'W2', 'W3'],
      callers: [1, 16, 64],
      rounds: 10,
      sliceMs: 1000,
      syncDelayMs: 0,
      yardstickBytes: undefined,
      scale: undefined,
    });
  });

  it('reads lists and numbers; what is given wins over --quick', () => {
    const options = parseOptions(['--work', 'W1,W3', '--callers=4', '--quick', '--rounds', '3']);
    expect(options).toMatchObject({ works: ['W1', 'W3'], callers: [4], rounds: 3, sliceMs: 150 });
  });

  it('takes the size of a ledger to be measured beside a small one', () => {
    expect(parseOptions(['--scale', '100000'])).toMatchObject({
      scale: 100_000,
      services: false,
    });
    expect(parseOptions(['--scale', '100000', '--services'])).toMatchObject({ services: true });
  });

  it('takes a repeated name once', () => {
    expect(parseOptions(['--contenders', 'ledger,ledger'])).toMatchObject({
      contenders: ['ledger'],
    });
  });

  it('asks for help', () => {
    expect(parseOptions(['-h'])).toBe('help');
  });

  it.each([
    [['--work', 'W4'], '--work: "W4" is not one of W1, W2, W3'],
    [['--callers', '1,,2'], '--callers: "" is not a whole number of at least 1'],
    [['--rounds', '0'], '--rounds: "0" is not a whole number of at least 1'],
    [['--actions', '1.5'], '--actions: "1.5" is not a whole number of at least 1'],
    [['--client', 'curl'], '--client: "curl" is not one of lean, node-http'],
    [['--fast'], 'fast'],
    [['--scale', '9999'], '--scale: "9999" is not a whole number of at least 10000'],
    [['--sync-delay-ms', '2', '--work', 'W3'], '--sync-delay-ms'],
  ])('refuses %j', (args, message) => {
    expect(() => parseOptions(args)).toThrow(WrongOption);
    expect(() => parseOptions(args)).toThrow(message);
  });
});
