// Tool files as the command line reads them: JSON and YAML, secrets from the environment, and every fault told
// with the place and what to do. What they send is asked of a real server on this machine.
import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createLedger } from '@action-ledger/client';
import { loadTools } from './load-tools.ts';

let folder = '';
let server: Server;
let port = 0;
let asked: { method: string; url: string; key: string; authorization: string; body: string }[] = [];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tool-file-'));
  asked = [];
  server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => {
      body += chunk.toString();
    });
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      const { 'idempotency-key': key = '', authorization = '' } = headers;
      asked.push({ method, url, key: String(key), authorization, body });
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ status: 'done', id: 're_1', echo: 'ok' }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ({ port } = server.address() as AddressInfo);
});
afterEach(async () => {
  await new Promise((resolve) => server.close(resolve));
  rmSync(folder, { recursive: true });
});

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const yaml = (more = ''): string => `
name: refund
input:
  type: object
  properties: { order: { type: string }, cents: { type: integer }, kind: { type: string } }
  required: [order]
identity: [order]
guarantee: manual
request:
  method: POST
  url: http://127.0.0.1:${port}/orders/{order}/refunds
  headers: { Authorization: { secret: API_TOKEN, prefix: "Bearer " } }
  body: { cents: "{cents}" }
answers: { success: { body: { /status: done }, externalId: /id, result: /echo } }
${more}`;

const env = { API_TOKEN: 'top-secret' };
const allowed = 'allowPrivate: true\n';

describe('a tool file', () => {
  it('declares a tool that sends its key and its secret, and keeps the secret from the record', async () => {
    const path = file('refund.yaml', yaml(allowed));
    const tools = await loadTools(path, env);
    const store = join(folder, 'ledger.db');
    const ledger = await createLedger({ tools: tools.all, path: store });
    const origin = { run: 'r', call: 'c' };
    const call = { tool: 'refund', arguments: { order: 'A-1', cents: 5 }, tenant: 'acme', origin };
    expect(await ledger.propose(call)).toMatchObject({
      word: 'done',
      result: 'ok',
      externalId: 're_1',
    });
    expect((await ledger.propose(call)).word).toBe('already-done');
    const [row] = ledger.list({ limit: 1 });
    const loaded = await ledger.load(row?.action ?? '');
    await ledger.close();
    expect(asked).toMatchObject([
      { method: 'POST', url: '/orders/A-1/refunds', authorization: 'Bearer top-secret' },
    ]);
    expect(loaded).toMatchObject({ action: { downstreamKey: asked[0]?.key } });
    expect(JSON.parse(asked[0]?.body ?? '')).toEqual({ cents: 5 });
    expect(readFileSync(store).includes('top-secret')).toBe(false);
  });

  it('is refused private addresses unless it allows them', async () => {
    const tools = await loadTools(file('refund.yml', yaml()), env);
    const ledger = await createLedger({ tools: tools.all });
    const answer = await ledger.propose({
      tool: 'refund',
      arguments: { order: 'A-1' },
      tenant: 'acme',
      origin: { run: 'r' },
    });
    await ledger.close();
    expect(answer).toMatchObject({ code: 'http.private-address' });
    expect(asked).toEqual([]);
  });

  it('asks people, and denies, by conditions on the arguments', async () => {
    const rules = `
approval: { when: { cents: { above: 100, atMost: 1000 } } }
policy:
  version: "1"
  rules:
    - { when: { kind: { oneOf: [gift, tip] } }, effect: deny, reason: no gifts }
    - { when: { kind: ask }, effect: ask }
    - { when: { kind: { present: true }, cents: { below: 0 } }, effect: deny }
    - { when: { cents: { atLeast: 5000 } }, effect: deny }
`;
    const tools = await loadTools(file('refund.yaml', yaml(allowed + rules)), env);
    const ledger = await createLedger({ tools: tools.all });
    const word = async (args: object): Promise<string> => {
      const named = { tool: 'refund', arguments: { order: JSON.stringify(args), ...args } };
      const answer = await ledger.propose({
        ...named,
        tenant: 't',
        origin: { run: 'r' },
        waitMs: 200,
      });
      return answer.word;
    };
    expect(await word({ cents: 100 })).toBe('done');
    expect(await word({ cents: 101 })).toBe('waiting-for-approval');
    expect(await word({ cents: 1_001 })).toBe('done');
    expect(await word({ cents: 5, kind: 'gift' })).toBe('refused');
    expect(await word({ cents: 5, kind: 'ask' })).toBe('waiting-for-approval');
    expect(await word({ cents: -1, kind: 'other' })).toBe('refused');
    expect(await word({ cents: 5_000 })).toBe('refused');
    // There is no number to compare: the policy that cannot tell denies.
    expect(await word({})).toBe('refused');
    await ledger.close({ drainMs: 0 });
  });

  it('stands beside modules and other files, each tool once', async () => {
    const one = file('a.json', JSON.stringify({ tools: [tool('a'), tool('b')] }));
    const two = file('c.json', JSON.stringify(tool('c')));
    expect((await loadTools([one, two], {})).all.map(({ name }) => name)).toEqual(['a', 'b', 'c']);
    await expect(loadTools([one, one], {})).rejects.toMatchObject({ code: 'tools.unreadable' });
  });

  const tool = (name: string): object => ({
    name,
    input: { type: 'object', properties: { x: { type: 'string' } }, required: ['x'] },
    guarantee: 'manual',
    request: { method: 'POST', url: 'https://api.example.com/v1' },
  });

  it.each<[string, string, () => string, RegExp]>([
    ['a missing secret', 'a.yaml', () => yaml(allowed), /needs the secret API_TOKEN/],
    ['two members of one name', 'a.json', () => '{"name": "a", "name": "b"}', /is no JSON/],
    ['text that is no YAML', 'a.yaml', () => 'a: [', /is no YAML/],
    ['two keys of one name', 'a.yaml', () => 'name: a\nname: b', /is no YAML: .*unique/],
    ['a misspelt rule', 'a.yaml', () => yaml('aproval: true'), /aproval/],
    [
      'no guarantee',
      'a.json',
      () => JSON.stringify({ ...tool('a'), guarantee: undefined }),
      /guarantee/,
    ],
    [
      'a condition on no argument',
      'a.yaml',
      () => yaml('approval: { when: { centz: { above: 1 } } }'),
      /"centz", which is no argument/,
    ],
    [
      'an operator that is none',
      'a.yaml',
      () => yaml('approval: { when: { cents: { over: 1 } } }'),
      /over/,
    ],
    ['nothing', 'a.yaml', () => '', /object/],
    ['too much', 'a.yaml', () => `# ${'x'.repeat(1024 * 1024)}`, /more than 1048576 bytes/],
  ])('is refused for %s', async (_what, name, text, message) => {
    const refused = loadTools(file(name, text()), {});
    await expect(refused).rejects.toMatchObject({
      code: 'tools.unreadable',
      message: expect.stringMatching(message),
    });
  });

  it('that is not there is named', async () => {
    await expect(loadTools(join(folder, 'none.yaml'), {})).rejects.toThrow('none.yaml is no file');
  });
});
