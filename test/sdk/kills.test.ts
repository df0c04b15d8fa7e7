// The process of the ledger is killed with -9 while a program waits for it, and started again at the same address.
// The program does not notice but for the time: it gets what is on record, and nothing is done twice.
import { type ChildProcess } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createLedger, type RemoteLedger } from '@action-ledger/client/remote';
import { finished, type Folder, root, startCli, temporaryFolder } from '../e2e/run-cli.ts';

const tools = `
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { defineTool } from '${root}/packages/client/src/index.ts';
import { z } from '${root}/node_modules/zod/index.js';
const effects = new URL('effects.txt', import.meta.url);
const done = () => (existsSync(effects) ? readFileSync(effects, 'utf8').split('\\n') : []);
export const pay = defineTool({
  name: 'pay',
  input: z.object({ invoice: z.string() }),
  guarantee: 'lookup',
  lookup: ({ arguments: { invoice } }) =>
    done().includes(invoice) ? { verdict: 'found', result: { paid: invoice } } : { verdict: 'absent' },
  execute: async ({ arguments: { invoice }, beforeSend }) => {
    beforeSend();
    const isFirst = !done().includes(invoice);
    appendFileSync(effects, invoice + '\\n');
    if (invoice.startsWith('slow') && isFirst) await new Promise((resolve) => setTimeout(resolve, 60_000));
    return { paid: invoice };
  },
});
`;

let folder: Folder;
let port = 0;
let running: ChildProcess | undefined;
let ledger: RemoteLedger;

beforeEach(async () => {
  folder = temporaryFolder();
  writeFileSync(folder.file('tools.mjs'), tools);
  port = await freePort();
  ledger = await createLedger({ url: `http://127.0.0.1:${port}`, retryForMs: 100_000 });
});
afterEach(async () => {
  await ledger.close({ drainMs: 0 });
  running?.kill('SIGKILL');
  folder.remove();
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port: free } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return free;
}

/** Whoever asks before it answers asks again. */
function start(): void {
  const files = ['--tools', folder.file('tools.mjs'), '--path', folder.file('ledger.db')];
  running = startCli(['start', ...files, '--port', String(port), '--open', '--no-access-log']);
}

async function kill(): Promise<void> {
  if (running === undefined) return;
  const end = finished(running);
  running.kill('SIGKILL');
  await end;
}

function effects(): readonly string[] {
  const file = folder.file('effects.txt');
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
}

async function untilSent(invoice: string): Promise<void> {
  while (!effects().includes(invoice)) await new Promise((resolve) => setTimeout(resolve, 10));
}

describe('a ledger that is killed while its tool runs', () => {
  it('and started again: the call that waits gets the outcome, with one effect', async () => {
    const pay = ledger.tool<object>('pay');
    // The process is not there yet.
    const asked = pay.call({ invoice: 'slow' }, { run: 'r', call: 'c', waitMs: 90_000 });
    start();
    await untilSent('slow');
    await kill();
    start();
    expect(await asked).toMatchObject({ state: 'succeeded', result: { paid: 'slow' } });
    expect(await pay.call({ invoice: 'slow' }, { run: 'r', call: 'd' })).toMatchObject({
      word: 'already-done',
    });
    expect(effects()).toEqual(['slow']);
  });

  it('in the middle of a workflow: the program goes on, each step once', async () => {
    start();
    const trip = ledger.workflow({ id: 'trip', waitMs: 90_000 }, async (step) => {
      const pay = ledger.tool<{ invoice: string }>('pay');
      for (const invoice of ['first', 'slow', 'last'])
        await step(invoice, pay, { invoice }, { compensate: 'impossible' });
      return 'paid';
    });
    await untilSent('slow');
    await kill();
    start();
    expect(await trip).toMatchObject({ status: 'completed', result: 'paid' });
    expect(effects()).toEqual(['first', 'slow', 'last']);
  });
});
