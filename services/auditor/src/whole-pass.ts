// Everything once more, in small bites that are not felt: what lies on record can be damaged long after it
// was checked, and projections are compared with what the streams lead to. A store that is away is waited
// for; what cannot be checked is told, and holds up nothing else.
import { type BrokenRecord, type OnFault, readEvents } from '@action-ledger/application';
import { type Sha256 } from '@action-ledger/domain';
import { isOutage } from '@action-ledger/event-log';
import { type EventStore, type RecordedEvent } from '@action-ledger/event-store';
import { createOtherChains } from './other-chains.ts';
import { type PassPlace } from './pass-book.ts';
import { type Rests } from './rests.ts';

export interface WholePassDeps {
  readonly store: Pick<EventStore, 'readAll'>;
  readonly sha256: Sha256;
  readonly rests: Rests;
  readonly audit: (stream: string) => Promise<void>;
  readonly report: (breach: BrokenRecord) => Promise<void>;
  /** Of each projection; `rest` is to be awaited between one row and the next. */
  readonly compareProjections?: (rest: () => Promise<void>) => AsyncIterable<BrokenRecord>;
  readonly onFault: OnFault;
  /** It has looked at everything up to this position. */
  readonly onMoved: (after: number) => Promise<void>;
  /** Resolves when a store that was away may be asked again. */
  readonly outage: () => Promise<void>;
  readonly isStopped: () => boolean;
}

const eventsPerBite = 100;

/** @param from where it begins or goes on. Resolves when it is through, or was stopped. */
export async function passOverAll(deps: WholePassDeps, from: PassPlace): Promise<void> {
  const streams = new Set<string>();
  const followOthers = createOtherChains(deps.sha256);
  let { after } = from;
  await untilThere(deps, async () => {
    const bites = readEvents(deps.store, {
      after,
      through: from.through,
      batch: eventsPerBite,
      onDamaged: ({ stream }) => streams.add(stream),
    });
    for await (const bite of bites) {
      for (const { stream } of bite.filter(isFirst)) streams.add(stream);
      await auditAll(deps, streams);
      await reportAll(deps, followOthers(bite));
      if (deps.isStopped()) return;
      after = bite.at(-1)?.position ?? after;
      await deps.onMoved(after);
      await deps.rests.take();
    }
    await auditAll(deps, streams);
  });
  await untilThere(deps, async () => {
    for await (const breach of deps.compareProjections?.(deps.rests.take) ?? []) {
      if (deps.isStopped()) return;
      await deps.report(breach);
    }
  });
}

/** Each leaves the set once it was looked at. */
async function auditAll(deps: WholePassDeps, streams: Set<string>): Promise<void> {
  for (const stream of streams) {
    if (deps.isStopped()) return;
    try {
      await deps.audit(stream);
    } catch (fault) {
      if (isOutage(fault)) throw fault;
      deps.onFault(`the pass at ${stream}`, fault);
    }
    streams.delete(stream);
    await deps.rests.take();
  }
}

/** Where they are put down can be the very stream that is broken. */
async function reportAll(deps: WholePassDeps, broken: readonly BrokenRecord[]): Promise<void> {
  for (const breach of broken) {
    try {
      await deps.report(breach);
    } catch (fault) {
      if (isOutage(fault)) throw fault;
      deps.onFault(`the pass at ${breach.stream}`, fault);
    }
  }
}

async function untilThere(deps: WholePassDeps, work: () => Promise<void>): Promise<void> {
  while (!deps.isStopped()) {
    try {
      await work();
      return;
    } catch (fault) {
      if (!deps.isStopped()) deps.onFault('the pass over everything', fault);
      if (!isOutage(fault)) return;
    }
    await deps.outage();
  }
}

/** What an archived stream begins with stands where it ended. */
function isFirst({ revision, type }: RecordedEvent): boolean {
  return revision === 0 || type === 'ActionArchived';
}
