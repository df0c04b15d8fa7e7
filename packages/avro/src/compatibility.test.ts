// What is released stays as it is, and every version of a schema goes with every other.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { releasedSchemas } from '@action-ledger/schemas';
import { findIncompatible } from './index.ts';
import { subjectOf } from './newest.ts';

const folder = 'schemas';

interface Entry {
  readonly id: number;
  readonly subject: string;
  readonly version: number;
  readonly file: string;
  readonly sha256: string;
}

const { schemas: index } = JSON.parse(readFileSync(join(folder, 'index.json'), 'utf8')) as {
  readonly schemas: readonly Entry[];
};

/** Without what only makes it easy to read. */
const textIn = (file: string): string =>
  JSON.stringify(JSON.parse(readFileSync(join(folder, file), 'utf8')));

const digestOf = (text: string): string => createHash('sha256').update(text).digest('base64url');

describe('released schemas', () => {
  it('are each in the index, and none of them was edited', () => {
    const files = readdirSync(folder).filter((name) => name.endsWith('.avsc'));
    expect(index.map(({ file }) => file).sort()).toEqual(files.sort());
    for (const { file, sha256 } of index)
      expect([file, digestOf(textIn(file))]).toEqual([file, sha256]);
  });

  it('are those of the package (npm run schemas)', () => {
    expect(releasedSchemas).toEqual(
      index.map(({ id, subject, version, file }) => ({
        id,
        subject,
        version,
        schema: textIn(file),
      })),
    );
  });

  it('have ids of their own, and versions from 1 without gaps', () => {
    expect(new Set(index.map(({ id }) => id)).size).toBe(index.length);
    for (const subject of Object.values(subjectOf)) {
      const versions = index.filter((each) => each.subject === subject).map((each) => each.version);
      expect(versions).toEqual(versions.map((_, at) => at + 1));
      expect(versions.length).toBeGreaterThan(0);
    }
    expect(new Set(index.map(({ subject }) => subject))).toEqual(new Set(Object.values(subjectOf)));
  });

  it('go together, every version with every other of its subject', () => {
    expect(findIncompatible(releasedSchemas)).toEqual([]);
  });
});

interface Record {
  readonly fields: readonly { readonly name: string; readonly [more: string]: unknown }[];
}

/** Of the state, with its fields made anew. */
function version(number: number, change: (fields: Record['fields']) => Record['fields']) {
  const { subject, schema } = releasedSchemas.find((each) => each.subject === subjectOf.state) ?? {
    subject: '',
    schema: '',
  };
  const known = JSON.parse(schema) as Record;
  const text = JSON.stringify({ ...known, fields: change(known.fields) });
  return { subject, version: number, schema: text };
}

const as = (found: ReturnType<typeof findIncompatible>): readonly string[] =>
  found.map(({ writer, reader }) => `${writer} is not read by ${reader}`);

describe('a change of a schema', () => {
  const first = version(1, (fields) => fields);

  it('is refused where a member without a default is left out', () => {
    const broken = version(2, (fields) => fields.filter(({ name }) => name !== 'tool'));
    expect(as(findIncompatible([first, broken]))).toEqual(['2 is not read by 1']);
  });

  it('is refused where a new member has no default', () => {
    const broken = version(2, (fields) => [...fields, { name: 'region', type: 'string' }]);
    expect(as(findIncompatible([first, broken]))).toEqual(['1 is not read by 2']);
  });

  it('is refused where it goes with the version before, and not with one before that', () => {
    const second = version(2, (fields) => fields.filter(({ name }) => name !== 'code'));
    const third = version(3, (fields) =>
      fields.map((field) =>
        field.name === 'code' ? { name: 'code', type: 'int', default: 0 } : field,
      ),
    );
    expect(as(findIncompatible([first, second]))).toEqual([]);
    expect(as(findIncompatible([second, third]))).toEqual([]);
    expect(as(findIncompatible([first, second, third]))).toEqual([
      '1 is not read by 3',
      '3 is not read by 1',
    ]);
  });

  it('is refused where an enumeration without a default loses a symbol', () => {
    const enumerated = (symbols: readonly string[]) => (fields: Record['fields']) => [
      ...fields,
      { name: 'size', type: { type: 'enum', name: 'Size', symbols }, default: 's' },
    ];
    const changed = [version(2, enumerated(['s', 'm'])), version(3, enumerated(['s']))];
    expect(as(findIncompatible(changed))).toEqual(['2 is not read by 3']);
  });

  it('is taken where members with defaults come and go', () => {
    const second = version(2, (fields) => [
      { name: 'region', type: ['null', 'string'], default: null },
      ...fields.filter(({ name }) => name !== 'code'),
    ]);
    expect(findIncompatible([first, second])).toEqual([]);
  });
});
