import { describe, expect, it } from '@jest/globals';
import { isPublicAddress, publicLookup } from './address-guard.ts';

describe('an address', () => {
  it.each([
    '127.0.0.1',
    '127.255.255.255',
    '0.0.0.0',
    '10.1.2.3',
    '100.64.0.1',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '192.0.2.1',
    '198.18.0.1',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    'fc00::1',
    'fd12::1',
    'fe80::1',
    'fe80::1%eth0',
    'fec0::1',
    'ff02::1',
    '2001:db8::1',
    '2002:7f00:1::',
    '::ffff:10.0.0.1',
    '::ffff:a00:1',
    '0:0:0:0:0:ffff:7f00:0001',
    '::7f00:1',
    '64:ff9b::7f00:1',
    '64:ff9b::192.168.0.1',
    '64:ff9b:1::1',
    '::ffff:0:7f00:1',
    '::ffff:0:1.1.1.1',
    '',
    'localhost',
  ])('%p is not public', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  it.each([
    '1.1.1.1',
    '93.184.216.34',
    '172.32.0.1',
    '100.128.0.1',
    '2606:4700::1111',
    '64:ff9b::101:101',
    '::ffff:1.1.1.1',
  ])('%p is public', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });
});

it.each([true, false])(
  'a name that resolves to loopback is refused at the connection (all: %p)',
  async (all) => {
    const error = await new Promise((resolve) => {
      publicLookup('localhost', { all }, resolve);
    });
    expect(error).toMatchObject({
      code: 'http.private-address',
      message: expect.stringContaining('allowPrivate: true') as unknown,
    });
  },
);
