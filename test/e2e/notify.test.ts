// `action-ledger start --notify`: a receiver on this machine is told once, signed, also after a kill -9.
import { type ChildProcess } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { parseSecrets, signatureOf } from '@action-ledger/notifications';
import { finished, type Folder, root, runCli, startCli, temporaryFolder } from './run-cli.ts';

const tools = `
import { defineTool } from '${root}/packages/client/src/index.ts';
import { z } from '${root}/node_modules/zod/index.js';
export const pay = defineTool({
  name: 'pay',
  input: z.object({ invoice: z.string() }),
  guarantee: 'manual',
  approval: true,
  execute: ({ beforeSend }) => { beforeSend(); return 'paid'; },
});
`;
const secret = 'a-secret-of-this-test-that-nobody-may-see';

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

let folder: Folder;
let receiver: Server;
let running: ChildProcess | undefined;
let received: Received[] = [];
let answerWith = 200;

beforeEach(async () => {
  folder = temporaryFolder();
  writeFileSync(folder.file('tools.mjs'), tools);
  writeFileSync(folder.file('notify.secret'), `${secret}\n`);
  [received, answerWith] = [[], 200];
  receiver = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += String(chunk)));
    request.on('end', () => {
      received.push({ headers: request.headers, body });
      response.writeHead(answerWith).end();
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
});
afterEach(() => {
  running?.kill('SIGKILL');
  receiver.closeAllConnections();
  receiver.close();
  folder.remove();
});

async function start(): Promise<{ readonly url: string; readonly out: () => string }> {
  const { port } = receiver.address() as AddressInfo;
  const hook = ['--notify', `http://127.0.0.1:${port}/hook`, '--notify-private'];
  const args = ['--tools', folder.file('tools.mjs'), '--path', folder.file('ledger.db'), '--open'];
  const secretFile = ['--notify-secret-file', folder.file('notify.secret')];
  const child = startCli(['start', '--port', '0', ...args, ...hook, ...secretFile]);
  running = child;
  let out = '';
  const take = (chunk: unknown): void => void (out += String(chunk));
  child.stdout?.on('data', take);
  child.stderr?.on('data', take);
  while (!out.includes('Ctrl-C')) {
    if (child.exitCode !== null) throw new Error(out);
    await pause();
  }
  return { url: /API +(http:\S+)\/v1/.exec(out)?.[1] ?? '', out: () => out };
}

async function propose(url: string, invoice: string): Promise<void> {
  const body = JSON.stringify({ tool: 'pay', arguments: { invoice }, run: 'r' });
  const headers = { 'content-type': 'application/json', prefer: 'wait=0' };
  expect((await fetch(`${url}/v1/actions`, { method: 'POST', headers, body })).status).toBe(202);
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await pause();
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 20));
}

interface Notices {
  readonly told: number;
  readonly pending: readonly object[];
  readonly givenUp: readonly object[];
}

async function notices(): Promise<Notices> {
  const { out } = await runCli(['notices', '--path', folder.file('ledger.db'), '--json']);
  return JSON.parse(out) as Notices;
}

async function die(): Promise<void> {
  const child = running;
  if (child === undefined) return;
  child.kill('SIGKILL');
  await finished(child);
  running = undefined;
}

describe('start --notify', () => {
  it('tells a signed notification once, also where all that was read is read again', async () => {
    const first = await start();
    expect(first.out()).toMatch(/notifies +127\.0\.0\.1:\d+#[0-9a-f]{8}/);
    await propose(first.url, 'A-1');
    await until(() => received.length === 1);
    const [{ headers, body }] = received as [Received];
    const id = String(headers['webhook-id']);
    const timestamp = Number(headers['webhook-timestamp']);
    const signed = signatureOf(parseSecrets(secret), { id, timestamp, body });
    expect(headers['webhook-signature']).toBe(signed);
    expect(JSON.parse(body)).toMatchObject({ type: 'approval.waiting', data: { tool: 'pay' } });
    expect(body).not.toContain('A-1');
    while ((await notices()).pending.length > 0) await pause();
    expect(await notices()).toMatchObject({ told: 1, givenUp: [] });
    await die();
    for (const end of ['.log', '.log-wal', '.log-shm', '.views', '.views-wal', '.views-shm'])
      rmSync(`${folder.file('ledger.db')}${end}`, { force: true });
    const second = await start();
    await propose(second.url, 'A-2');
    await until(() => received.length >= 2);
    expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(2);
    expect(received).toHaveLength(2);
    expect(first.out() + second.out()).not.toContain(secret);
  });

  it('goes on with what was not taken, after a kill -9; notices lists it', async () => {
    answerWith = 500;
    const first = await start();
    await propose(first.url, 'A-1');
    await until(() => received.length === 1);
    await die();
    expect((await notices()).pending).toMatchObject([
      { notification: { kind: 'approval waiting' } },
    ]);
    const listed = await runCli(['notices', '--path', folder.file('ledger.db')]);
    expect(listed.out).toMatch(/pay waits for a vote[^]*on its way[^]*1 on their way, 0 given up/);
    answerWith = 200;
    await start();
    await until(() => received.length === 2);
    expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  });

  it.each([
    [['--notify', 'https://example.com'], 'needs a secret'],
    [['--notify-secret-file', 'notify.secret'], 'without --notify'],
    [['--notify', 'http://example.com', '--notify-secret-file', 'notify.secret'], 'https:'],
    [['--notify', 'https://example.com', '--notify-secret-file', 'none'], 'ENOENT'],
  ])('%j is called wrongly', async (args, why) => {
    const said = await runCli(['start', '--tools', folder.file('tools.mjs'), ...args], {
      cwd: folder.path,
    });
    expect(said).toMatchObject({ code: 2, out: '' });
    expect(said.err).toContain(why);
    expect(said.err).not.toContain(secret);
  });
});
