// `action-ledger start` as a process of its own, asked over HTTP and by the other commands; then ended by
// a signal, and by kill -9.
import { type ChildProcess } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { finished, type Folder, root, runCli, startCli, temporaryFolder } from './run-cli.ts';

let folder: Folder;
let path = '';
let running: ChildProcess | undefined;

beforeEach(() => {
  folder = temporaryFolder();
  path = folder.file('ledger.db');
  writeFileSync(folder.file('tools.mjs'), tools);
});
afterEach(() => {
  running?.kill('SIGKILL');
  running = undefined;
  folder.remove();
});

const tools = `
import { appendFileSync } from 'node:fs';
import { defineTool, inDoubt } from '${root}/packages/client/src/index.ts';
import { z } from '${root}/node_modules/zod/index.js';
export const pay = defineTool({
  name: 'pay',
  input: z.object({ invoice: z.string() }),
  guarantee: 'manual',
  approval: { when: ({ invoice }) => invoice.startsWith('big') },
  execute: ({ arguments: { invoice }, beforeSend }) => {
    beforeSend();
    appendFileSync(new URL('sent.txt', import.meta.url), invoice + '\\n');
    return invoice.startsWith('lost') ? inDoubt('no answer') : { paid: invoice };
  },
});
`;

interface Started {
  readonly url: string;
  /** What it has printed so far. */
  readonly out: () => string;
  readonly end: ReturnType<typeof finished>;
}

const nobody = { env: { USER: '', LOGNAME: '' } };

