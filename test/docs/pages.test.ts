// The other pages: their blocks are run like those of README.md, and every link leads somewhere.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { anchorsOf, linksOf, pagePaths, readPage, root, targetOf } from './pages.ts';
import { testBlocks } from './test-blocks.ts';

const pages = pagePaths.map(readPage);

for (const page of pages) if (page.path !== 'README.md') testBlocks(page);

describe.each(pages)('$path', (page) => {
  it('links only to what is there', () => {
    const broken = linksOf(page).filter((link) => {
      const { file, anchor } = targetOf(page, link);
      if (!existsSync(join(root, file))) return true;
      return anchor !== '' && !anchorsOf(readPage(file)).has(anchor);
    });
    expect(broken).toEqual([]);
  });
});

describe('the pages', () => {
  it('can all be reached from README.md', () => {
    const reached = new Set<string>();
    const follow = (path: string): void => {
      if (reached.has(path) || !path.endsWith('.md')) return;
      reached.add(path);
      const page = readPage(path);
      for (const link of linksOf(page)) follow(targetOf(page, link).file);
    };
    follow('README.md');
    follow('CHANGELOG.md');
    const decisions = pagePaths.filter((path) => path.startsWith('docs/decisions/'));
    const expected = pagePaths.filter((path) => !decisions.includes(path));
    expect(expected.filter((path) => !reached.has(path))).toEqual([]);
    expect(decisions.some((path) => reached.has(path))).toBe(true);
  });

  it('are numbered without gaps where they record decisions', () => {
    const decisions = pagePaths.filter((path) => path.startsWith('docs/decisions/'));
    expect(decisions.length).toBeGreaterThan(0);
    decisions.forEach((path, index) => {
      const number = index + 1;
      expect(path).toContain(`/${String(number).padStart(4, '0')}-`);
      const { text } = readPage(path);
      expect(text.startsWith(`# ${number}. `)).toBe(true);
      for (const part of ['Context', 'Decision', 'What we gave up', 'How we would notice'])
        expect(text).toContain(`**${part}`);
    });
  });
});
