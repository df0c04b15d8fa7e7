// Keeps outgoing HTTP away from addresses that are not public (DESIGN.md section 10): loopback, private,
// link-local, shared, reserved, multicast. Judged by the resolved address that the socket will connect
// to, so a name that resolves to another address the second time (DNS rebinding) gains nothing.
import { lookup as resolveName, type LookupAddress } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { type HttpRefusalCode } from '../refusal-codes.ts';

export const privateAddressCode = 'http.private-address' satisfies HttpRefusalCode;

export class PrivateAddressError extends Error {
  readonly code = privateAddressCode;

  constructor(host: string, address: string) {
    super(
      `${host === address ? host : `${host} (${address})`} is not a public address; set allowPrivate: true to allow it`,
    );
    this.name = 'PrivateAddressError';
  }
}

/** RFC 6890 and its successors: what is not globally reachable. */
const notPublic = createNotPublic();

export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !notPublic.check(address, 'ipv4');
  if (family !== 6) return false;
  const inner = embeddedIpv4(address);
  return !notPublic.check(address, 'ipv6') && (inner === undefined || isPublicAddress(inner));
}

/** A host that is an address is never looked up: it must be judged before connecting. */
export function refuseAddressLiteral(host: string): PrivateAddressError | undefined {
  return isIP(host) === 0 || isPublicAddress(host)
    ? undefined
    : new PrivateAddressError(host, host);
}

/** `dns.lookup` that fails where any of the addresses is not public. */
export const publicLookup: LookupFunction = (host, options, callback) => {
  resolveName(host, options, (error, resolved, family) => {
    if (error !== null) {
      callback(error, resolved, family);
      return;
    }
    const addresses = typeof resolved === 'string' ? [resolved] : resolved.map(addressOf);
    const refused = addresses.find((address) => !isPublicAddress(address));
    if (refused === undefined) callback(null, resolved, family);
    else callback(new PrivateAddressError(host, refused), '', family);
  });
};

function addressOf({ address }: LookupAddress): string {
  return address;
}

function createNotPublic(): BlockList {
  const list = new BlockList();
  const ipv4 = [
    '0.0.0.0/8',
    '10.0.0.0/8',
    '100.64.0.0/10',
    '127.0.0.0/8',
    '169.254.0.0/16',
    '172.16.0.0/12',
    '192.0.0.0/24',
    '192.0.2.0/24',
    '192.88.99.0/24',
    '192.168.0.0/16',
    '198.18.0.0/15',
    '198.51.100.0/24',
    '203.0.113.0/24',
    '224.0.0.0/4',
    '240.0.0.0/4',
  ];
  const ipv6 = [
    '::/127',
    // IPv4-translated: a stateless translator would turn it into any IPv4 address.
    '::ffff:0:0:0/96',
    '64:ff9b:1::/48',
    '100::/64',
    '2001::/23',
    '2001:db8::/32',
    '2002::/16',
    '3fff::/20',
    '5f00::/16',
    'fc00::/7',
    'fe80::/10',
    'fec0::/10',
    'ff00::/8',
  ];
  for (const range of ipv4) list.addSubnet(...subnet(range), 'ipv4');
  for (const range of ipv6) list.addSubnet(...subnet(range), 'ipv6');
  return list;
}

function subnet(range: string): [address: string, prefix: number] {
  const [address = '', prefix = ''] = range.split('/');
  return [address, Number(prefix)];
}

/** The IPv4 address inside an IPv4-mapped (::ffff:0:0/96), compatible (::/96) or NAT64 (64:ff9b::/96) one. */
function embeddedIpv4(address: string): string | undefined {
  const groups = expand(address);
  const prefix = groups
    .slice(0, 6)
    .map((group) => group.toString(16))
    .join(':');
  if (!['0:0:0:0:0:ffff', '0:0:0:0:0:0', '64:ff9b:0:0:0:0'].includes(prefix)) return undefined;
  const [high = 0, low = 0] = groups.slice(6);
  return [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.');
}

/** The eight groups of an IPv6 address, in any of its spellings. */
function expand(address: string): readonly number[] {
  const canonical = new URL(`http://[${address.replace(/%.*$/, '')}]/`).hostname.slice(1, -1);
  const [before = '', after] = canonical.split('::');
  const head = before === '' ? [] : before.split(':');
  const tail = after === undefined || after === '' ? [] : after.split(':');
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => '0');
  return [...head, ...zeros, ...tail].map((group) => parseInt(group, 16));
}
