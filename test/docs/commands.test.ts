// What the pages say of the command line, held against what its own help says.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { run } from '@action-ledger/cli';
import { createSystemRuntime } from '@action-ledger/runtime';
import { codesOf, firstCells, pagePaths, readPage, root } from './pages.ts';

interface CommandHelp {
  /** `--path`, with two dashes. */
  readonly options: ReadonlySet<string>;
  readonly commands: readonly string[];
}

/** `actions list` to what its help lists; the program itself is ''. */
const helps = new Map<string, CommandHelp>();

async function readHelp(path: string): Promise<void> {
  let text = '';
  const write = (chunk: string): void => {
    text += chunk;
  };
  const args = [...path.split(' ').filter((word) => word !== ''), '--help'];
  const exitCode = await run(args, {
    out: write,
    err: write,
    isTerminal: false,
    isColoured: false,
    columns: 200,
    env: {},
    runtime: createSystemRuntime(),
    version: '0.0.0',
  });
  expect(exitCode).toBe(0);
  const help = parseHelp(text);
  helps.set(path, help);
  for (const command of help.commands) await readHelp(`${path} ${command}`.trim());
}

function parseHelp(text: string): CommandHelp {
  const lines = text.split('\n');
  const start = lines.indexOf('Commands:');
  const after = start < 0 ? [] : lines.slice(start + 1);
  const listed = after.slice(0, after.indexOf(''));
  const options = lines.flatMap((line) => /^ {2}(?:-\w, )?(--[\w-]+)/.exec(line)?.[1] ?? []);
  return {
    options: new Set(options),
    commands: listed
      .flatMap((line) => /^ {2}([\w-]+)/.exec(line)?.[1] ?? [])
      .filter((command) => command !== 'help'),
  };
}

/** Every `action-ledger …` in the blocks and in backticks of a page, each up to a pipe or `&&`. */
function commandsIn(path: string): readonly string[] {
  const { blocks, prose } = readPage(path);
  const shell = blocks
    .filter(({ language }) => language === 'sh')
    .flatMap(({ text }) => text.replaceAll('\\\n', ' ').split(/\n|&&|\|/));
  return [...shell, ...codesOf(prose).flatMap((code) => code.split(/&&|\|/))]
    .map((line) => line.trim().replace(/^(npx|exec|node) /, ''))
    .filter((line) => line.startsWith('action-ledger '))
    .map((line) => line.slice('action-ledger '.length));
}

function unknownIn(line: string): readonly string[] {
  const words = line.split(/\s+/);
  let path = '';
  let rest = words;
  while (rest[0] !== undefined && helps.has(`${path} ${rest[0]}`.trim())) {
    path = `${path} ${rest[0]}`.trim();
    rest = rest.slice(1);
  }
  const known = helps.get(path);
  if (known === undefined || (path === '' && !(rest[0] ?? '').startsWith('-'))) return [line];
  return rest
    .flatMap((word) => /^(--[\w-]+)/.exec(word)?.[1] ?? [])
    .filter((option) => !known.options.has(option));
}

/** What a person may read of the program: its sources without tests and without lines of comment. */
const texts: readonly { readonly file: string; readonly line: string }[] = readdirSync(
  join(root, 'packages'),
  { recursive: true, encoding: 'utf8' },
)
  .filter((file) => /^[\w-]+\/src\/.*(?<!\.test)\.ts$/.test(file))
  .flatMap((file) =>
    readFileSync(join(root, 'packages', file), 'utf8')
      .split('\n')
      .filter((line) => !/^\s*(\/\/|\/?\*)/.test(line))
      .map((line) => ({ file, line })),
  );

/** Of a line: each `action-ledger …` up to where it ends, and what it says to run. */
function commandsOf(line: string): readonly string[] {
  const named = [...line.matchAll(/(?<![@/\w-])action-ledger ((?:(?!&&)[^|'"`;,()$\\])+)/g)];
  const bare = [...line.matchAll(/\b(?:Run|(?:and|or|then|to) run) ([a-z-]+)[.;'"`]/g)];
  return [...named, ...bare].map((match) => (match[1] ?? '').trim()).filter((text) => text !== '');
}

describe('the command line', () => {
  beforeAll(async () => {
    await readHelp('');
  }, 30_000);

  it.each(pagePaths)('takes every command that %s names', (path) => {
    expect(commandsIn(path).flatMap(unknownIn)).toEqual([]);
  });

  it('has every command that an error or a help text names', () => {
    const unknown = texts.flatMap(({ file, line }) =>
      commandsOf(line).flatMap((command) => unknownIn(command).map((what) => [file, what])),
    );
    expect(unknown).toEqual([]);
    expect(texts.flatMap(({ line }) => commandsOf(line)).length).toBeGreaterThan(20);
    expect(commandsOf("'restore it and run mend.'").flatMap(unknownIn)).toEqual(['mend']);
    expect(commandsOf('`action-ledger mend FILE`').flatMap(unknownIn)).toEqual(['mend FILE']);
  });

  it('names no page that is not there', () => {
    const pages = texts.flatMap(({ line }) => line.match(/\b(docs\/)?[\w-]+\.md\b/g) ?? []);
    expect(pages.length).toBeGreaterThan(2);
    expect(pages.filter((page) => !pagePaths.includes(page))).toEqual([]);
  });

  it('is found in the pages at all', () => {
    expect(commandsIn('README.md').length).toBeGreaterThan(0);
    expect(commandsIn('docs/cli.md').length).toBeGreaterThan(0);
    expect(unknownIn('perform --loudly')).toEqual(['perform --loudly']);
    expect(unknownIn('verify --loudly')).toEqual(['--loudly']);
  });

  it('has exactly the options that docs/cli.md lists', () => {
    const listed = firstCells(readPage('docs/cli.md').text).filter((cell) => cell.includes('--'));
    const actual = [...helps].flatMap(([path, { options }]) =>
      path === '' ? [] : [...options].map((option) => `${path} ${option}`),
    );
    const told = actual.filter((option) => !option.endsWith(' --help'));
    expect([...listed].sort()).toEqual([...told].sort());
  });
});
