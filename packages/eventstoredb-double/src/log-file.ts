// The file of the double's log: one frame for each batch of appends, synced before anybody is told. A
// frame that was not written whole, as a killed process leaves it, is cut off when it is opened.
import { type FileHandle, open } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { type LogRecord } from './double-log.ts';

export interface LogFile {
  /** What it held when it was opened. */
  readonly records: readonly LogRecord[];
  /** Bytes of a torn frame that were cut off. */
  readonly cutBytes: number;
  /** Durable when it resolves. */
  append(records: readonly LogRecord[]): Promise<void>;
  close(): Promise<void>;
}

const headerBytes = 8;

export async function openLogFile(path: string): Promise<LogFile> {
  const file = await open(path, 'a+');
  const bytes = await readAll(file);
  const { records, length } = framesOf(bytes);
  if (length < bytes.length) {
    await file.truncate(length);
    await file.datasync();
  }
  return {
    records,
    cutBytes: bytes.length - length,
    append: async (added) => {
      await file.appendFile(frameOf(added));
      await file.datasync();
    },
    close: () => file.close(),
  };
}

async function readAll(file: FileHandle): Promise<Buffer> {
  const { size } = await file.stat();
  const bytes = Buffer.alloc(size);
  let read = 0;
  while (read < size) {
    const { bytesRead } = await file.read(bytes, read, size - read, read);
    if (bytesRead === 0) break;
    read += bytesRead;
  }
  return bytes.subarray(0, read);
}

function frameOf(records: readonly LogRecord[]): Buffer {
  const body = Buffer.from(JSON.stringify(records.map(storedOf)));
  const header = Buffer.alloc(headerBytes);
  header.writeUInt32BE(body.length, 0);
  header.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([header, body]);
}

/** @returns how many bytes hold whole frames */
function framesOf(bytes: Buffer): {
  readonly records: readonly LogRecord[];
  readonly length: number;
} {
  const records: LogRecord[] = [];
  let at = 0;
  while (at + headerBytes <= bytes.length) {
    const end = at + headerBytes + bytes.readUInt32BE(at);
    const body = bytes.subarray(at + headerBytes, end);
    if (end > bytes.length || crc32(body) !== bytes.readUInt32BE(at + 4)) break;
    const stored = JSON.parse(body.toString('utf8')) as readonly Stored[];
    records.push(...stored.map(recordOf));
    at = end;
  }
  return { records, length: at };
}

interface Stored extends Omit<LogRecord, 'data' | 'metadata'> {
  /** Base64. */
  readonly data: string;
  readonly metadata: string;
}

function storedOf(record: LogRecord): Stored {
  return { ...record, data: base64(record.data), metadata: base64(record.metadata) };
}

function recordOf(stored: Stored): LogRecord {
  const [data, metadata] = [stored.data, stored.metadata].map((text) =>
    Buffer.from(text, 'base64'),
  );
  return { ...stored, data: data ?? Buffer.alloc(0), metadata: metadata ?? Buffer.alloc(0) };
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}
