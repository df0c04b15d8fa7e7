// Lines that are to be secure and are not: what is not trusted is told at once, and gets no key.
import { createServer, type Server } from 'node:https';
import { type AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createLedger } from '@action-ledger/client';
import { selfSigned } from './certificate.ts';
import { openProxy } from './proxy.ts';

let server: Server;
let url = '';
const asked: string[] = [];

beforeEach(async () => {
  server = createServer(selfSigned('localhost'), (request, answer) => {
    asked.push(request.url ?? '');
    answer.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const call = { tool: 'pay', arguments: {}, key: 'k' };

describe('a ledger whose certificate is not trusted', () => {
  it('is not asked, nor again: a call rejects, and so does all else', async () => {
    const ledger = await createLedger({ url, apiKey: 'secret' });
    const fault = { name: 'RemoteFault', code: 'remote.tls', retry: 'never' };
    await expect(ledger.propose(call)).rejects.toMatchObject(fault);
    await expect(ledger.pauses()).rejects.toMatchObject(fault);
    expect(asked).toEqual([]);
  });
});

describe('a ledger that does not speak TLS', () => {
  it('is told as such', async () => {
    const plain = await openProxy('http://127.0.0.1:1');
    const ledger = await createLedger({ url: plain.url.replace('http:', 'https:') });
    const fault = { name: 'RemoteFault', code: 'remote.tls' };
    await expect(ledger.propose(call)).rejects.toMatchObject(fault);
    expect(plain.seen).toEqual([]);
    await plain.close();
  });
});
