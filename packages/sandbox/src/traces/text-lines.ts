// The lines of a text file, plain or gzipped, one at a time, so that a file of any size needs the
// memory of its longest line. Only LF ends a line: U+2028 may stand inside a JSON string.
import { createReadStream } from 'node:fs';
import { createGunzip } from 'node:zlib';
import { TraceFault } from './trace-fault.ts';

/** In UTF-16 units. */
const lineLengthMax = 16 * 1024 * 1024;

export interface NumberedLine {
  /** Counted from 1. */
  readonly number: number;
  readonly text: string;
}

/** @throws TraceFault when the file is missing, cut, or no UTF-8. */
export async function* readTextLines(path: string): AsyncGenerator<NumberedLine> {
  let rest = '';
  let number = 0;
  for await (const text of readText(path, () => number + 1)) {
    const parts = (rest + text).split('\n');
    rest = parts.pop() ?? '';
    if (rest.length > lineLengthMax) throw new TraceFault(path, number + 1, 'the line is too long');
    for (const part of parts) yield { number: ++number, text: part };
  }
  if (rest !== '') yield { number: number + 1, text: rest };
}

async function* readText(path: string, line: () => number): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    for await (const chunk of readBytes(path)) yield decoder.decode(chunk, { stream: true });
    yield decoder.decode();
  } catch (error) {
    throw new TraceFault(path, line(), problemOf(error), error);
  }
}

function readBytes(path: string): AsyncIterable<Uint8Array> {
  const file = createReadStream(path);
  if (!path.endsWith('.gz')) return file as AsyncIterable<Uint8Array>;
  const unzipped = createGunzip();
  file.on('error', (error) => unzipped.destroy(error));
  unzipped.on('close', () => file.destroy());
  return file.pipe(unzipped) as AsyncIterable<Uint8Array>;
}

function problemOf(error: unknown): string {
  const code = (error as NodeJS.ErrnoException).code ?? '';
  if (code === 'ENOENT') return 'there is no such file';
  if (code === 'EISDIR') return 'this is a folder; name a .ndjson or .ndjson.gz file';
  if (code.startsWith('Z_')) return `the gzip data is damaged or cut (${code})`;
  if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') return 'the text is not UTF-8';
  return `cannot be read (${code === '' ? String(error) : code})`;
}
