// Everything once more, now and then, in small bites that are not felt: what lies on record can be damaged
// long after it was checked, and projections are compared with what the streams lead to.
import { type BrokenRecord, readEvents } from '@action-ledger/application';
import { type EventStore, type RecordedEvent } from '@action-ledger/event-store';
import { type Rests } from './rests.ts';

export interface WholePassDeps {
  readonly store: Pick<EventStore, 'readAll' | 'head'>;
  readonly rests: Rests;
  readonly audit: (stream: string) => Promise<void>;
  readonly report: (breach: BrokenRecord) => Promise<void>;
  /** Of each projection; `rest` is to be awaited between one row and the next. */
  readonly compareProjections?: (rest: () => Promise<void>) => AsyncIterable<BrokenRecord>;
  readonly isStopped: () => boolean;
}

const eventsPerBite = 100;

export async function passOverAll(deps: WholePassDeps): Promise<void> {
  const { store, rests, audit, report, isStopped } = deps;
  const damaged: string[] = [];
  const through = await store.head();
  const bites = readEvents(store, {
    after: 0,
    through,
    batch: eventsPerBite,
    onDamaged: ({ stream }) => damaged.push(stream),
  });
  for await (const bite of bites) {
    const begun = bite.filter(isFirst).map(({ stream }) => stream);
    for (const stream of [...damaged.splice(0), ...begun]) {
      if (isStopped()) return;
      await audit(stream);
      await rests.take();
    }
    await rests.take();
  }
  for (const stream of damaged) await audit(stream);
  for await (const breach of deps.compareProjections?.(rests.take) ?? []) {
    if (isStopped()) return;
    await report(breach);
  }
}

/** What an archived stream begins with stands where it ended. */
function isFirst({ revision, type }: RecordedEvent): boolean {
  return revision === 0 || type === 'ActionArchived';
}
