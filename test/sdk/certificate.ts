// A certificate that nobody has signed but itself, made anew for a test: X.509 in DER (RFC 5280), as little as
// TLS takes.
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';

export interface Certificate {
  readonly key: string;
  readonly cert: string;
}

const day = 24 * 3_600_000;

export function selfSigned(name: string): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const body = toBeSigned(name, publicKey);
  const signature = sign('sha256', body, privateKey);
  const whole = sequence(body, ecdsaWithSha256, bits(signature));
  const lines = whole.toString('base64').replace(/.{64}/g, '$&\n');
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
  };
}

function toBeSigned(name: string, key: KeyObject): Buffer {
  const called = sequence(set(sequence(objectId('550403'), tagged(0x0c, Buffer.from(name)))));
  const valid = sequence(time(-day), time(day));
  const spki = key.export({ type: 'spki', format: 'der' });
  const serial = tagged(0x02, Buffer.from([1]));
  return sequence(serial, ecdsaWithSha256, called, valid, called, spki);
}

function tagged(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const bytes = length < 0x80 ? [length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...bytes]), content]);
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return tagged(0x30, Buffer.concat(parts));
}

function set(part: Buffer): Buffer {
  return tagged(0x31, part);
}

function bits(content: Buffer): Buffer {
  return tagged(0x03, Buffer.concat([Buffer.from([0]), content]));
}

function objectId(hex: string): Buffer {
  return tagged(0x06, Buffer.from(hex, 'hex'));
}

function time(fromNowMs: number): Buffer {
  const text = new Date(Date.now() + fromNowMs).toISOString().replace(/[-:T]|\.\d+/g, '');
  return tagged(0x18, Buffer.from(text));
}

/** 1.2.840.10045.4.3.2 */
const ecdsaWithSha256 = sequence(objectId('2a8648ce3d040302'));
