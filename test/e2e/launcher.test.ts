// The launcher: runs here where it can, starts another Node where it must, and is as good as gone in
// between.
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { bin, finished, type Folder, runCli, startCli, temporaryFolder } from './run-cli.ts';

// Every call starts a process; on a busy machine that takes seconds.
jest.setTimeout(60_000);

/** This Node as one that does not read TypeScript by itself. */
const node = ['--no-experimental-strip-types'];
let folder: Folder;

beforeAll(() => {
  folder = temporaryFolder();
  writeFileSync(
    folder.file('hangs.mjs'),
    `process.on('SIGTERM', () => process.exit(7));
     setInterval(() => undefined, 1000);
     process.stdout.write('ready');
     await new Promise(() => undefined);`,
  );
});

afterAll(() => {
  folder.remove();
});

describe('a Node that cannot read the sources', () => {
  it('starts one that can, with the arguments and the exit code', async () => {
    expect(await runCli(['--version'], { node })).toMatchObject({ code: 0, err: '' });
    const { code, err } = await runCli(['verify', '--path', 'a b "c".db'], { node });
    expect(code).toBe(1);
    expect(err).toContain('there is no file a b "c".db');
  });

  it('hands on the signal that is to end it', async () => {
    const args = ['explain', '--tools', folder.file('hangs.mjs'), '--tool', 'x', '--args', '{}'];
    const child = startCli(args, { node });
    const ended = finished(child);
    await new Promise((resolve) => child.stdout?.once('data', resolve));
    child.kill('SIGTERM');
    expect((await ended).code).toBe(7);
  });

  it('says what is missing where there is no other', async () => {
    mkdirSync(folder.file('alone/src'), { recursive: true });
    cpSync(bin, folder.file('alone/bin/action-ledger.js'));
    writeFileSync(folder.file('alone/package.json'), '{"type":"module"}');
    writeFileSync(folder.file('alone/src/index.ts'), '');
    const lone = { bin: folder.file('alone/bin/action-ledger.js') };
    const env = { ACTION_LEDGER_RESTARTED: '1' };
    const { code, err } = await runCli(['demo'], { node, env, ...lone });
    expect(code).toBe(1);
    expect(err).toContain('needs Node 22.16 or newer');
    expect(err).toContain('fix: run `npm ci`');
  });
});

it('takes a reader that stops reading for no failure', async () => {
  const child = startCli(['--help']);
  child.stdout?.destroy();
  expect(await finished(child)).toMatchObject({ code: 0, err: '' });
});
