// Compares what a ledger says of its archived actions with the files: each must hold the events up to the
// marker, chained to it, and they must lead to the state that the marker keeps.
import {
  type ArchivedStreams,
  type BrokenRecord,
  createArchivedStreams,
  readEvents,
} from '@action-ledger/application';
import { foldAction } from '@action-ledger/codec';
import { type EventData } from '@action-ledger/domain';
import { type EventStore, type RecordedEvent } from '@action-ledger/event-store';
import { sha256 } from '../sha256.ts';
import { openArchiveFolder } from './archive-folder.ts';
import { markerIn } from './with-archive.ts';

export interface CheckedArchive {
  /** Streams that were found in the files. */
  readonly streams: number;
  readonly broken: readonly BrokenRecord[];
}

export async function checkArchive(store: EventStore, folder: string): Promise<CheckedArchive> {
  const archives = createArchivedStreams(openArchiveFolder(folder), sha256);
  const broken: BrokenRecord[] = [];
  let streams = 0;
  for await (const batch of readEvents(store, { after: 0, through: await store.head() })) {
    for (const event of batch) {
      const marker = markerIn(event);
      if (marker === undefined) continue;
      streams += 1;
      const detail = await whyBroken(archives, event, marker);
      if (detail !== undefined)
        broken.push({ stream: event.stream, invariant: 'archive-holds', detail });
    }
  }
  return { streams, broken };
}

async function whyBroken(
  archives: ArchivedStreams,
  { stream }: RecordedEvent,
  { file, through, previousHash, state }: EventData['ActionArchived'],
): Promise<string | undefined> {
  const found = await archives.find(file, stream, { revision: through, hash: previousHash });
  if (found.kind !== 'whole') return found.reason;
  const folded = foldAction(sha256, stream, found.events);
  if (folded.kind === 'broken')
    return `${file} does not fold at revision ${folded.revision}: ${folded.reason}`;
  const { action } = folded;
  const differs = (['status', 'tenant', 'tool', 'key', 'argumentsHash'] as const).filter(
    (name) => action[name] !== state[name],
  );
  return differs.length === 0
    ? undefined
    : `${file} leads to another ${differs.join(', ')} than the ledger keeps`;
}
