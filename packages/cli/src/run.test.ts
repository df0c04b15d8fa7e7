import { describe, expect, it } from '@jest/globals';
import { createSystemRuntime } from '@action-ledger/runtime';
import { run } from './run.ts';

async function called(...args: readonly string[]): Promise<{
  readonly code: number;
  readonly out: string;
  readonly err: string;
}> {
  let out = '';
  let err = '';
  const code = await run(args, {
    out: (text) => (out += text),
    err: (text) => (err += text),
    isTerminal: false,
    isColoured: false,
    columns: undefined,
    env: {},
    runtime: createSystemRuntime(),
    version: '0.0.0',
  });
  return { code, out, err };
}

describe('a call that makes no sense', () => {
  it.each([
    [['bogus'], "unknown command 'bogus'"],
    [['verify', '--bogus'], "unknown option '--bogus'"],
    [['verify', 'extra'], 'too many arguments'],
    [['actions', 'show'], "missing required argument 'id'"],
    [['actions', 'list', '--status', 'fine'], 'Allowed choices are planned'],
    [['actions', 'list', '--limit', 'none'], 'whole number'],
    [['replay'], 'needs a stream'],
    [['play', 'x.ndjson', '--timeouts', 'many'], 'Give percent'],
    [['explain'], 'missing required option'],
  ])('%j is one JSON error for a program', async (args, says) => {
    const { code, out, err } = await called(...args, '--json');
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(JSON.parse(err)).toEqual({
      error: {
        code: 'cli.usage',
        message: expect.stringContaining(says),
        fix: expect.any(String),
      },
    });
    expect(err).not.toContain('error: ');
    expect((await called(...args)).code).toBe(2);
  });

  it('is told to a person in words, with a fix', async () => {
    const { code, err } = await called('verify', '--bogus');
    expect(code).toBe(2);
    expect(err).toMatch(/^action-ledger: unknown option '--bogus'\n {2}fix: --help/);
  });

  it('is told on one line, with what may have been meant', async () => {
    const { err } = await called('verfy');
    expect(err).toMatch(
      /^action-ledger: unknown command 'verfy' \(Did you mean verify\?\)\n {2}fix: there is no such command: --help/,
    );
  });

  it('names the option that is empty', async () => {
    const { code, err } = await called('verify', '--path', '');
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining('--path is empty') });
  });

  it('is told of percent as percent', async () => {
    expect((await called('play', '--help')).out).toMatch(/more\s+often\s+\(default:\s+0\.5%\)/);
  });

  it('breaks the text of a help where the page ends, and nowhere else', async () => {
    const { out } = await called('play', '--help');
    const [first = ''] = out.split('\n').slice(2);
    expect(first.length).toBeGreaterThan(90);
  });

  it('says of every failure what to do about it', async () => {
    const calls = [
      ['verify', '--path', 'package.json'],
      ['doctor', '--path', 'none.db'],
      ['explain', '--tools', 'README.md', '--tool', 'x', '--args', '{}'],
      ['explain', '--tools', 'none.ts', '--tool', 'x', '--args', '{}'],
      ['explain', '--tool', 'x'],
      ['actions', 'show'],
      ['play', 'package.json'],
      ['replay', 'none', '--path', 'none.db'],
    ];
    for (const args of calls) {
      const { code, out, err } = await called(...args);
      expect([1, 2]).toContain(code);
      expect(out + err).toContain('fix: ');
    }
    expect((await called('play', 'package.json')).err).toContain('one JSON object per line');
  });

  it('says of a file that is named by another option than --path what to do about that one', async () => {
    expect((await called('restore', '--from', 'none.db')).err).toMatch(
      /none\.db\n {2}fix: .*--from/,
    );
    const copy = await called('backup', '--to', 'none/copy.db', '--path', 'package.json');
    expect(copy.err).toMatch(/there is no folder none\n {2}fix: .*--to/);
  });

  it('help is help, also for a program', async () => {
    const { code, out } = await called('verify', '--help', '--json');
    expect(code).toBe(0);
    expect(out).toContain('Usage: action-ledger verify');
  });
});
