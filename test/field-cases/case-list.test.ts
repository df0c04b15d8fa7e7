// No case is forgotten: each is named by a test somewhere in the repository, or waits for what it needs.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { fieldCases, partly, waiting } from './case-list.ts';

const root = join(__dirname, '..', '..');

/** A title, or the name of a row of a table, begins with the ids of its cases. */
const named = /['"`]((?:(?:FW|F|V)\d{1,3}[ '"`:])+)/g;

function idsIn(folder: string, isTest: (path: string) => boolean): ReadonlySet<string> {
  const files = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' });
  return new Set(
    files
      .filter((path) => !path.includes('node_modules') && isTest(path))
      .flatMap((path) => [...readFileSync(join(root, folder, path), 'utf8').matchAll(named)])
      .flatMap(([, ids = '']) => ids.match(/[FV]\d{1,3}/g) ?? []),
  );
}

const isTest = (path: string): boolean => /\.(test|contract)\.ts$/.test(path);
const tested = new Set([...idsIn('packages', isTest), ...idsIn('test', isTest)]);
const testedHere = idsIn('test/field-cases', isTest);
const known = Object.keys(fieldCases);

describe('the list of field cases', () => {
  it('has 85 cases and 13 vectors', () => {
    expect(known.filter((id) => id.startsWith('F'))).toHaveLength(85);
    expect(known.filter((id) => id.startsWith('V'))).toHaveLength(13);
  });

  it.each(known.filter((id) => !(id in waiting)).map((id) => [id, fieldCases[id]]))(
    '%s (%s) is named by a test',
    (id) => {
      expect(tested).toContain(id);
    },
  );

  it('has no case that waits although it is tested here', () => {
    expect(Object.keys(waiting).filter((id) => testedHere.has(id))).toEqual([]);
  });

  it('knows every id that it says something about, and every id that a test names', () => {
    const spoken = [...Object.keys(waiting), ...Object.keys(partly), ...tested];
    expect(spoken.filter((id) => !known.includes(id))).toEqual([]);
  });
});
