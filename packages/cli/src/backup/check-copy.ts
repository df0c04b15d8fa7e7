// Whether a copy is whole: every event can be read, no position is missing, and the chain holds in the
// streams of the newest events. What is wrong with the ledger itself is copied with it, and told; what
// is wrong with the copy alone stops it.
import { readEvents, surveyGap } from '@action-ledger/application';
import { findChainBreak } from '@action-ledger/domain';
import { type EventStore } from '@action-ledger/event-store';
import { openSqliteEventStore } from '@action-ledger/event-store-sqlite';
import { type Runtime } from '@action-ledger/runtime';
import { CliError } from '../cli-error.ts';
import { sha256 } from '../sha256.ts';

export interface CheckedCopy {
  readonly head: number;
  readonly events: number;
  /** Wall-clock ms; 0 where there is no event. */
  readonly newestAt: number;
  /** Events whose streams were followed from their start. */
  readonly tailEvents: number;
  /** What is wrong with it, as with what it was copied from. */
  readonly problems: readonly string[];
}

const tailMax = 1_000;

/** @throws CliError `backup.damaged` where something is wrong with the copy that is not with its source */
export async function checkCopy(
  runtime: Runtime,
  draft: string,
  source: EventStore,
): Promise<CheckedCopy> {
  const checked = await lookInto(runtime, draft);
  if (checked.problems.length === 0) return checked;
  const own = await look(source, checked.head);
  const made = checked.problems.filter((problem) => !own.problems.includes(problem));
  if (made.length === 0) return checked;
  throw new CliError('backup.damaged', `the copy is damaged: ${made.join('; ')}`, {
    fix: 'nothing was written or replaced; look at the disk, then try again.',
  });
}

/** Whatever is wrong is told. */
export async function lookInto(runtime: Runtime, path: string): Promise<CheckedCopy> {
  const copy = await openSqliteEventStore({ path, runtime, readOnly: true });
  try {
    return await look(copy, await copy.head());
  } finally {
    await copy.close();
  }
}

async function look(store: EventStore, through: number): Promise<CheckedCopy> {
  const { events, newestAt, missing } = await surveyGap(store);
  const problems = missing
    .filter(([first]) => first <= through)
    .map(([first, last]) => `positions ${first} to ${last} are missing`);
  const streams = new Set<string>();
  let tailEvents = 0;
  const tail = readEvents(store, {
    after: Math.max(0, through - tailMax),
    through,
    onDamaged: ({ position, through: last }) =>
      problems.push(`positions ${position} to ${last} cannot be read`),
  });
  for await (const batch of tail) {
    tailEvents += batch.length;
    for (const { stream } of batch) streams.add(stream);
  }
  for (const stream of streams) {
    const found = findChainBreak(sha256, stream, await store.readStream(stream));
    if (found !== undefined)
      problems.push(`the chain of ${stream} is broken at revision ${found.revision}`);
  }
  return { head: through, events, newestAt, tailEvents, problems };
}
