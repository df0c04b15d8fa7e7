// Compares what a views file says of every action with the fold of its stream: for `verify`. It also
// reveals what the hash chain cannot: that the last events of a stream are gone.
import { type ActionStatus, streamOfAction } from '@action-ledger/domain';
import { existsSync } from 'node:fs';
import { createFacts } from './views-facts.ts';
import { connectToViews } from './views-file.ts';
import { type ActionState, createViewsReader } from './views-reader.ts';

export interface ProjectionBreak {
  readonly stream: string;
  readonly invariant: 'projection-equals-fold';
  readonly detail: string;
}

/** As far as the stream can be folded; revision -1 and status `new` where it holds nothing. */
export interface FoldedStream {
  readonly revision: number;
  readonly status: ActionStatus;
}

export interface CompareOptions {
  /** Of the views file; where there is none of this version, nothing is compared. */
  readonly path: string;
  /**
   * The fold of the stream's events up to and with the position `through`, where the file ends.
   * Undefined passes the stream over: it is broken, which is said elsewhere.
   */
  readonly fold: (
    actionId: string,
    through: number,
  ) => FoldedStream | undefined | Promise<FoldedStream | undefined>;
}

/** In the order of planning. The file is only read. */
export async function* compareViews(options: CompareOptions): AsyncGenerator<ProjectionBreak> {
  const db = openToCompare(options.path);
  if (db === undefined) return;
  try {
    // One state of the file throughout, whatever is written meanwhile.
    db.exec('begin');
    const { position } = createFacts(db).reached();
    for (const row of createViewsReader(db).states()) {
      const found = options.fold(row.action, position);
      // To wait for each of a million that are known at once would take longer than to compare them.
      const folded = found instanceof Promise ? await found : found;
      const detail = folded === undefined ? undefined : difference(row, folded);
      if (detail === undefined) continue;
      const stream = streamOfAction(row.action);
      yield { stream, invariant: 'projection-equals-fold', detail };
    }
  } finally {
    db.close();
  }
}

function openToCompare(path: string) {
  if (!existsSync(path)) return undefined;
  try {
    return connectToViews(path, { readOnly: true });
  } catch {
    return undefined;
  }
}

function difference(row: ActionState, folded: FoldedStream): string | undefined {
  if (folded.revision < row.revision) {
    const first = folded.revision + 1;
    const missing =
      first === row.revision ? `revision ${first} is` : `revisions ${first} to ${row.revision} are`;
    return `The projection has seen revision ${row.revision}, and the stream ends at ${folded.revision}: ${missing} missing.`;
  }
  if (folded.revision > row.revision)
    return `The projection stands at revision ${row.revision}, the stream at ${folded.revision}.`;
  if (folded.status !== row.status)
    return `At revision ${row.revision} the projection says ${row.status}, the stream ${folded.status}.`;
  return undefined;
}
