// Recorded calls through the whole service: `action-ledger start --sandbox` as a process of its own, called
// over HTTP. It must end as the same play inside one process does, fault for fault.
import { type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { finished, type Folder, runCli, startCli, temporaryFolder } from '../e2e/run-cli.ts';
import { command, sample, sound, type Summary, summaryOf } from './play.ts';
import { describeRecorded, recorded } from './recorded.ts';

jest.setTimeout(240_000);

const faults = [
  '--lost-responses',
  '15%',
  '--timeouts',
  '5%',
  '--duplicate-deliveries',
  '25%',
  '--seed',
  '7',
];

async function overHttp(...args: readonly string[]): Promise<Summary> {
  const { code, out, err } = await runCli(['play', ...args, '--json']);
  if (code !== 0) throw new Error(`the play ended with ${code}: ${out}${err}`);
  return JSON.parse(out) as Summary;
}

/** All but how long it took, and how often was looked up meanwhile. */
function whatCounts({ seconds: _, unknown, ...rest }: Summary): object {
  return { ...rest, open: unknown.open };
}

describe('the sample over HTTP', () => {
  it('ends with a server of its own as in one process', async () => {
    const there = await overHttp(sample, ...faults, '--own-server');
    expect(there).toMatchObject({ ...sound, calls: 85, duplicatesSuppressed: 23 });
    expect(whatCounts(there)).toEqual(whatCounts(await summaryOf(sample, ...faults)));
  });
});

describeRecorded('recorded runs over HTTP', () => {
  it('end with a server of its own as in one process', async () => {
    const files = [recorded('airline'), recorded('retail')];
    const there = await overHttp(...files, ...faults, '--own-server');
    expect(there).toMatchObject(sound);
    expect(whatCounts(there)).toEqual(whatCounts(await summaryOf(...files, ...faults)));
  });
});

describe('a server that somebody else has started', () => {
  let folder: Folder;
  let running: ChildProcess | undefined;

  beforeEach(() => {
    folder = temporaryFolder();
  });
  afterEach(async () => {
    if (running !== undefined) {
      const end = finished(running);
      running.kill('SIGKILL');
      await end;
    }
    running = undefined;
    folder.remove();
  });

  const shop = join(sample, '../catalog');

  async function started(...args: readonly string[]): Promise<string> {
    const path = folder.file('ledger.db');
    running = startCli(['start', '--path', path, '--port', '0', ...args]);
    let out = '';
    running.stdout?.on('data', (chunk) => {
      out += String(chunk);
    });
    const ended = finished(running);
    while (!out.includes('Ctrl-C')) {
      if (running.exitCode !== null) throw new Error((await ended).err);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    expect(out).toMatch(/sandbox +they call http:\S+, where a play answers/);
    return /http:\/\/[\d.:]+/.exec(out)?.[0] ?? '';
  }

  it('is played through once, ends as in one process, and is judged by its file', async () => {
    const port = '27474';
    const provider = `http://127.0.0.1:${port}`;
    const url = await started('--sandbox', shop, '--provider', provider);
    const path = folder.file('ledger.db');
    const play = ['play', sample, ...faults, '--url', url, '--path', path];
    const first = await runCli([...play, '--provider-port', port, '--json']);
    expect(first).toMatchObject({ code: 0, err: '' });
    const there = JSON.parse(first.out) as Summary;
    expect(there).toMatchObject(sound);
    expect(whatCounts(there)).toEqual(whatCounts(await summaryOf(sample, ...faults)));
    expect((await runCli(['verify', '--path', path])).code).toBe(0);
    const again = await runCli(play);
    expect(again).toMatchObject({
      code: 1,
      err: expect.stringContaining('holds actions, and a play needs a ledger of its own'),
    });
  });

  it('is told apart where its tools call somebody else', async () => {
    const url = await started('--sandbox', shop, '--provider', 'http://127.0.0.1:27475');
    const path = folder.file('ledger.db');
    const other = ['--url', url, '--path', path, '--provider-port', '27476'];
    expect(await runCli(['play', sample, ...other])).toMatchObject({
      code: 1,
      err: expect.stringMatching(/do not call this play \(http:\S+27476\)\n {2}fix: /),
    });
  });

  it.each([
    ['neither tools nor a sandbox', ['start'], 2, /which tools are served/],
    ['both', ['start', '--tools', 'x.mjs', '--sandbox', shop], 2, /which tools are served/],
    ['a sandbox without a catalogue', ['start', '--sandbox', '/'], 1, /catalogue|domain/],
    ['two servers', ['play', sample, '--own-server', '--url', 'http://x'], 2, /say one of them/],
    [
      'a server and workers',
      ['play', sample, '--own-server', '--kill-workers'],
      2,
      /not for a ser/,
    ],
    ['no URL', ['play', sample, '--url', 'x'], 2, /x is no URL/],
    ['no file there', ['play', sample, '--url', 'http://127.0.0.1:1'], 1, /there is no file/],
  ] as const)('cannot be had with %s', async (_what, args, code, message) => {
    const ended = await command(...args);
    expect(ended).toMatchObject({ code, err: expect.stringMatching(message) });
  });
});
