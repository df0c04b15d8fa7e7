// The pages that people read, and the little of Markdown that the checks of them need: fenced blocks,
// headings, links, tables and text in backticks. Jest runs in the root of the repository.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export const root = process.cwd();

export interface Block {
  /** `README.md:12 sh`, for the name of a test. */
  readonly name: string;
  readonly language: string;
  /** From the info string: ```` ```sh run=first in=repository ````. */
  readonly options: Readonly<Record<string, string>>;
  readonly text: string;
}

export interface Page {
  /** From the root of the repository. */
  readonly path: string;
  readonly text: string;
  /** The text without fenced blocks. */
  readonly prose: string;
  readonly blocks: readonly Block[];
}

/** README.md first, then the other pages at the root, then `docs`. */
export const pagePaths: readonly string[] = [
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  ...markdownUnder('docs'),
];

function markdownUnder(folder: string): readonly string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name))
    .sort();
}

export function readPage(path: string): Page {
  const text = readFileSync(join(root, path), 'utf8');
  const blocks: Block[] = [];
  const prose: string[] = [];
  let open: { readonly line: number; readonly info: string; readonly lines: string[] } | undefined;
  text.split('\n').forEach((line, index) => {
    const fence = /^```(.*)$/.exec(line);
    if (open === undefined) {
      if (fence === null) prose.push(line);
      else open = { line: index + 1, info: fence[1] ?? '', lines: [] };
    } else if (fence === null) {
      open.lines.push(line);
    } else {
      blocks.push(blockOf(path, open.line, open.info, open.lines));
      open = undefined;
    }
  });
  if (open !== undefined) throw new Error(`${path}:${open.line} opens a block that never ends`);
  return { path, text, prose: prose.join('\n'), blocks };
}

function blockOf(path: string, line: number, info: string, lines: readonly string[]): Block {
  const [language = '', ...given] = info.trim().split(/\s+/);
  const options = given.map((option) => {
    const [name = '', ...value] = option.split('=');
    return [name, value.join('=')] as const;
  });
  return {
    name: `${path}:${line} ${language}`,
    language,
    options: Object.fromEntries(options),
    text: `${lines.join('\n')}\n`,
  };
}

/** What GitHub calls the headings of a page in links: `#two-words`. */
export function anchorsOf({ prose }: Page): ReadonlySet<string> {
  const headings = prose.split('\n').flatMap((line) => /^#{1,6} (.*)$/.exec(line)?.[1] ?? []);
  const plain = headings.map((heading) => heading.replaceAll(/[`*]/g, ''));
  return new Set(
    plain.map((heading) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
        .trim()
        .replaceAll(' ', '-'),
    ),
  );
}

/** Targets within the repository, as they stand: `docs/cli.md#verify`, `#words`. */
export function linksOf({ prose }: Page): readonly string[] {
  const targets = [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map((match) => match[1] ?? '');
  return targets.filter((target) => !/^[a-z]+:/.test(target));
}

/** Where a link leads, from the root of the repository. */
export function targetOf({ path }: Page, link: string): { file: string; anchor: string } {
  const [file = '', anchor = ''] = link.split('#');
  return { file: file === '' ? path : join(dirname(path), file), anchor };
}

/** The text of the section under a heading of any level, up to the next of the same or a higher one. */
export function sectionOf(page: Page, heading: string): string {
  const lines = page.prose.split('\n');
  const start = lines.findIndex((line) => /^#+ /.test(line) && withoutMarks(line) === heading);
  if (start < 0) throw new Error(`${page.path} has no section "${heading}"`);
  const level = /^#+/.exec(lines[start] ?? '')?.[0].length ?? 1;
  const end = lines.findIndex(
    (line, index) => index > start && (/^(#+) /.exec(line)?.[1]?.length ?? 9) <= level,
  );
  return lines.slice(start + 1, end < 0 ? undefined : end).join('\n');
}

function withoutMarks(line: string): string {
  return line.replace(/^#+ /, '').replaceAll('`', '').trim();
}

/** The first cell of every row of every table, without backticks; heads are left out. */
export function firstCells(markdown: string): readonly string[] {
  const rows = markdown.split('\n');
  return rows.flatMap((line, index) => {
    if (!line.startsWith('|') || /^\|[\s:|-]+\|$/.test(line)) return [];
    if (/^\|[\s:|-]+\|$/.test(rows[index + 1] ?? '')) return [];
    const cell = line.split('|')[1] ?? '';
    return [cell.trim().replaceAll(/^`|`$/g, '')];
  });
}

/** Texts in backticks. */
export function codesOf(markdown: string): readonly string[] {
  return [...markdown.matchAll(/`([^`\n]+)`/g)].map((match) => match[1] ?? '');
}