async function start(...args: readonly string[]): Promise<Started> {
  const tool = folder.file('tools.mjs');
  const child = startCli(
    ['start', '--tools', tool, '--path', path, '--port', '0', ...args],
    nobody,
  );
  running = child;
  const end = finished(child);
  let out = '';
  child.stdout?.on('data', (chunk) => {
    out += String(chunk);
  });
  while (!out.includes('Ctrl-C')) {
    if (child.exitCode !== null) throw new Error(`it ended: ${(await end).err}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return { url: /http:\/\/[\d.:]+/.exec(out)?.[0] ?? '', out: () => out, end };
}

interface Told {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

async function propose({ url }: Started, invoice: string, key?: string): Promise<Told> {
  const response = await fetch(`${url}/v1/actions`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(key === undefined ? {} : { 'x-api-key': key }),
    },
    body: JSON.stringify({ tool: 'pay', arguments: { invoice }, run: 'r-1' }),
  });
  return { status: response.status, body: (await response.json()) as Told['body'] };
}

async function cli(...args: readonly string[]): Promise<string> {
  const { code, out, err } = await runCli([...args, '--path', path, '--by', 'ann']);
  return `${code} ${out}${err}`;
}

interface Span {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
}

/** A collector of OpenTelemetry: what it is sent, as OTLP in JSON. */
async function openCollector() {
  const spans: Span[] = [];
  const paths: string[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      paths.push(request.url ?? '');
      const sent = JSON.parse(Buffer.concat(chunks).toString()) as {
        readonly resourceSpans: readonly {
          readonly scopeSpans: readonly { readonly spans: readonly Span[] }[];
        }[];
      };
      for (const { scopeSpans } of sent.resourceSpans)
        for (const each of scopeSpans) spans.push(...each.spans);
      response.setHeader('content-type', 'application/json').end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = (): Promise<unknown> => new Promise((resolve) => server.close(resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, spans, paths, close };
}

describe('spans over OTLP', () => {
  it('reach the collector by the time it has stopped: the attempt within its proposal, without arguments', async () => {
    const collector = await openCollector();
    const ledger = await start('--open', '--otlp', `${collector.url}/`);
    expect((await propose(ledger, 'top-secret')).status).toBe(201);
    running?.kill('SIGTERM');
    expect((await ledger.end).code).toBe(0);
    await collector.close();
    const named = (name: string) => collector.spans.find((span) => span.name === name);
    const [proposal, attempt] = [named('action_ledger.propose'), named('action_ledger.attempt')];
    expect([...new Set(collector.paths)]).toEqual(['/v1/traces']);
    expect(attempt).toMatchObject({
      traceId: proposal?.traceId,
      parentSpanId: proposal?.spanId,
    });
    expect(JSON.stringify(collector.spans)).not.toContain('top-secret');
  });

  it('are lost where the collector is away, and nothing else is', async () => {
    const collector = await openCollector();
    await collector.close();
    const ledger = await start('--open', '--otlp', collector.url);
    expect((await propose(ledger, '1')).body).toMatchObject({ word: 'done' });
    running?.kill('SIGTERM');
    expect((await ledger.end).code).toBe(0);
  });

  it('go nowhere but to an address', async () => {
    const { code, err } = await runCli([
      'start',
      '--tools',
      folder.file('tools.mjs'),
      '--path',
      path,
      '--otlp',
      'localhost',
    ]);
    expect([code, err]).toEqual([2, expect.stringContaining('localhost is no http address')]);
  });
});

describe('action-ledger start', () => {
  it('answers over HTTP, takes what people decide, and lets the file go when it is asked to', async () => {
    const ledger = await start('--open');
    expect(ledger.out()).toMatch(
      /tools +pay \(manual\)\n +waiting +0 approvals, 0 unknown outcomes/,
    );
    expect((await fetch(`${ledger.url}/docs`)).status).toBe(200);
    expect(await propose(ledger, '1')).toMatchObject({ status: 201, body: { word: 'done' } });
    const { body: waiting } = await propose(ledger, 'big-1');
    const { body: unknown } = await propose(ledger, 'lost-1');
    const id = (body: Told['body']): string => String(body['actionId']).slice(0, 12);
    expect(await cli('unknown', 'list')).toMatch(/^0 .*pay +manual/s);
    expect(await cli('approve', id(waiting))).toMatch(/^0 pay .* is now ready\./);
    expect(await propose(ledger, 'big-1')).toMatchObject({ body: { state: 'succeeded' } });
    expect(await cli('unknown', 'settle', id(unknown), '--found', '--reason', 'seen')).toMatch(
      /^0 pay .* is now succeeded\./,
    );
    expect(await cli('approve', id(waiting))).toMatch(/^0 pay .*: the vote is not counted\. \S/);
    expect(await cli('approve', id(unknown))).toMatch(/^1 .*fix: /s);
    expect(await cli('pause', '--reason', 'month end')).toMatch(/^0 Paused: everything\./);
    expect(await propose(ledger, '2')).toMatchObject({ status: 429 });
    running?.kill('SIGTERM');
    const { code, err } = await ledger.end;
    expect(code).toBe(0);
    // One line for each request, and nothing else.
    for (const line of err.trim().split('\n'))
      expect(JSON.parse(line)).toMatchObject({ route: expect.any(String), ms: expect.any(Number) });
    expect(ledger.out()).toMatch(
      /approval waits: pay; action-ledger approve \S+ --by NAME --path /,
    );
    expect(await cli('resume', '--reason', 'done')).toMatch(/^0 Resumed: everything\./);
    const again = await start('--open');
    expect(await propose(again, '1')).toMatchObject({ status: 200, body: { repeat: true } });
    expect(await propose(again, '2')).toMatchObject({ status: 201 });
  });

  it('lets in by keys alone, and goes on after a kill', async () => {
    const first = await start();
    expect(first.out()).toMatch(
      /there is none: action-ledger keys create .* --by NAME --path \S*ledger\.db\n/,
    );
    expect((await propose(first, '1')).status).toBe(401);
    const made = await cli('keys', 'create', '--name', 'agent', '--role', 'proposer');
    const key = /alk\.\S+/.exec(made)?.[0] ?? '';
    expect(await propose(first, '1', key)).toMatchObject({ status: 201 });
    running?.kill('SIGKILL');
    await first.end;
    const second = await start();
    expect(second.out()).toContain('by API key: 1 good');
    expect(await propose(second, '1', key)).toMatchObject({ status: 200, body: { repeat: true } });
  });

  it('asks who you are where that goes on record, and not where you only look', async () => {
    await start('--open');
    expect(await runCli(['unknown', 'list', '--path', path], nobody)).toMatchObject({ code: 0 });
    expect(await runCli(['pause', '--reason', 'x', '--path', path], nobody)).toMatchObject({
      code: 2,
      err: expect.stringContaining('nobody is named'),
    });
    running?.kill('SIGKILL');
    expect(await runCli(['pauses', '--path', path], nobody)).toMatchObject({ code: 0 });
  });

  it('says what is wrong where it cannot start', async () => {
    const { url } = await start('--open');
    const port = new URL(url).port;
    const tool = folder.file('tools.mjs');
    const held = await runCli(['start', '--tools', tool, '--path', path, '--port', '0']);
    expect(held).toMatchObject({ code: 1, err: expect.stringContaining('fix: ') });
    const other = folder.file('other.db');
    expect(await runCli(['start', '--tools', tool, '--path', other, '--port', port])).toMatchObject(
      {
        code: 1,
        err: expect.stringContaining('is taken by another program'),
      },
    );
    const wide = ['start', '--tools', tool, '--path', other, '--open', '--host', '0.0.0.0'];
    expect(await runCli(wide)).toMatchObject({
      code: 2,
      err: expect.stringContaining('--open lets everyone in'),
    });
  });
});
