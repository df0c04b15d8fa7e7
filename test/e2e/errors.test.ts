// Calls that cannot be served: each says what is wrong and what to do, and ends with the right code.
import { DatabaseSync } from 'node:sqlite';
import { mkdirSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { type Folder, runCli, temporaryFolder } from './run-cli.ts';
import { openSample } from './sample-ledger.ts';

// Every call starts a process; on a busy machine that takes seconds.
jest.setTimeout(60_000);

let folder: Folder;

beforeAll(async () => {
  folder = temporaryFolder();
  const { ledger } = await openSample(folder.file('ledger.db'));
  await ledger.close();
  await openSample(folder.file('newer.db')).then((sample) => sample.ledger.close());
  const newer = new DatabaseSync(folder.file('newer.db'));
  newer.exec('pragma user_version = 999');
  newer.close();
  const foreign = new DatabaseSync(folder.file('foreign.db'));
  foreign.exec('create table t (a)');
  foreign.close();
  writeFileSync(
    folder.file('text.db'),
    'this is no database, whatever its name says\n'.repeat(200),
  );
  writeFileSync(folder.file('empty.db'), '');
  mkdirSync(folder.file('folder.db'));
});

afterAll(() => {
  folder.remove();
});

describe('a file that is no ledger', () => {
  it.each([
    ['missing.db', 'there is no file', 'name the ledger with --path'],
    ['text.db', 'is not a SQLite database', 'Name another file'],
    ['foreign.db', 'database of another program', 'Name another file'],
    ['newer.db', 'format 999', 'newer version'],
    ['empty.db', 'is empty', 'createLedger'],
    ['folder.db', 'is not a file', '--path'],
  ])('%s', async (name, what, fix) => {
    const { code, out, err } = await runCli(['verify', '--path', folder.file(name)]);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toMatch(/^action-ledger: /);
    expect(err).toContain(what);
    expect(err).toContain(fix);
  });

  it('is told as JSON to a program', async () => {
    const { code, out, err } = await runCli(['verify', '--json', '--path', folder.file('no.db')]);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(JSON.parse(err)).toMatchObject({ error: { code: 'store.not-found' } });
  });

  it.each(['missing.db', 'text.db', 'newer.db'])('%s fails a check of the doctor', async (name) => {
    const { code, out } = await runCli(['doctor', '--path', folder.file(name)]);
    expect(code).toBe(1);
    expect(out).toMatch(/^FAIL (.*\n)( {6}.*\n)* +fix: /m);
  });
});

describe('which file is meant', () => {
  it('ACTION_LEDGER_PATH names it, --path goes before', async () => {
    const env = { ACTION_LEDGER_PATH: folder.file('ledger.db') };
    expect((await runCli(['actions', 'list'], { env })).code).toBe(0);
    const other = ['actions', 'list', '--path', folder.file('missing.db')];
    expect((await runCli(other, { env })).err).toContain('missing.db');
  });

  it('else it is action-ledger.db in this folder', async () => {
    const { code, err } = await runCli(['actions', 'list'], { cwd: folder.path });
    expect(code).toBe(1);
    expect(err).toContain('./action-ledger.db');
  });
});

describe('what is not there', () => {
  it.each([
    [['actions', 'show', 'zzzzzz'], 'actions list'],
    [['replay', 'zzzzzz'], 'actions list'],
    [['replay', 'tool-none'], 'streams are action-'],
  ])('%j hints at what is', async (args, hint) => {
    const { code, err } = await runCli([...args, '--path', folder.file('ledger.db')]);
    expect(code).toBe(1);
    expect(err).toContain(hint);
  });
});

describe('a call that makes no sense ends with 2', () => {
  it.each([
    [[], 'Usage: action-ledger'],
    [['bogus'], "unknown command 'bogus'"],
    [['verify', '--bogus'], "unknown option '--bogus'"],
    [['actions', 'show'], 'missing required argument'],
    [['actions', 'list', '--status', 'fine'], 'Allowed choices are planned'],
    [['actions', 'list', '--limit', 'none'], 'whole number'],
    [['replay'], 'needs a stream'],
    [['replay', '--until', 'yesterday'], 'is no time'],
    [['explain'], 'required option'],
  ])('%j', async (args, says) => {
    const { code, out, err } = await runCli(args, { cwd: folder.path });
    expect(code).toBe(2);
    expect(out + err).toContain(says);
  });
});

it('a call that makes no sense is told as JSON to a program', async () => {
  const { code, out, err } = await runCli(['verify', '--bogus', '--json']);
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(JSON.parse(err)).toMatchObject({ error: { code: 'cli.usage' } });
});

describe('recorded calls that are none', () => {
  it.each([
    ['missing.ndjson', /^action-ledger: there is no file \S*missing\.ndjson\n {2}fix: name a file/],
    ['empty.ndjson', /^action-ledger: \S*empty\.ndjson holds no calls\n {2}fix: a line of it/],
    ['blank.ndjson', /blank\.ndjson holds no calls/],
    ['folder.db', /folder\.db is a folder/],
  ])('%s', async (name, says) => {
    writeFileSync(folder.file('empty.ndjson'), '');
    writeFileSync(folder.file('blank.ndjson'), '\n\n');
    const { code, out, err } = await runCli(['play', folder.file(name)]);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toMatch(says);
  });
});

it('two plays of the sample side by side: the second is refused, or comes after the first', async () => {
  const beside = temporaryFolder();
  const both = await Promise.all(
    [1, 2].map(() => runCli(['start-sample', '--once'], { cwd: beside.path })),
  );
  for (const { code, out, err } of both) {
    if (code === 0) expect(out).toContain('Nothing doubled, nothing lost');
    else
      expect({ code, out, err }).toEqual({
        code: 1,
        out: '',
        err: expect.stringContaining('still using .action-ledger/sample.db'),
      });
  }
  expect(both.some(({ code }) => code === 0)).toBe(true);
  beside.remove();
});

describe('help', () => {
  const commands = [
    ['demo'],
    ['actions', 'list'],
    ['actions', 'show'],
    ['replay'],
    ['verify'],
    ['explain'],
    ['doctor'],
  ];

  it.each(commands.map((command) => [command.join(' '), command] as const))(
    'of %s has examples',
    async (name, command) => {
      const { code, out } = await runCli([...command, '--help']);
      expect(code).toBe(0);
      expect(out).toMatch(new RegExp(`Examples?:\n  action-ledger ${name}`));
    },
  );

  it('lists every command and says where to start', async () => {
    const { code, out } = await runCli(['--help']);
    expect(code).toBe(0);
    for (const [name = ''] of commands) expect(out).toContain(`  ${name} `);
    expect(out).toContain('Start here:');
  });

  it('gives the version', async () => {
    expect((await runCli(['--version'])).out).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});
