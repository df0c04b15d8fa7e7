// What a views file has seen beyond a position: of a store that went back in time it still names the
// actions that are gone. Read from the file as it lies there; one of no use says nothing.
import { existsSync } from 'node:fs';
import { type DatabaseSync } from 'node:sqlite';
import { type SideEntry, storedSideEntriesMax } from './side-entry.ts';
import { connectToViews } from './views-file.ts';
import { createFacts } from './views-facts.ts';
import { createViewsReader } from './views-reader.ts';

export interface SeenAction {
  readonly action: string;
  readonly tenant: string;
  readonly tool: string;
  readonly guarantee: string;
  readonly status: string;
  readonly plannedAt: number;
  readonly run?: string;
  readonly externalId?: string;
}

export interface SeenAfter {
  /** Planned after the position, in their order. */
  readonly actions: readonly SeenAction[];
  /** Newest first. */
  readonly sides: readonly SideEntry[];
  /** The position that the file has followed its store to. */
  readonly reached: number;
}

/** @returns undefined where there is no views file that can be read */
export function seenAfter(
  viewsPath: string,
  position: number,
  limit: number,
): SeenAfter | undefined {
  if (!existsSync(viewsPath)) return undefined;
  let db: DatabaseSync | undefined;
  try {
    db = connectToViews(viewsPath, { readOnly: true });
    const actions = db
      .prepare(
        `select action, tenant, tool, guarantee, status, planned_at as plannedAt, run, external_id as externalId
        from actions where position > ? order by position limit ?`,
      )
      .all(position, limit);
    return {
      actions: actions.map(withoutNull) as unknown as readonly SeenAction[],
      sides: createViewsReader(db).sideEntries({ before: Infinity, limit: storedSideEntriesMax }),
      reached: createFacts(db).reached().position,
    };
  } catch {
    return undefined;
  } finally {
    db?.close();
  }
}

function withoutNull(row: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null));
}
