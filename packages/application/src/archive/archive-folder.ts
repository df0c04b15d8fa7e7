// Where archives lie. A file is whole and durable before it has its name, is named by what it holds, and
// is never changed.
import { type RecordedEvent } from '@action-ledger/event-store';

export interface ArchiveFolder {
  /**
   * Durable when it resolves, its name too. Writing the same lines again changes nothing.
   * @param day of the newest event, `2026-11-30`: part of the name
   * @returns the name of the file
   */
  write(lines: readonly string[], day: string): Promise<string>;
  /**
   * Undefined where there is no such file.
   * @throws SyntaxError where a line of it is none; the system's error, with its code, where it cannot be read
   */
  read(file: string): Promise<readonly RecordedEvent[] | undefined>;
}
