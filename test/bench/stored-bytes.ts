// What a contender has stored: the sum of all text and blobs in the tables of its main file (logical),
// and the size of all its files.
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { mainFile } from './contender.ts';

export interface StoredBytes {
  readonly logical: number;
  readonly onDisk: number;
}

/** The contender must have closed its files. */
export function storedBytes(dir: string): StoredBytes {
  const main = join(dir, mainFile);
  const files = readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  return {
    logical: existsSync(main) ? logicalBytes(main) : 0,
    onDisk: files.reduce((sum, path) => sum + statSync(path).size, 0),
  };
}

function logicalBytes(path: string): number {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const tables = database.prepare("select name from sqlite_schema where type = 'table'").all();
    return tables.reduce((sum, table) => sum + tableBytes(database, String(table['name'])), 0);
  } finally {
    database.close();
  }
}

function tableBytes(database: DatabaseSync, table: string): number {
  const columns = database.prepare('select name from pragma_table_info(?)').all(table);
  const lengths = columns.map(({ name }) => {
    const column = `"${String(name)}"`;
    return `iif(typeof(${column}) in ('text', 'blob'), octet_length(${column}), 0)`;
  });
  const row = database.prepare(`select sum(${lengths.join(' + ')}) as bytes from "${table}"`).get();
  return Number(row?.['bytes'] ?? 0);
}
