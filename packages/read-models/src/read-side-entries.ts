// What a ledger held back of one action, read from its views file beside the process that writes it, or
// alone. Nothing is written or made: a file that is missing or of no use says nothing.
import { existsSync } from 'node:fs';
import { type DatabaseSync } from 'node:sqlite';
import { type SideEntry, storedSideEntriesMax } from './side-entry.ts';
import { connectToViews } from './views-file.ts';
import { createViewsReader } from './views-reader.ts';

/**
 * Newest first. The writer may be a batch behind what it has answered.
 * @returns undefined where there is no views file that can be read
 */
export function readSideEntries(
  viewsPath: string,
  actionId: string,
): readonly SideEntry[] | undefined {
  if (!existsSync(viewsPath)) return undefined;
  let db: DatabaseSync | undefined;
  try {
    db = connectToViews(viewsPath, { readOnly: true });
    const kept = { before: Infinity, limit: storedSideEntriesMax };
    return createViewsReader(db)
      .sideEntries(kept)
      .filter(({ action }) => action === actionId);
  } catch {
    return undefined;
  } finally {
    db?.close();
  }
}
