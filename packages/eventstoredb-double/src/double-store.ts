// The log and its file as one: appends are decided in the order in which they arrive, made durable in
// groups, and only then answered and shown to readers.
import { type Expected } from './append-rules.ts';
import {
  type Appended,
  DoubleLog,
  type LogRecord,
  type Proposed,
  type StreamRead,
} from './double-log.ts';
import { type LogFile, openLogFile } from './log-file.ts';

export interface DoubleStore {
  readonly append: (
    stream: string,
    expected: Expected,
    proposed: readonly Proposed[],
  ) => Promise<Appended>;
  /** In order; only the first `readableCount` may be shown. */
  readonly records: () => readonly LogRecord[];
  readonly readableCount: () => number;
  /** Forgets the last ones, in memory alone. */
  readonly loseLast: (count: number) => void;
  readonly readStream: (stream: string) => StreamRead;
  /** @returns what takes it back */
  readonly onRecords: (look: () => void) => () => void;
  /** Bytes of a torn append that were cut off at the start. */
  readonly cutBytes: number;
  readonly close: () => Promise<void>;
}

export async function openDoubleStore(
  path: string | undefined,
  nowMs: () => number,
): Promise<DoubleStore> {
  const file = path === undefined ? undefined : await openLogFile(path);
  const log = new DoubleLog();
  log.load(file?.records ?? []);
  const lookers = new Set<() => void>();
  let waiting: (() => Appended)[] = [];
  let told: ((appended: Appended) => void)[] = [];
  let work: Promise<void> | undefined;

  const show = (): void => {
    log.makeReadable();
    for (const look of lookers) look();
  };
  const writeGroups = async (toFile: LogFile): Promise<void> => {
    // Those given in the same turn go together; and whoever starts this knows of it before it ends.
    await Promise.resolve();
    while (waiting.length > 0) {
      const [appends, tell] = [waiting, told];
      [waiting, told] = [[], []];
      const before = log.records().length;
      const results = appends.map((append) => append());
      const added = log.records().slice(before);
      if (added.length > 0) await toFile.append(added);
      show();
      results.forEach((result, index) => tell[index]?.(result));
    }
    work = undefined;
  };

  return {
    append: (stream, expected, proposed) => {
      const append = (): Appended => log.append(stream, expected, proposed, nowMs());
      if (file === undefined) {
        const result = append();
        show();
        return Promise.resolve(result);
      }
      return new Promise((resolve) => {
        waiting.push(append);
        told.push(resolve);
        work ??= writeGroups(file);
      });
    },
    records: () => log.records(),
    readableCount: () => log.readableCount(),
    loseLast: (count) => {
      log.loseLast(count);
    },
    readStream: (stream) => log.readStream(stream),
    onRecords: (look) => {
      lookers.add(look);
      return () => void lookers.delete(look);
    },
    cutBytes: file?.cutBytes ?? 0,
    close: async () => {
      await work;
      await file?.close();
    },
  };
}
