// A reader saves the programs of the pages at the root of a clone and runs them there: neither they nor
// the files that they make are to lie in the way of a commit.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { pagePaths, readPage, root } from './pages.ts';
import { purposeOf } from './run-blocks.ts';

const ignored = readFileSync(join(root, '.gitignore'), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('/'))
  .map((line) => line.slice(1).replace(/\/$/, ''))
  .map((line) => new RegExp(`^${line.replaceAll('.', '\\.').replaceAll('*', '.*')}$`));

const isIgnored = (file: string): boolean => ignored.some((pattern) => pattern.test(file));

/** What a block is saved as, and the data files that programs name. */
const files = pagePaths.flatMap((path) =>
  readPage(path).blocks.flatMap((block) => {
    const purpose = purposeOf(block);
    if (purpose.kind !== 'file') return [];
    const made = [...block.text.matchAll(/(?<![/\w])'([\w-]+\.(?:db|txt|json|ndjson))'/g)];
    return [purpose.file, ...made.map((match) => match[1] ?? '')];
  }),
);

describe('what the pages leave at the root of a clone', () => {
  it('is ignored by git', () => {
    expect(files.length).toBeGreaterThan(8);
    expect([...new Set(files)].filter((file) => !isIgnored(file))).toEqual([]);
  });

  it('with the files beside a ledger, and nothing of the repository', () => {
    for (const ending of ['', '-wal', '-shm', '.lock', '.mark', '.owner', '.views', '.views-wal'])
      expect(isIgnored(`refunds.db${ending}`)).toBe(true);
    for (const own of ['package.json', 'README.md', 'jest.config.js', 'docs'])
      expect(isIgnored(own)).toBe(false);
  });
});
