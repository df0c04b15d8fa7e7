// npm run schemas: writes the released schemas of schemas/ into the package that programs have them from, since
// what is installed has no such folder. It gives new files of the index their digest,
// and refuses to go on where a released file was edited.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import prettier from 'prettier';

const folder = 'schemas';
const indexPath = join(folder, 'index.json');
const target = 'packages/schemas/src/released.ts';

const index = JSON.parse(readFileSync(indexPath, 'utf8'));
const schemas = index.schemas.map((entry) => {
  const text = JSON.stringify(JSON.parse(readFileSync(join(folder, entry.file), 'utf8')));
  const sha256 = createHash('sha256').update(text).digest('base64url');
  if (entry.sha256 !== undefined && entry.sha256 !== sha256)
    throw new Error(`${entry.file} was released and is edited: add a file of the next version.`);
  return { ...entry, sha256, text };
});

const rows = schemas.map(
  ({ id, subject, version, text }) =>
    `{ id: ${id}, subject: ${JSON.stringify(subject)}, version: ${version}, schema: ${JSON.stringify(text)} }`,
);
const source = `// Written by \`npm run schemas\` from the folder of schemas; a test compares them.
import { type ReleasedSchema } from './released-schema.ts';

export const releasedSchemas: readonly ReleasedSchema[] = [${rows.join(',\n')}];
`;

const format = async (path, text) =>
  prettier.format(text, { ...(await prettier.resolveConfig(path)), filepath: path });
const entries = schemas.map(({ text: _text, ...entry }) => entry);
writeFileSync(indexPath, await format(indexPath, JSON.stringify({ ...index, schemas: entries })));
writeFileSync(target, await format(target, source));
