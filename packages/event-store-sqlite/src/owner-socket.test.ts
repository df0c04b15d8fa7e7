import { mkdtempSync, rmSync, statSync, writeFileSync, existsSync, readFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type JsonValue } from '@action-ledger/domain';
import { StoreFault } from '@action-ledger/event-store';
import { createSystemRuntime } from '@action-ledger/runtime';
import { askOwner, type OwnerHandler, type OwnerSocket, serveOwnerSocket } from './owner-socket.ts';

const options = { timeoutMs: 5000, runtime: createSystemRuntime() };
let folder = '';
let path = '';
let served: OwnerSocket[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'owner-'));
  path = join(folder, 'x.sock');
});

afterEach(async () => {
  for (const socket of served) await socket.close();
  served = [];
  rmSync(folder, { recursive: true });
});

describe('the socket of the owner', () => {
  it('answers requests of any shape and size, many at once', async () => {
    await serve(async (request) => ({ echo: request }));
    const requests: readonly JsonValue[] = [
      null,
      1,
      'line\nbreak',
      [],
      { text: 'ä'.repeat(300_000) },
    ];
    const answers = await Promise.all(requests.map((request) => askOwner(path, request, options)));
    expect(answers).toEqual(requests.map((echo) => ({ echo })));
  });

  it('can be reached by its user only', async () => {
    await serve(async () => null);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('passes faults on, with code, retry and detail', async () => {
    await serve(async () => {
      throw new StoreFault('store.busy', 'safe', 'Later.', { detail: { waiting: 3 } });
    });
    await expect(askOwner(path, {}, options)).rejects.toMatchObject({
      name: 'StoreFault',
      code: 'store.busy',
      retry: 'safe',
      message: 'Later.',
      detail: { waiting: 3 },
    });
  });

  it('answers a bug of the handler, and what is no JSON, without ending', async () => {
    await serve(async () => {
      throw new Error('a bug');
    });
    const unavailable = { code: 'store.unavailable', retry: 'unsafe' };
    await expect(askOwner(path, 1, options)).rejects.toMatchObject(unavailable);
    const raw = connect(path);
    const answer = new Promise<string>((resolve) =>
      raw.once('data', (data) => {
        resolve(String(data));
      }),
    );
    raw.write('not json\n');
    expect(JSON.parse(await answer)).toMatchObject({ fault: unavailable });
    raw.destroy();
    await expect(askOwner(path, 2, options)).rejects.toMatchObject(unavailable);
  });

  it('is safe to retry where nobody listens, unsafe where the answer is missing', async () => {
    await expect(askOwner(path, {}, options)).rejects.toMatchObject({
      code: 'store.unavailable',
      retry: 'safe',
    });
    await serve(() => new Promise(() => undefined));
    await expect(askOwner(path, {}, { ...options, timeoutMs: 30 })).rejects.toMatchObject({
      code: 'store.unavailable',
      retry: 'unsafe',
      message: expect.stringContaining('did not answer within 30 ms'),
    });
    const asked = askOwner(path, {}, options);
    asked.catch(() => undefined);
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
    await served[0]?.close();
    await expect(asked).rejects.toMatchObject({ code: 'store.unavailable' });
    await expect(askOwner(path, {}, options)).rejects.toMatchObject({ retry: 'safe' });
    expect(existsSync(path)).toBe(false);
  });

  it('replaces a socket that was left behind, and nothing but a socket', async () => {
    const left = createServer();
    await new Promise<void>((resolve) => {
      left.listen(path, resolve);
    });
    await serve(async () => 'new');
    expect(await askOwner(path, {}, options)).toBe('new');
    await new Promise((resolve) => {
      left.close(resolve);
    });
    const file = join(folder, 'file');
    writeFileSync(file, 'kept');
    await expect(serveOwnerSocket(file, async () => null)).rejects.toMatchObject({
      name: 'StoreFault',
    });
    await expect(askOwner(file, {}, options)).rejects.toMatchObject({ retry: 'safe' });
    expect(readFileSync(file, 'utf8')).toBe('kept');
  });
});

async function serve(handler: OwnerHandler): Promise<void> {
  served.push(await serveOwnerSocket(path, handler));
}
